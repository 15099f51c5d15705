// Every way to write a memory, argument memories between values, ids out of order.
handshake.func @memory(%i: index, %A: memref<1024xi32>, %v: i32, %B: memref< ? x f32 >, %ctl: none, ...) -> (i32, f32, none, none)
    attributes {argNames = ["i", "A", "v", "B", "ctl"], resNames = ["r", "s", "done", "gone"]} {
  %is:6 = fork [6] %i : index
  %cs:6 = fork [6] %ctl : none
  %x:5 = extmemory[ld = 2, st = 1] (%A : memref<1024xi32>) (%sd, %sa, %la0, %la1) {id = 5 : i32} : (i32, index, index, index) -> (i32, i32, none, none, none)
  %d0, %la0 = load [%is#0] %x#0, %cs#0 : index, i32
  %d1, %la1 = "handshake.load"(%is#1, %x#1, %cs#1) : (index, i32, none) -> (i32, index)
  %sd, %sa = store [%is#2] %d0, %cs#2 : index, i32
  %y, %ydone = "handshake.extmemory"(%B, %la2) <{ldCount = 1 : i32, stCount = 0 : i32}> {id = 2 : i32} : (memref<?xf32>, index) -> (f32, none)
  %d2, %la2 = load [%is#3] %y, %cs#3 : index, f32
  %m:3 = memory[ld = 1, st = 1] (%sd2, %sa2, %la3) {id = 3 : i32, lsq = false, loom.init = array<i64: -1, 255, 0, 128>} : memref<4xi8>, (i8, index, index) -> (i8, none, none)
  %low = arith.trunci %v : i32 to i8
  %sd2, %sa2 = "handshake.store"(%is#4, %low, %cs#4) : (index, i8, none) -> (i8, index)
  %d3, %la3 = load [%is#5] %m#0, %cs#5 : index, i8
  %wide = arith.extsi %d3 : i8 to i32
  %sum = arith.addi %d1, %wide : i32
  %w = "handshake.memory"(%sd4, %sa4) {id = 9 : i32, ldCount = 0 : i32, stCount = 1 : i32, lsq = false, memRefType = memref<2xi32>, loom.name = "scratch"} : (i32, index) -> (none)
  %sum_f:2 = fork [2] %sum : i32
  %zero = constant %w2#0 {value = 0 : index} : index
  %w2:2 = fork [2] %ydone : none
  %sd4, %sa4 = store [%zero] %sum_f#0, %w2#1 : index, i32
  %j = join %x#2, %x#3, %x#4, %m#1, %m#2 : none, none, none, none, none
  return %sum_f#1, %d2, %j, %w : i32, f32, none, none
}
