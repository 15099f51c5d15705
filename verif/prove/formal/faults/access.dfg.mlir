// Reads and writes words where it is told.
handshake.func @access(%i: index, %go: none, %j: index, %x: i8, %A: memref<16xi8>, %ctl: none, ...) -> (i8, none, none)
    attributes {argNames = ["i", "go", "j", "x", "A", "ctl"], resNames = ["read", "loaded", "stored"]} {
  %word, %stored, %loaded = extmemory[ld = 1, st = 1] (%A : memref<16xi8>) (%sd, %sa, %la) {id = 0 : i32} : (i8, index, index) -> (i8, none, none)
  %read, %la = load [%i] %word, %go : index, i8
  %sd, %sa = store [%j] %x, %ctl : index, i8
  return %read, %loaded, %stored : i8, none, none
}
