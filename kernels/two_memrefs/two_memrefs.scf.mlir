// two_memrefs: for i in 0..n: a[i], b[i] = b[i] + 1, a[i] * 2. Both are read and written; each keeps its
// own order.
func.func @two_memrefs(%a: memref<?xi32> {llvm.noalias}, %b: memref<?xi32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi32>
    %y = memref.load %b[%i] : memref<?xi32>
    %y1 = arith.addi %y, %one : i32
    %x2 = arith.shli %x, %one : i32
    memref.store %y1, %a[%i] : memref<?xi32>
    memref.store %x2, %b[%i] : memref<?xi32>
  }
  return
}
