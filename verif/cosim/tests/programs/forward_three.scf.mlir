// A word that three iterations later writes: read first, then overwritten.
func.func @f(%a: memref<16xi32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c3 : index
    %x = memref.load %a[%j] : memref<16xi32>
    memref.store %x, %a[%i] : memref<16xi32>
  }
  return
}
