// One addition.
handshake.func @sum(%a: i32, %b: i32, ...) -> (i32)
    attributes {argNames = ["a", "b"], resNames = ["r"]} {
  %r = arith.addi %a, %b : i32
  return %r : i32
}
