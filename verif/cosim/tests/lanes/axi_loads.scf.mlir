// s = sum over i in 0..n of a[i] * a[n - 1 - i]: two loads of one memref.
func.func @axi_loads(%a: memref<?xi32> {llvm.noalias}, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %last = arith.subi %n, %c1 : index
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i32) {
    %j = arith.subi %last, %i : index
    %x = memref.load %a[%i] : memref<?xi32>
    %y = memref.load %a[%j] : memref<?xi32>
    %p = arith.muli %x, %y : i32
    %next = arith.addi %acc, %p : i32
    scf.yield %next : i32
  }
  return %s : i32
}
