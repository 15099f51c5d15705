// Memory, views and globals.
#strided = strided<[8, 2], offset: ?>
memref.global "private" constant @table : memref<2x2xf32> = dense<[[0.0, 2.0], [1.0, -3.5]]> {alignment = 16 : i64}
memref.global @zero : memref<0x4xi32> = dense<>
memref.global @splat : memref<4xi8> = dense<-1>
memref.global "private" @raw : memref<3xi16> = dense<"0x01000200FFFF">
memref.global @later : memref<1024xi32> = uninitialized
memref.global "private" @outside : memref<i1>
func.func @access(%m: memref<4x4xi32> {llvm.noalias}, %d: memref<?xi32, 1>, %one: memref<f32>, %i: index) -> f32 {
  %v = memref.load %m[%i, %i] {nontemporal = true} : memref<4x4xi32>
  memref.store %v, %d[%i] : memref<?xi32, 1>
  %f = memref.load %one[] : memref<f32>
  %a = memref.alloc() : memref<16xi32>
  %b = memref.alloca(%i) {alignment = 64 : i64} : memref<4x?xf64>
  memref.dealloc %a : memref<16xi32>
  %g = memref.get_global @table : memref<2x2xf32>
  %c0 = arith.constant 0 : index
  %n = memref.dim %d, %c0 : memref<?xi32>
  return %f : f32
}
func.func @views(%m: memref<8x8xi32>, %d: memref<?xi32>, %i: index, %n: index) {
  %cast = memref.cast %m : memref<8x8xi32> to memref<?x8xi32>
  %all = memref.subview %m[0, 0] [8, 8] [1, 1] : memref<8x8xi32> to memref<8x8xi32, strided<[8, 1]>>
  %s = memref.subview %m[%i, 1][4, 3][1, 2] : memref<8x8xi32> to memref<4x3xi32, #strided>
  %row = memref.subview %m[2, 0] [1, 8] [1, 1] : memref<8x8xi32> to memref<8xi32, strided<[1], offset: 16>>
  %dyn = memref.subview %d[%i] [%n] [1] : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>>
  %r = memref.reinterpret_cast %d to offset: [%i], sizes: [4, %n], strides: [%n, 1] : memref<?xi32> to memref<4x?xi32, strided<[?, 1], offset: ?>>
  %flat = memref.reinterpret_cast %m to offset: [0], sizes: [64], strides: [1] : memref<8x8xi32> to memref<64xi32, strided<[1], offset: 0>>
  %c = memref.collapse_shape %m [[0, 1]] : memref<8x8xi32> into memref<64xi32>
  %e = memref.expand_shape %c [[0, 1, 2]] output_shape [4, 2, 8] : memref<64xi32> into memref<4x2x8xi32>
  %x = memref.expand_shape %d [[0, 1]] output_shape [%n, 4] : memref<?xi32> into memref<?x4xi32>
  return
}
