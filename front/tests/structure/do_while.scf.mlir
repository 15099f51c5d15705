func.func @digits(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %count, %next = scf.while (%x = %n, %count_0 = %zero) : (i32, i32) -> (i32, i32) {
    %next_0 = arith.divui %x, %ten : i32
    %again = arith.cmpi ne, %next_0, %zero : i32
    scf.condition(%again) %count_0, %next_0 : i32, i32
  } do {
  ^bb0(%count_1: i32, %next_1: i32):
    %more = arith.addi %count_1, %one : i32
    scf.yield %next_1, %more : i32, i32
  }
  %more_0 = arith.addi %count, %one : i32
  func.return %more_0 : i32
}
