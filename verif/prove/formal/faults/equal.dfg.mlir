// One comparison.
handshake.func @equal(%a: i32, %b: i32, ...) -> (i1)
    attributes {argNames = ["a", "b"], resNames = ["r"]} {
  %r = arith.cmpi eq, %a, %b : i32
  return %r : i1
}
