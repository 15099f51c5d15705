// Reads from two arrays.
handshake.func @pair(%i: index, %go: none, %j: index, %A: memref<16xi32>, %B: memref<16xi32>, %ctl: none, ...) -> (i32, i32, none, none)
    attributes {argNames = ["i", "go", "j", "A", "B", "ctl"], resNames = ["a", "b", "a_done", "b_done"]} {
  %aw, %a_done = extmemory[ld = 1, st = 0] (%A : memref<16xi32>) (%la) {id = 0 : i32} : (index) -> (i32, none)
  %bw, %b_done = extmemory[ld = 1, st = 0] (%B : memref<16xi32>) (%lb) {id = 1 : i32} : (index) -> (i32, none)
  %a, %la = load [%i] %aw, %go : index, i32
  %b, %lb = load [%j] %bw, %ctl : index, i32
  return %a, %b, %a_done, %b_done : i32, i32, none, none
}
