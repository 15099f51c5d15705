// An argument whose layout walks backwards: its memory reaches to the offset.
func.func @f(%a: memref<4xi32, strided<[-1], offset: 3>> {llvm.noalias}, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (i32) {
    %x = memref.load %a[%i] : memref<4xi32, strided<[-1], offset: 3>>
    %t = arith.muli %acc, %two : i32
    %y = arith.addi %t, %x : i32
    memref.store %y, %a[%i] : memref<4xi32, strided<[-1], offset: 3>>
    scf.yield %y : i32
  }
  return %s : i32
}
