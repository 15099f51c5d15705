// A view is made where it is used: no memref depends on the way.
func.func @row(%a: memref<4x8xi32>, %c: i1, %i: index) -> i32 {
  %zero = arith.constant 0 : i32
  cf.cond_br %c, ^row, ^end(%zero : i32)
^row:
  %row = memref.subview %a[%i, 0] [1, 8] [1, 1] : memref<4x8xi32> to memref<8xi32, strided<[1], offset: ?>>
  %x = memref.load %row[%i] : memref<8xi32, strided<[1], offset: ?>>
  %negative = arith.cmpi slt, %x, %zero : i32
  cf.cond_br %negative, ^end(%x : i32), ^store
^store:
  memref.store %zero, %row[%i] : memref<8xi32, strided<[1], offset: ?>>
  cf.br ^end(%zero : i32)
^end(%r: i32):
  return %r : i32
}
