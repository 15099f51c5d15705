func.func @f(%a: i32, %c: i1, %i: index) -> i32 {
  %b = arith.addi %a, %a, %a : i32
  %c0, %c1 = arith.constant 1 : i32
  %r:2 = scf.if %c -> (i32, i32) {
    scf.yield %a : i32
  } else {
    scf.yield %a, %a : i32, i32
  }
  %s = arith.addi %r#2, %a : i32
  func.call @g(%a) : (i32) -> ()
  scf.for %k = %i to %i step %i iter_args(%x = %a) -> (i32, i32) {
    scf.yield %x : i32
  }
  return %a, %a : i32
}
