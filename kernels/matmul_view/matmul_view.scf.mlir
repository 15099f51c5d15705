// matmul_view: c = a * b, n times n without gaps: matrices are views of flat memory, as C code has them.
func.func @matmul_view(%a: memref<?xi32> {llvm.noalias}, %b: memref<?xi32> {llvm.noalias},
                       %c: memref<?xi32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %am = memref.reinterpret_cast %a to offset: [0], sizes: [%n, %n], strides: [%n, 1]
      : memref<?xi32> to memref<?x?xi32, strided<[?, 1]>>
  %bm = memref.reinterpret_cast %b to offset: [0], sizes: [%n, %n], strides: [%n, 1]
      : memref<?xi32> to memref<?x?xi32, strided<[?, 1]>>
  %cm = memref.reinterpret_cast %c to offset: [0], sizes: [%n, %n], strides: [%n, 1]
      : memref<?xi32> to memref<?x?xi32, strided<[?, 1]>>
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i32) {
        %x = memref.load %am[%i, %k] : memref<?x?xi32, strided<[?, 1]>>
        %y = memref.load %bm[%k, %j] : memref<?x?xi32, strided<[?, 1]>>
        %p = arith.muli %x, %y : i32
        %next = arith.addi %acc, %p : i32
        scf.yield %next : i32
      }
      memref.store %sum, %cm[%i, %j] : memref<?x?xi32, strided<[?, 1]>>
    }
  }
  return
}
