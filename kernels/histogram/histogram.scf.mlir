// histogram: for i in 0..n: bins[data[i] & 15] += 1. The bin's address depends on data, so bins stay in
// order.
func.func @histogram(%data: memref<?xi32> {llvm.noalias}, %bins: memref<16xi32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %mask = arith.constant 15 : i32
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %data[%i] : memref<?xi32>
    %low = arith.andi %x, %mask : i32
    %bin = arith.index_cast %low : i32 to index
    %old = memref.load %bins[%bin] : memref<16xi32>
    %new = arith.addi %old, %one : i32
    memref.store %new, %bins[%bin] : memref<16xi32>
  }
  return
}
