// downcount: for (i = n - 1; i >= 0; i--) h = 3 * h + a[i]: a while with a negative step and a signed end;
// result h.
func.func @downcount(%a: memref<?xi32> {llvm.noalias}, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %minus = arith.constant -1 : index
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %last = arith.subi %n, %c1 : index
  %r:2 = scf.while (%i = %last, %h = %zero) : (index, i32) -> (index, i32) {
    %more = arith.cmpi sge, %i, %c0 : index
    scf.condition(%more) %i, %h : index, i32
  } do {
  ^bb0(%i: index, %h: i32):
    %x = memref.load %a[%i] : memref<?xi32>
    %triple = arith.muli %h, %three : i32
    %next = arith.addi %triple, %x : i32
    %down = arith.addi %i, %minus : index
    scf.yield %down, %next : index, i32
  }
  return %r#1 : i32
}
