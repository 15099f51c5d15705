handshake.func @f(%a: i32, %b: i8, %c: i32, %s: i8, ...) -> (i32, index) {
  %x = arith.addi %a, %b : i32
  %y = arith.extsi %x : i32 to i16
  %z = "dataflow.carry"(%s, %y, %c) : (i8, i16, i32) -> i32
  %i = arith.index_cast %z : i32 to i64
  return %i : i64
}
