// Open extents, inner and outer, as index arguments behind the others.
func.func @f(%a: memref<?x?xi32> {llvm.noalias}, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = memref.dim %a, %c0 : memref<?x?xi32>
  %d1 = memref.dim %a, %c1 : memref<?x?xi32>
  scf.for %i = %c0 to %d0 step %c1 {
    scf.for %j = %c0 to %d1 step %c1 {
      %x = memref.load %a[%i, %j] : memref<?x?xi32>
      %y = arith.muli %x, %x : i32
      memref.store %y, %a[%i, %j] : memref<?x?xi32>
    }
  }
  %r = arith.muli %d0, %d1 : index
  return %r : index
}
