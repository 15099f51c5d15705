// Tested at its end: the body stands before the test, and runs once at least.
func.func @digits(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  cf.br ^body(%n, %zero : i32, i32)
^body(%x: i32, %count: i32):
  %next = arith.divui %x, %ten : i32
  %more = arith.addi %count, %one : i32
  %again = arith.cmpi ne, %next, %zero : i32
  cf.cond_br %again, ^body(%next, %more : i32, i32), ^end
^end:
  return %more : i32
}
