// Every op in its own form and in generic form; locations, attributes and properties nobody reads.
module @m attributes {some.thing = [1, 2], other = affine_map<(d0) -> (d0)>} {
  handshake.func private @forms(%a: i32 {hw.name = "x"}, %b: i32 loc("k.c":1:2), %ctl: none, %lb: index, %st: index, %ub: index, ...)
      -> (i32, i1, i64, i32)
      attributes {argNames = ["a", "b", "ctl", "lb", "st", "ub"], resNames = ["r", "c", "w", "s"], loom.adg_max_join_fanin = 8 : i32} {
    %a_f:4 = handshake.fork [4] %a : i32 loc(#loc3)
    %b_f:4 = "handshake.fork"(%b) : (i32) -> (i32, i32, i32, i32)
    %s0 = arith.addi %a_f#0, %b_f#0 overflow<nsw, nuw> : i32
    %s1 = "arith.subi"(%s0, %a_f#1) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %c0 = arith.cmpi sle, %b_f#1, %b_f#2 : i32
    %c0_f:3 = fork [3] %c0 : i1
    %c1 = "arith.cmpi"(%a_f#2, %b_f#3) {predicate = 6 : i64} : (i32, i32) -> i1
    %sel = arith.select %c0_f#0, %s1, %a_f#3 : i1, i32
    %ctl_f:2 = fork [2] %ctl : none
    %k0 = constant %ctl_f#0 {value = -7 : i32} : i32
    %k1 = "handshake.constant"(%ctl_f#1) <{value = true}> : (none) -> i1
    %sel_f:2 = fork [2] %sel : i32
    %m = handshake.mux %c1 [%k0, %sel_f#0] : i1, i32
    %i, %more = dataflow.stream %lb, %st, %ub
    %more_f:3 = fork [3] %more : i1
    %bi, %bc = dataflow.gate %i, %more_f#0 : index, i1 -> index, i1
    sink %bc : i1
    %acc = dataflow.carry %more_f#1, %m, %next : i1, i32, i32 -> i32
    %t, %e = cond_br %more_f#2, %acc : i32
    %w0 = arith.index_cast %bi : index to i32
    %u = buffer [2] seq %w0 {note = {deep = [1, {x = "}"}]}} : i32
    %next = arith.xori %t, %u : i32
    %wide = arith.extui %sel_f#1 : i32 to i64
    %j = join %c0_f#1, %c0_f#2, %k1 : i1, i1, i1
    %r1 = "handshake.constant"(%j) {value = 0x1F : i32} : (none) -> i32
    %r1_f:2 = fork [2] %r1 : i32
    %low = arith.trunci %r1_f#0 : i32 to i1
    return %e, %low, %wide, %r1_f#1 : i32, i1, i64, i32
  } loc(unknown)
}
