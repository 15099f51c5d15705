handshake.func @f(%a: i32, %c: i32, %s: i8, %p: f32, %q: f32, %ctl: i1, ...) -> (i32, i16, f32, i32) {
  %y = arith.extsi %a : i32 to i16
  %z = "dataflow.carry"(%s, %c, %c2) : (i8, i32, i32) -> i32
  %w = arith.addi %p, %q : f32
  %k = "handshake.constant"(%ctl) {value = 1 : i32} : (i1) -> i32
  %z_f:2 = fork [2] %z : i32
  %c2 = arith.index_cast %z_f#1 : i32 to i32
  return %z_f#0, %y, %w, %k : i32, i16, f32, i32
}
