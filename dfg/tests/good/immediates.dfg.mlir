handshake.func @immediates(%x: i32, %n: index, %c: i1, ...) -> (i32, index, i1, i32) {
  %three = arith.constant 3 : i32
  %half = arith.constant 0x3F000000 : f32
  %start = arith.constant 0 : index
  %step = arith.constant 1 : index
  %x_f:2 = fork [2] %x : i32
  %sum = arith.addi %x_f#0, %three : i32
  %i, %go = dataflow.stream %start, %step, %n
  %f = arith.bitcast %x_f#1 : i32 to f32
  %twice = arith.mulf %f, %half : f32
  %bits = arith.bitcast %twice : f32 to i32
  sink %c : i1
  %product = arith.muli %sum, %three : i32
  %total = arith.addi %product, %bits : i32
  %total_f:2 = fork [2] %total : i32
  return %total_f#0, %i, %go, %total_f#1 : i32, index, i1, i32
}
