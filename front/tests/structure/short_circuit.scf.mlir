func.func @both(%a: memref<?xi32>, %i: index, %n: index, %k: i32) -> i32 {
  %0 = arith.constant false
  %one = arith.constant 1 : i32
  %less = arith.cmpi slt, %i, %n : index
  %1 = scf.if %less -> (i1) {
    %x = memref.load %a[%i] : memref<?xi32>
    %same = arith.cmpi eq, %x, %k : i32
    scf.yield %same : i1
  } else {
    scf.yield %0 : i1
  }
  %2 = scf.if %1 -> (i32) {
    memref.store %one, %a[%i] : memref<?xi32>
    scf.yield %one : i32
  } else {
    %j = arith.index_cast %i : index to i32
    memref.store %j, %a[%n] : memref<?xi32>
    scf.yield %j : i32
  }
  func.return %2 : i32
}
