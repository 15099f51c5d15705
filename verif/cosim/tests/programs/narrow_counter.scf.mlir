// An i8 induction value over the whole range, with a step that does not divide it.
func.func @f(%a: memref<16xi32> {llvm.noalias}, %l: i8, %u: i8) -> i8 {
  %mask = arith.constant 15 : i8
  %st = arith.constant 3 : i8
  %z8 = arith.constant 0 : i8
  %r = scf.for %i = %l to %u step %st iter_args(%x = %z8) -> (i8) : i8 {
    %y = arith.addi %x, %i : i8
    %k = arith.andi %i, %mask : i8
    %e = arith.extui %k : i8 to i32
    %j = arith.index_cast %e : i32 to index
    %v = arith.extsi %y : i8 to i32
    memref.store %v, %a[%j] : memref<16xi32>
    scf.yield %y : i8
  }
  return %r : i8
}
