// Refused: the loop is never left.
func.func @forever(%a: memref<4xi32>, %x: i32) -> i32 {
  %at = arith.constant 0 : index
  %yes = arith.constant true
  %zero = arith.constant 0 : i32
  %go = arith.cmpi slt, %x, %zero : i32
  cf.cond_br %go, ^loop, ^end
^loop:
  memref.store %x, %a[%at] : memref<4xi32>
  cf.cond_br %yes, ^loop, ^end
^end:
  return %x : i32
}
