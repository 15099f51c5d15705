handshake.func @f(%a: i32, ...) -> (i32) {
  %x = arith.addi %a, %a : i32
  return %x : i32
}
