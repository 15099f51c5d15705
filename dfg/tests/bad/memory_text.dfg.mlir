handshake.func @f(%A: memref<4xi32>, %B: memref<4xi32>, %i: index, %ctl: none) -> (i32, none) {
  %d, %done = extmemory[ld = 1, st = 0] (%A : memref<8xi32>) (%la) {id = 0 : i32} : (index) -> (i32, none)
  %v, %la = load [%i] %d, %ctl : index, i32
  %e, %gone = extmemory[ld = 1, st = 0] (%i : memref<8xi32>) (%lb) {id = 0 : i32} : (index) -> (i32, none)
  %w = arith.addi %v, %A : i32
  return %w, %done : i32, none
}
