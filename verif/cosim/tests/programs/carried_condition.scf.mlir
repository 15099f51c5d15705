// A while whose condition is carried, and one whose condition is a constant.
func.func @f(%x: i32, %b: i1) -> (i32, i1, i32) {
  %o = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %false = arith.constant false
  %r:2 = scf.while (%c = %b, %i = %x) : (i1, i32) -> (i1, i32) {
    scf.condition(%c) %c, %i : i1, i32
  } do {
  ^bb0(%c: i1, %i: i32):
    %j = arith.addi %i, %o : i32
    %d = arith.cmpi slt, %j, %ten : i32
    scf.yield %d, %j : i1, i32
  }
  %q = scf.while (%i = %x) : (i32) -> i32 {
    scf.condition(%false) %i : i32
  } do {
  ^bb0(%i: i32):
    scf.yield %i : i32
  }
  return %r#1, %r#0, %q : i32, i1, i32
}
