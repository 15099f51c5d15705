// A subview with an open offset, a collapsed view and the memref itself, all of one root.
func.func @f(%a: memref<4x4xi32> {llvm.noalias}, %o1: index, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %v = memref.subview %a[%o1, 1] [2, 2] [1, 2] : memref<4x4xi32> to memref<2x2xi32, strided<[4, 2], offset: ?>>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<4x4xi32> into memref<16xi32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (i32) {
    %r = arith.andi %i, %c1 : index
    %x = memref.load %v[%r, %c1] : memref<2x2xi32, strided<[4, 2], offset: ?>>
    %q = arith.addi %x, %acc : i32
    memref.store %q, %flat[%i] : memref<16xi32>
    %w = memref.load %a[%r, %r] : memref<4x4xi32>
    memref.store %w, %v[%c1, %r] : memref<2x2xi32, strided<[4, 2], offset: ?>>
    scf.yield %q : i32
  }
  return %s : i32
}
