handshake.func @f(%value: i32, %b: i32, ...) -> (i32) {
  %x:2 = fork [2] %b : i32
  %sum = arith.addi %valve, %x#0 : i32
  %r = arith.addi %sum, %x#2 : i32
  sink %value : i32
  sink %x#1 : i32
  return %r : i32
}
