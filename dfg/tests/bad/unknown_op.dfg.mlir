handshake.func @f(%a: i32, %b: i32, ...) -> (i32) {
  %x = arith.adi %a, %b : i32
  %y = dataflow.shift %x : i32 -> i32
  %z = "mystery.op"(%y) : (i32) -> i32
  return %z : i32
}
