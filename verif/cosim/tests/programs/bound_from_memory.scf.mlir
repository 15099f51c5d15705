// A loop bound that comes from memory the loop before changed.
func.func @f(%a: memref<16xi32> {llvm.noalias}, %b: memref<16xi32> {llvm.noalias}, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mask = arith.constant 7 : i32
  scf.for %k = %c0 to %m step %c1 {
    %x = memref.load %a[%k] : memref<16xi32>
    %xx = arith.andi %x, %mask : i32
    %ub = arith.index_cast %xx : i32 to index
    scf.for %i = %c0 to %ub step %c2 {
      %y = memref.load %b[%i] : memref<16xi32>
      %w = arith.addi %y, %x : i32
      memref.store %w, %b[%i] : memref<16xi32>
      memref.store %w, %a[%i] : memref<16xi32>
    }
  }
  return
}
