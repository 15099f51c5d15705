// Swaps a[i] and a[n - 1 - i] for i in 0..n/2: two loads and two stores of one memref, in place.
func.func @axi_swap(%a: memref<?xi32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.shrui %n, %c1 : index
  %last = arith.subi %n, %c1 : index
  scf.for %i = %c0 to %half step %c1 {
    %j = arith.subi %last, %i : index
    %x = memref.load %a[%i] : memref<?xi32>
    %y = memref.load %a[%j] : memref<?xi32>
    memref.store %y, %a[%i] : memref<?xi32>
    memref.store %x, %a[%j] : memref<?xi32>
  }
  return
}
