// prefix_sum_out: out[i] = a[0] + ... + a[i] for i in 0..n; result the last sum.
func.func @prefix_sum_out(%a: memref<?xi32> {llvm.noalias}, %out: memref<?xi32> {llvm.noalias},
                          %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (i32) {
    %x = memref.load %a[%i] : memref<?xi32>
    %next = arith.addi %sum, %x : i32
    memref.store %next, %out[%i] : memref<?xi32>
    scf.yield %next : i32
  }
  return %total : i32
}
