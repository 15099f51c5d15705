// One mux.
handshake.func @mux(%s: i1, %a: i32, %b: i32, ...) -> (i32)
    attributes {argNames = ["s", "a", "b"], resNames = ["r"]} {
  %r = mux %s [%a, %b] : i1, i32
  return %r : i32
}
