handshake.func @f(%a: i32, %b: i32, ...) -> (i32, i8) {
  %x = arith.addi %a, %b : i32
  return %x : i32
}
