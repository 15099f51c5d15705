handshake.func @f(%A: memref<4x4xi32>, %B: memref<i32>, %C: memref<4xvector<2xi32>>, %D: memref<4xi32, strided<[1]>>, %E: memref<99999999999999999999xi32>, %i: index) -> (index) {
  %x = arith.addi %i, %y : memref<4xi32>
  return %x : index
}
