// s = sum over i in 0..n of a[i] * b[i]: two memrefs, each at an address of its own.
func.func @axi_pair(%a: memref<?xi32> {llvm.noalias}, %b: memref<?xi32> {llvm.noalias}, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i32) {
    %x = memref.load %a[%i] : memref<?xi32>
    %y = memref.load %b[%i] : memref<?xi32>
    %p = arith.muli %x, %y : i32
    %next = arith.addi %acc, %p : i32
    scf.yield %next : i32
  }
  return %s : i32
}
