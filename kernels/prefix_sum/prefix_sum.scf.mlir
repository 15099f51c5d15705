// prefix_sum: in place. for i in 1..n: a[i] += a[i - 1]; each iteration reads what the one before stored.
func.func @prefix_sum(%a: memref<?xi32> {llvm.noalias}, %n: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %c1 to %n step %c1 {
    %before = arith.subi %i, %c1 : index
    %sum = memref.load %a[%before] : memref<?xi32>
    %x = memref.load %a[%i] : memref<?xi32>
    %next = arith.addi %sum, %x : i32
    memref.store %next, %a[%i] : memref<?xi32>
  }
  return
}
