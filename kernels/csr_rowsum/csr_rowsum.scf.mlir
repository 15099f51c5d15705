// csr_rowsum: for r in 0..rows: sums[r] = sum of values[starts[r] .. starts[r + 1]]; rows may be empty, so
// the inner loop runs zero times among others.
func.func @csr_rowsum(%starts: memref<?xi32> {llvm.noalias}, %values: memref<?xi32> {llvm.noalias},
                      %sums: memref<?xi32> {llvm.noalias}, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.for %r = %c0 to %rows step %c1 {
    %after = arith.addi %r, %c1 : index
    %first = memref.load %starts[%r] : memref<?xi32>
    %end = memref.load %starts[%after] : memref<?xi32>
    %lb = arith.index_cast %first : i32 to index
    %ub = arith.index_cast %end : i32 to index
    %sum = scf.for %k = %lb to %ub step %c1 iter_args(%acc = %zero) -> (i32) {
      %v = memref.load %values[%k] : memref<?xi32>
      %next = arith.addi %acc, %v : i32
      scf.yield %next : i32
    }
    memref.store %sum, %sums[%r] : memref<?xi32>
  }
  return
}
