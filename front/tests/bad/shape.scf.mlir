memref.global @dynamic : memref<?xi32>
memref.global @wrong : memref<2x2xi32> = dense<[1, 2, 3, 4]>
func.func @f(%m: memref<8x8xi32>, %d: memref<?xi32>, %i: index, %s: memref<4x4xi32, strided<[8, 1]>>, %t: memref<4xi32, strided<[1, 1]>>) {
  return
}
