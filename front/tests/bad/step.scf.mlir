func.func @f(%n: index, %m: i32) {
  %c0 = arith.constant 0 : index
  %minus = arith.constant -1 : i32
  scf.for %i = %c0 to %n step %c0 {
  }
  scf.for %i = %m to %m step %minus : i32 {
  }
  return
}
