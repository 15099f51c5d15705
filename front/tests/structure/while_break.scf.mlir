func.func @find(%a: memref<?xi32>, %n: i32, %key: i32) -> i32 {
  %0 = arith.constant false
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant -1 : i32
  %i, %1 = scf.while (%i_0 = %zero) : (i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i_0, %n : i32
    %2:2 = scf.if %more -> (i32, i1) {
      %at = arith.index_cast %i_0 : i32 to index
      %x = memref.load %a[%at] : memref<?xi32>
      %3 = arith.cmpi ne, %x, %key : i32
      scf.yield %i_0, %3 : i32, i1
    } else {
      scf.yield %none, %0 : i32, i1
    }
    scf.condition(%2#1) %i_0, %2#0 : i32, i32
  } do {
  ^bb0(%i_1: i32, %4: i32):
    %j = arith.addi %i_1, %one : i32
    scf.yield %j : i32
  }
  func.return %1 : i32
}
