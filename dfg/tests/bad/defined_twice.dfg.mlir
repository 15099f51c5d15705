handshake.func @f(%a: i32, %b: i32, ...) -> (i32) {
  %b = arith.addi %a, %b : i32
  return %b : i32
}
