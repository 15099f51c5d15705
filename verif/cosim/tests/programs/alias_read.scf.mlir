// Two arguments that overlap by an offset; every read may see an earlier store.
func.func @f(%a: memref<16xi32>, %b: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %b[%i] : memref<8xi32>
    %y = arith.muli %x, %x : i32
    memref.store %y, %a[%i] : memref<16xi32>
  }
  return
}
