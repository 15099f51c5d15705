memref.global @dynamic : memref<?xi32>
func.func @f(%m: memref<8x8xi32>, %d: memref<?xi32>, %i: index, %s: memref<4x4xi32, strided<[8, 1]>>) {
  %0 = memref.load %m[%i] : memref<8x8xi32>
  memref.store %0, %d[%i, %i] : memref<?xi32>
  %1 = memref.cast %m : memref<8x8xi32> to memref<8x4xi32>
  %2 = memref.subview %m[0, 5] [8, 4] [1, 1] : memref<8x8xi32> to memref<8x4xi32, strided<[8, 1], offset: 5>>
  %3 = memref.subview %m[0, 4] [8, 4] [1, 1] : memref<8x8xi32> to memref<8x4xi32, strided<[8, 1], offset: 3>>
  %4 = memref.subview %m[0] [8] [1] : memref<8x8xi32> to memref<8xi32>
  %5 = memref.subview %m[-1, 0] [1, 8] [1, 1] : memref<8x8xi32> to memref<8xi32>
  %6 = memref.reinterpret_cast %d to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<?xi32> to memref<4x5xi32>
  %7 = memref.collapse_shape %m [[0, 1]] : memref<8x8xi32> into memref<63xi32>
  %8 = memref.collapse_shape %s [[0, 1]] : memref<4x4xi32, strided<[8, 1]>> into memref<16xi32>
  %9 = memref.collapse_shape %m [[1, 0]] : memref<8x8xi32> into memref<64xi32>
  %10 = memref.expand_shape %m [[0, 1], [2]] output_shape [2, 3, 8] : memref<8x8xi32> into memref<2x3x8xi32>
  %11 = memref.expand_shape %m [[0, 1], [2]] output_shape [2, 4, 8] : memref<8x8xi32> into memref<4x2x8xi32>
  %12 = memref.alloc() : memref<4xi32, strided<[2]>>
  %c2 = arith.constant 2 : index
  %13 = memref.dim %m, %c2 : memref<8x8xi32>
  %14 = memref.alloc() : memref<4000000000x4000000000xi32>
  return
}
