// fence: data[i] = value + i for i in 0..n, and only then flag[0] = n. Nothing but the fence orders the two
// memrefs; what is read back from data comes after the flag as well. Result data[0] after the flag.
func.func @fence(%data: memref<?xi32> {llvm.noalias}, %flag: memref<1xi32> {llvm.noalias}, %n: index,
                 %value: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i32
    %x = arith.addi %value, %k : i32
    memref.store %x, %data[%i] : memref<?xi32>
  }
  "loom.fence"() : () -> ()
  %count = arith.index_cast %n : index to i32
  memref.store %count, %flag[%c0] : memref<1xi32>
  "loom.fence"() : () -> ()
  %first = memref.load %data[%c0] : memref<?xi32>
  return %first : i32
}
