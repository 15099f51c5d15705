func.func @count(%a: memref<?xi32>, %n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0:3 = scf.while (%i = %zero, %sum = %zero) : (i32, i32) -> (i32, i32, i32) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %sum, %sum : i32, i32, i32
  } do {
  ^bb0(%i_0: i32, %sum_0: i32, %1: i32):
    %at = arith.index_cast %i_0 : i32 to index
    %x = memref.load %a[%at] : memref<?xi32>
    %next_sum = arith.addi %sum_0, %x : i32
    %next = arith.addi %i_0, %one overflow<nsw> : i32
    scf.yield %next, %next_sum : i32, i32
  }
  func.return %0#2 : i32
}
