// A bound at the end of the range.
func.func @f(%n: i32) -> i32 {
  %z = arith.constant 0 : i32
  %o = arith.constant 1 : i32
  %start = arith.constant 2147483640 : i32
  %r = scf.for %i = %start to %n step %o iter_args(%x = %z) -> (i32) : i32 {
    %y = arith.addi %x, %o : i32
    scf.yield %y : i32
  }
  return %r : i32
}
