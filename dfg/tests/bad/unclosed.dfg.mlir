handshake.func @f(%a: i32, ...) -> (i32)
    attributes {argNames = ["a]} {
  return %a : i32
