// threshold: how many of a[0..n] are above limit. The count moves on one side of the if only.
func.func @threshold(%a: memref<?xi32> {llvm.noalias}, %n: index, %limit: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i32) {
    %x = memref.load %a[%i] : memref<?xi32>
    %above = arith.cmpi sgt, %x, %limit : i32
    %next = scf.if %above -> (i32) {
      %more = arith.addi %acc, %one : i32
      scf.yield %more : i32
    } else {
      scf.yield %acc : i32
    }
    scf.yield %next : i32
  }
  return %count : i32
}
