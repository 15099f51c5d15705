handshake.func @f(%A: memref<4xi32>, %i: index, %v: i32, %w: i32, %ctl: none) -> (i32, none, i32) {
  %is:4 = fork [4] %i : index
  %cs:3 = fork [3] %ctl : none
  %m:6 = memory[ld = 2, st = 2] (%sd, %sa2, %sd2, %sa, %la, %is#3) {id = 0 : i32, lsq = false, loom.init = array<i64: 1>} : memref<2xi32>, (i32, index, i32, index, index, index) -> (i32, i32, none, none, none, none)
  %p, %la = load [%is#0] %m#1, %cs#0 : index, i32
  %sd, %sa = store [%is#1] %v, %cs#1 : index, i32
  %sd2, %sa2 = store [%is#2] %w, %cs#2 : index, i32
  %j = join %m#2, %m#3, %m#4, %m#5 : none, none, none, none
  extmemory[ld = 0, st = 0] (%A : memref<4xi32>) () {id = 1 : i32} : () -> ()
  return %p, %j, %m#0 : i32, none, i32
}
