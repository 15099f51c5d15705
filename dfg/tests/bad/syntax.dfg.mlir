handshake.func @f(%a: i32, %b: i32, %c: i1, ...) -> (i32) {
  %x = arith.addi %a %b : i32
  %t, %e = cond_br %c %x : i32
  sink %t : i32
  return %e : i32
}
