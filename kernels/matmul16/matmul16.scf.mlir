// matmul16: c = a * b, all 16 times 16: every bound is known, so every loop is proved to run.
func.func @matmul16(%a: memref<16x16xi32> {llvm.noalias}, %b: memref<16x16xi32> {llvm.noalias},
                    %c: memref<16x16xi32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c16 step %c1 {
      %sum = scf.for %k = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> (i32) {
        %x = memref.load %a[%i, %k] : memref<16x16xi32>
        %y = memref.load %b[%k, %j] : memref<16x16xi32>
        %p = arith.muli %x, %y : i32
        %next = arith.addi %acc, %p : i32
        scf.yield %next : i32
      }
      memref.store %sum, %c[%i, %j] : memref<16x16xi32>
    }
  }
  return
}
