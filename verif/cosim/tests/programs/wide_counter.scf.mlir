// An i64 induction value: wider than index, near its end.
func.func @f(%l: i64, %u: i64) -> i64 {
  %st = arith.constant 4611686018427387904 : i64
  %z8 = arith.constant 0 : i64
  %r = scf.for %i = %l to %u step %st iter_args(%x = %z8) -> (i64) : i64 {
    %y = arith.addi %x, %i : i64
    scf.yield %y : i64
  }
  return %r : i64
}
