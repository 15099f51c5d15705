func.func @digits(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %0, %x = scf.while (%x_0 = %n, %count = %zero) : (i32, i32) -> (i32, i32) {
    %next = arith.divui %x_0, %ten : i32
    %more = arith.addi %count, %one : i32
    %again = arith.cmpi ne, %next, %zero : i32
    scf.condition(%again) %more, %next : i32, i32
  } do {
  ^bb0(%1: i32, %x_1: i32):
    scf.yield %x_1, %1 : i32, i32
  }
  func.return %0 : i32
}
