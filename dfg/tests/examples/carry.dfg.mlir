// The older specification's example: a = A B, b = C D E F G H, d = T T F T T T T F gives A C D B E F G H.
// in: d 1 1 0 1 1 1 1 0
// in: a 10 11
// in: b 12 13 14 15 16 17
// out: o 10 12 13 11 14 15 16 17
handshake.func @carry(%d: i1, %a: i32, %b: i32) -> (i32) attributes {resNames = ["o"]} {
  %o = dataflow.carry %d, %a, %b : i1, i32, i32 -> i32
  return %o : i32
}
