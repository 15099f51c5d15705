func.func @count(%a: memref<?xi32>, %n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i, %sum = scf.while (%i_0 = %zero, %sum_0 = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i_0, %n : i32
    scf.condition(%more) %i_0, %sum_0 : i32, i32
  } do {
  ^bb0(%i_1: i32, %sum_1: i32):
    %at = arith.index_cast %i_1 : i32 to index
    %x = memref.load %a[%at] : memref<?xi32>
    %next_sum = arith.addi %sum_1, %x : i32
    %next = arith.addi %i_1, %one overflow<nsw> : i32
    scf.yield %next, %next_sum : i32, i32
  }
  func.return %sum : i32
}
