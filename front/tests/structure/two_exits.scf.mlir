func.func @two(%a: memref<?xi32>, %n: i32, %key: i32) -> i32 {
  %0 = arith.constant 4 : index
  %1 = arith.constant 3 : index
  %2 = ub.poison : index
  %3 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : index
  %i, %at, %4 = scf.while (%i_0 = %zero) : (i32) -> (i32, index, index) {
    %more = arith.cmpi slt, %i_0, %n : i32
    %at_0, %5 = scf.if %more -> (index, index) {
      %at_1 = arith.index_cast %i_0 : i32 to index
      %x = memref.load %a[%at_1] : memref<?xi32>
      %found = arith.cmpi eq, %x, %key : i32
      %6 = arith.select %found, %0, %1 : index
      scf.yield %at_1, %6 : index, index
    } else {
      scf.yield %2, %3 : index, index
    }
    %7 = arith.cmpi eq, %5, %1 : index
    scf.condition(%7) %i_0, %at_0, %5 : i32, index, index
  } do {
  ^bb0(%i_1: i32, %at_2: index, %8: index):
    %j = arith.addi %i_1, %one : i32
    scf.yield %j : i32
  }
  %9 = arith.cmpi eq, %4, %0 : index
  %10 = scf.if %9 -> (i32) {
    memref.store %zero, %a[%at] : memref<?xi32>
    scf.yield %i : i32
  } else {
    memref.store %key, %a[%start] : memref<?xi32>
    scf.yield %one : i32
  }
  func.return %10 : i32
}
