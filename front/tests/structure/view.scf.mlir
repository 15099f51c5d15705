func.func @row(%a: memref<4x8xi32>, %c: i1, %i: index) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = scf.if %c -> (i32) {
    %row = memref.subview %a[%i, 0] [1, 8] [1, 1] : memref<4x8xi32> to memref<8xi32, strided<[1], offset: ?>>
    %x = memref.load %row[%i] : memref<8xi32, strided<[1], offset: ?>>
    %negative = arith.cmpi slt, %x, %zero : i32
    %1 = scf.if %negative -> (i32) {
      scf.yield %x : i32
    } else {
      memref.store %zero, %row[%i] : memref<8xi32, strided<[1], offset: ?>>
      scf.yield %zero : i32
    }
    scf.yield %1 : i32
  } else {
    scf.yield %zero : i32
  }
  func.return %0 : i32
}
