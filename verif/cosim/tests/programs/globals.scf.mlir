// A global that calls change and a constant one, each named more than once.
memref.global "private" @g : memref<4xi32> = dense<[1, 2, 3, 4]>
memref.global constant @t : memref<2x2xi32> = dense<[[5, 6], [7, 8]]>
func.func @f(%i: index) -> i32 {
  %c1 = arith.constant 1 : index
  %o = arith.constant 1 : i32
  %g = memref.get_global @g : memref<4xi32>
  %h = memref.get_global @g : memref<4xi32>
  %t = memref.get_global @t : memref<2x2xi32>
  %x = memref.load %g[%i] : memref<4xi32>
  %y = arith.addi %x, %o : i32
  memref.store %y, %h[%i] : memref<4xi32>
  %m = arith.andi %i, %c1 : index
  %w = memref.load %t[%m, %m] : memref<2x2xi32>
  %s = arith.addi %w, %x : i32
  return %s : i32
}
