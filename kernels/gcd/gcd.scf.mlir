// gcd by subtraction: while (a != b) the greater loses the smaller; both start above zero. Result the
// common divisor.
func.func @gcd(%a: i32, %b: i32) -> i32 {
  %r:2 = scf.while (%x = %a, %y = %b) : (i32, i32) -> (i32, i32) {
    %differ = arith.cmpi ne, %x, %y : i32
    scf.condition(%differ) %x, %y : i32, i32
  } do {
  ^bb0(%x: i32, %y: i32):
    %greater = arith.cmpi sgt, %x, %y : i32
    %next:2 = scf.if %greater -> (i32, i32) {
      %d = arith.subi %x, %y : i32
      scf.yield %d, %y : i32, i32
    } else {
      %d = arith.subi %y, %x : i32
      scf.yield %x, %d : i32, i32
    }
    scf.yield %next#0, %next#1 : i32, i32
  }
  return %r#0 : i32
}
