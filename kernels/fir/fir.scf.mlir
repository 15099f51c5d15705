// fir: eight taps. for i in 0..n: y[i] = sum over t in 0..8 of x[i + t] * h[t]; x has n + 7 words.
func.func @fir(%x: memref<?xi32> {llvm.noalias}, %h: memref<8xi32> {llvm.noalias},
               %y: memref<?xi32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %c1 {
    %sum = scf.for %t = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (i32) {
      %at = arith.addi %i, %t : index
      %sample = memref.load %x[%at] : memref<?xi32>
      %tap = memref.load %h[%t] : memref<8xi32>
      %product = arith.muli %sample, %tap : i32
      %next = arith.addi %acc, %product : i32
      scf.yield %next : i32
    }
    memref.store %sum, %y[%i] : memref<?xi32>
  }
  return
}
