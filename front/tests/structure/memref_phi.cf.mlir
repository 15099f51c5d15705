// Refused: which memref it is depends on the way.
func.func @either(%a: memref<4xi32>, %b: memref<4xi32>, %c: i1) -> i32 {
  %at = arith.constant 0 : index
  cf.cond_br %c, ^end(%a : memref<4xi32>), ^end(%b : memref<4xi32>)
^end(%m: memref<4xi32>):
  %x = memref.load %m[%at] : memref<4xi32>
  return %x : i32
}
