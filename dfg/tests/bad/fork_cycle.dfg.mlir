handshake.func @f(%a: i32, ...) -> (i32) {
  %x:2 = fork [2] %y : i32
  %y = buffer [1] fifo %x#0 : i32
  %z = arith.addi %a, %x#1 : i32
  return %z : i32
}
