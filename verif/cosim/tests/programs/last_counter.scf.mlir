// A counting loop whose last value is used behind it.
func.func @f(%n: index, %a: memref<16xi32> {llvm.noalias}) -> (index, i32) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %m1 = arith.constant -3 : index
  %r:2 = scf.while (%i = %n, %s = %z) : (index, i32) -> (index, i32) {
    %go = arith.cmpi sge, %i, %c0 : index
    scf.condition(%go) %i, %s : index, i32
  } do {
  ^bb0(%i: index, %s: i32):
    %x = memref.load %a[%i] : memref<16xi32>
    %y = arith.addi %s, %x : i32
    memref.store %y, %a[%i] : memref<16xi32>
    %k = arith.addi %i, %m1 overflow<nsw> : index
    scf.yield %k, %y : index, i32
  }
  return %r#0, %r#1 : index, i32
}
