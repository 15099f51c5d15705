// reverse: in place. for i in 0..n/2: swap a[i] and a[n - 1 - i]; four accesses of one memref in an
// iteration.
func.func @reverse(%a: memref<?xi32> {llvm.noalias}, %n: index) {
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
