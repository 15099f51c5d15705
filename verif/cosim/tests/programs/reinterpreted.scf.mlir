// A reinterpreted view with open stride and offset beside direct stores.
func.func @f(%a: memref<16xi32> {llvm.noalias}, %s: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = arith.constant 1 : i32
  %v = memref.reinterpret_cast %a to offset: [%c1], sizes: [%n], strides: [%s] : memref<16xi32> to memref<?xi32, strided<[?], offset: ?>>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %v[%i] : memref<?xi32, strided<[?], offset: ?>>
    %y = arith.addi %x, %o : i32
    memref.store %y, %a[%i] : memref<16xi32>
  }
  return
}
