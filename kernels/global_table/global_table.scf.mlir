// global_table: for i in 0..n: out[i] = squares[in[i] & 15], a table of constants beside the program.
memref.global "private" constant @squares : memref<16xi32> = dense<[
  0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, -225]>

func.func @global_table(%in: memref<?xi32> {llvm.noalias}, %out: memref<?xi32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mask = arith.constant 15 : i32
  %table = memref.get_global @squares : memref<16xi32>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %in[%i] : memref<?xi32>
    %low = arith.andi %x, %mask : i32
    %at = arith.index_cast %low : i32 to index
    %y = memref.load %table[%at] : memref<16xi32>
    memref.store %y, %out[%i] : memref<?xi32>
  }
  return
}
