// collatz: steps = 0; while (x > 1) { x = x odd ? 3 * x + 1 : x / 2; steps++; } result steps.
func.func @collatz_scf(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %r:2 = scf.while (%v = %x, %steps = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi sgt, %v, %one : i32
    scf.condition(%more) %v, %steps : i32, i32
  } do {
  ^bb0(%v: i32, %steps: i32):
    %odd = arith.trunci %v : i32 to i1
    %next = scf.if %odd -> (i32) {
      %triple = arith.muli %v, %three : i32
      %up = arith.addi %triple, %one : i32
      scf.yield %up : i32
    } else {
      %half = arith.shrui %v, %one : i32
      scf.yield %half : i32
    }
    %count = arith.addi %steps, %one : i32
    scf.yield %next, %count : i32, i32
  }
  return %r#1 : i32
}
