handshake.func @f(%a: i32, %b: i32, %c: i1, ...) -> (i32) {
  %t, %e = cond_br %c, %a : i32
  %f:2 = fork [2] %e : i32
  return %f#0 : i32
}
