handshake.func @f(%a: i32, %b: i32, %c: i32, %d: i32, %e: i1, %g: i1, ...) -> (i32) {
  %x = arith.addi %a, %b, %c : i32
  %y, %z = "arith.muli"(%d, %x) : (i32, i32) -> i32
  %v, %w, %u = "dataflow.gate"(%y, %e) : (i32, i1) -> (i32, i1)
  %n:2 = fork [3] %g : i1
  return %v : i32
}
