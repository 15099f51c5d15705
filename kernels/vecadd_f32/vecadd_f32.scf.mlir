// vecadd_f32: for i in 0..n: c[i] = a[i] + b[i] in single precision.
func.func @vecadd_f32(%a: memref<?xf32> {llvm.noalias}, %b: memref<?xf32> {llvm.noalias},
                      %c: memref<?xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xf32>
    %y = memref.load %b[%i] : memref<?xf32>
    %s = arith.addf %x, %y : f32
    memref.store %s, %c[%i] : memref<?xf32>
  }
  return
}
