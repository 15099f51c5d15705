// A fence in a loop.
func.func @f(%a: memref<16xi32> {llvm.noalias}, %b: memref<16xi32> {llvm.noalias}, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (i32) {
    %x = memref.load %a[%i] : memref<16xi32>
    "loom.fence"() : () -> ()
    memref.store %x, %b[%i] : memref<16xi32>
    %q = arith.addi %acc, %x : i32
    scf.yield %q : i32
  }
  %y = memref.load %b[%c1] : memref<16xi32>
  %r = arith.addi %s, %y : i32
  return %r : i32
}
