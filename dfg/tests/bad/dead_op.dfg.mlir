handshake.func @f(%a: i32, %b: i32, %c: i32, %d: i32, ...) -> (i32) {
  %x = arith.muli %a, %b : i32
  %y = arith.trunci %x : i32 to i1
  sink %y : i1
  %z = arith.addi %c, %d : i32
  return %z : i32
}
