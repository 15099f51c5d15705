// An allocation in a loop: a fresh one each time, one memory on chip.
func.func @f(%a: memref<16xi32> {llvm.noalias}, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %c4 = arith.constant 4 : index
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (i32) {
    %t = memref.alloca() : memref<4xi32>
    scf.for %j = %c0 to %c4 step %c1 {
      %x = memref.load %a[%j] : memref<16xi32>
      %e = arith.index_cast %i : index to i32
      %y = arith.addi %x, %e : i32
      memref.store %y, %t[%j] : memref<4xi32>
    }
    %u = scf.for %j = %c0 to %c4 step %c1 iter_args(%q = %acc) -> (i32) {
      %x = memref.load %t[%j] : memref<4xi32>
      %y = arith.addi %q, %x : i32
      scf.yield %y : i32
    }
    scf.yield %u : i32
  }
  return %s : i32
}
