#map = affine_map<(d0) -> (d0 * 2)>
func.func @f(%a: i128, %b: si32, %c: tensor<4xi32>, %d: vector<4xf32>, %e: f80, %f: none) {
  %x = arith.addi %a, %b : i128
  return
}
func.func @g(%m: memref<4xi32, #map>, %n: memref<4xvector<2xi32>>, %o: !llvm.ptr, %p: (i32) -> i32) -> i65 {
  return
}
