handshake.func @f(%a: i32, %c: i1, ...) -> (i32) {
  %x = arith.addi %a, %back : i32
  %t, %e = cond_br %c, %x : i32
  %back = buffer [2] seq %t : i32
  return %e : i32
}
