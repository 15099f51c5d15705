// spmv: y = A x for a sparse A in CSR form; x is read where the column numbers say.
func.func @spmv(%starts: memref<?xi32> {llvm.noalias}, %columns: memref<?xi32> {llvm.noalias},
                %values: memref<?xi32> {llvm.noalias}, %x: memref<?xi32> {llvm.noalias},
                %y: memref<?xi32> {llvm.noalias}, %rows: index) {
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
      %column = memref.load %columns[%k] : memref<?xi32>
      %at = arith.index_cast %column : i32 to index
      %factor = memref.load %x[%at] : memref<?xi32>
      %p = arith.muli %v, %factor : i32
      %next = arith.addi %acc, %p : i32
      scf.yield %next : i32
    }
    memref.store %sum, %y[%r] : memref<?xi32>
  }
  return
}
