func.func @f(%a: memref<?xi32> {llvm.noalias, loom.view = 0 : i32}, %n: index {loom.most = 64 : i32, loom.least = -1 : i64}, %a_i8: memref<?xi8> {loom.view = 0 : i32, llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloca() {loom.banks = 4 : i64} : memref<16xi32>
  %k = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> {loom.banks = 2 : i64} : () -> memref<8xi8>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi32>
    memref.store %x, %m[%i] : memref<16xi32>
    %y = memref.load %a_i8[%i] : memref<?xi8>
    memref.store %y, %k[%i] : memref<8xi8>
  } {loom.independent, loom.unroll = 4 : i64}
  return
}
