// scratch: squares of 0..8 times scale go to memory of the function's own, and come back in reverse order.
// The memory is on chip: no argument names it.
func.func @scratch(%out: memref<8xi32> {llvm.noalias}, %scale: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %local = memref.alloca() : memref<8xi32>
  scf.for %i = %c0 to %c8 step %c1 {
    %k = arith.index_cast %i : index to i32
    %square = arith.muli %k, %k : i32
    %x = arith.muli %square, %scale : i32
    memref.store %x, %local[%i] : memref<8xi32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %j = arith.subi %c7, %i : index
    %x = memref.load %local[%j] : memref<8xi32>
    memref.store %x, %out[%i] : memref<8xi32>
  }
  return
}
