// One difference.
handshake.func @difference(%a: i32, %b: i32, ...) -> (i32)
    attributes {argNames = ["a", "b"], resNames = ["r"]} {
  %r = arith.subi %a, %b : i32
  return %r : i32
}
