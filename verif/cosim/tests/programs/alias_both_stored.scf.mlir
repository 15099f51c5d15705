// Stores to either of two overlapping arguments, order inside an iteration included.
func.func @f(%a: memref<16xi32>, %b: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<16xi32>
    memref.store %x, %b[%i] : memref<8xi32>
    %y = memref.load %a[%c3] : memref<16xi32>
    memref.store %y, %b[%c0] : memref<8xi32>
  }
  return
}
