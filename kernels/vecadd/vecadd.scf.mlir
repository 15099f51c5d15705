// vecadd: for i in 0..n: c[i] = a[i] + b[i]. No argument overlaps another, so nothing orders the
// iterations.
func.func @vecadd(%a: memref<?xi32> {llvm.noalias}, %b: memref<?xi32> {llvm.noalias},
                  %c: memref<?xi32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi32>
    %y = memref.load %b[%i] : memref<?xi32>
    %s = arith.addi %x, %y : i32
    memref.store %s, %c[%i] : memref<?xi32>
  }
  return
}
