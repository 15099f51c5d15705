handshake.func @f(%A: memref<4xi32>, %i: index, %v: i64, %ctl: none) -> (i32, i32, none, none) {
  %is:3 = fork [3] %i : index
  %cs:3 = fork [3] %ctl : none
  %m:4 = extmemory[ld = 2, st = 0] (%A : memref<4xi32>) (%la, %lb) {id = 0 : i32} : (index, index) -> (i32, i32, none, none)
  %a, %la = load [%is#0] %m#1, %cs#0 : index, i32
  %b, %lb = load [%is#1] %m#0, %cs#1 : index, i32
  %s = memory[ld = 0, st = 1] (%sd, %sa) {id = 1 : i32, lsq = false, loom.name = "A"} : memref<?xi32>, (i64, index) -> (none)
  %sd, %sa = store [%is#2] %v, %cs#2 : index, i64
  %j = join %m#2, %m#3 : none, none
  return %a, %b, %j, %s : i32, i32, none, none
}
