// alias_copy: for i in 0..n: dst[i] = src[i] + 1. The arguments may overlap, so all accesses keep the order
// of the program: with dst one word behind src each iteration reads what the one before stored.
func.func @alias_copy(%src: memref<?xi32>, %dst: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %src[%i] : memref<?xi32>
    %y = arith.addi %x, %one : i32
    memref.store %y, %dst[%i] : memref<?xi32>
  }
  return
}
