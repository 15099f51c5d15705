handshake.func @f(%a: index, %b: index, %c: index, %x: i32, %y: i32, %n: none, %m: none, ...) -> (index, i1, i1, i32, i32)
    attributes {argNames = ["a", "b"], resNames = 5, loom.adg_max_join_fanin = 100 : i32, loom.profile = ["c 1"]} {
  %i, %k = dataflow.stream %a, %b, %c {step_op = "%=", cont_cond = "=="} : (index, index, index) -> (index, i1)
  %i2, %k2 = dataflow.stream %a, %b, %c {unsigned = 5} : (index, index, index) -> (index, i1)
  %p = arith.cmpi lt, %x, %y : i32
  %q = constant %n : i32
  %r = constant %m {value = 1 : i32, value = 2 : i32} : i32
  return %i, %k, %p, %q, %r : index, i1, i1, i32, i32
}
