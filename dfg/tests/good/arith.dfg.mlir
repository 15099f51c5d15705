// Arithmetic in pretty and generic form; allowances are skipped, float literals are decimal or bits.
handshake.func @arith(%a: i32, %b: i32, %x: f32, %y: f32, %ctl: none) -> (i32, i1, f64, i16, index)
    attributes {argNames = ["a", "b", "x", "y", "ctl"], resNames = ["n", "c", "d", "h", "k"]} {
  %as:3 = fork [3] %a : i32
  %bs:3 = fork [3] %b : i32
  %q = arith.floordivsi %as#0, %bs#0 : i32
  %r = "arith.remui"(%as#1, %bs#1) : (i32, i32) -> i32
  %z = math.ctlz %q : i32
  %z2 = "math.ctpop"(%r) : (i32) -> i32
  %z3 = llvm.intr.bitreverse(%z) : (i32) -> i32
  %n = arith.maxui %z3, %z2 : i32
  %xs:3 = fork [3] %x : f32
  %ys:2 = fork [2] %y : f32
  %s = arith.addf %xs#0, %ys#0 fastmath<contract,nnan> : f32
  %t = math.fma %s, %xs#1, %k fastmath<fast> : f32
  %cs:3 = fork [3] %ctl : none
  %k = constant %cs#0 {value = 1.5 : f32} : f32
  %u = "math.sqrt"(%t) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
  %us:2 = fork [2] %u : f32
  %c = arith.cmpf olt, %us#0, %ys#1 : f32
  %c2 = "arith.cmpf"(%xs#2, %ks) <{predicate = 14 : i64}> : (f32, f32) -> i1
  %ks = constant %cs#1 {value = 0x7FC00000 : f32} : f32
  %ca = arith.andi %c, %c2 : i1
  %neg = arith.negf %us#1 : f32
  %e = arith.extf %neg : f32 to f64
  %h = constant %cs#2 {value = -0.1 : f16} : f16
  %hb = arith.bitcast %h : f16 to i16
  %sum = arith.addi %as#2, %bs#2 overflow<nsw> : i32
  %i = arith.index_castui %sum : i32 to index
  return %n, %ca, %e, %hb, %i : i32, i1, f64, i16, index
}
