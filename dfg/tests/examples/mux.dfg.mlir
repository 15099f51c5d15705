// A mux takes the selector and the chosen input only; a selector out of range takes the last input.
// in: s 0 2 7 1
// in: a 10
// in: b 20
// in: c 30 31
// out: o 10 30 31 20
handshake.func @mux(%s: i4, %a: i32, %b: i32, %c: i32) -> (i32) attributes {resNames = ["o"]} {
  %o = mux %s [%a, %b, %c] : i4, i32
  return %o : i32
}
