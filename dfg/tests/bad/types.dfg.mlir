handshake.func @f(%a: memref<4x?xi32>, %b: i65, %c: vector<4xi32>, %d: si8, %e: word, ...) -> (i32) {
  return %b : i32
}
