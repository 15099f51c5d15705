// A word that two iterations before wrote: the loop must stay in line.
func.func @f(%a: memref<16xi32> {llvm.noalias}, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %o = arith.constant 1 : i32
  scf.for %i = %c2 to %n step %c1 {
    %j = arith.subi %i, %c2 : index
    %x = memref.load %a[%j] : memref<16xi32>
    %y = arith.addi %x, %o : i32
    memref.store %y, %a[%i] : memref<16xi32>
  }
  return
}
