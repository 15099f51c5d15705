// matmul: c = a * b for the upper left n times n parts of matrices with rows of 16 words, n up to 16.
func.func @matmul(%a: memref<?x16xi32> {llvm.noalias}, %b: memref<?x16xi32> {llvm.noalias},
                  %c: memref<?x16xi32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i32) {
        %x = memref.load %a[%i, %k] : memref<?x16xi32>
        %y = memref.load %b[%k, %j] : memref<?x16xi32>
        %p = arith.muli %x, %y : i32
        %next = arith.addi %acc, %p : i32
        scf.yield %next : i32
      }
      memref.store %sum, %c[%i, %j] : memref<?x16xi32>
    }
  }
  return
}
