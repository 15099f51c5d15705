module {
  handshake.func @f(%a: i32, ...) -> (i32) {
    return %a : i32
  }
  handshake.func @g(%a: i32, ...) -> (i32) {
    return %a : i32
  }
}
