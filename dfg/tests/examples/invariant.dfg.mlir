// The older specification's example.
// in: d 1 1 0 1 1 1 1 0
// in: a 10 11
// out: o 10 10 10 11 11 11 11 11
handshake.func @invariant(%d: i1, %a: i32) -> (i32) attributes {resNames = ["o"]} {
  %o = dataflow.invariant %d, %a : i1, i32 -> i32
  return %o : i32
}
