// Immediates where only a token can say when something happens.
handshake.func @immediate_places(%x: i32, %d: i1, %ctl: none, ...) -> (i32, i32, i32, none) {
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %sum = arith.addi %three, %four : i32
  %kept = dataflow.carry %d, %three, %x : i1, i32, i32 -> i32
  return %sum, %kept, %four, %ctl : i32, i32, i32, none
}
