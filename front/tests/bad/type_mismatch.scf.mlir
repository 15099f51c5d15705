func.func @f(%a: i32, %b: i64, %x: f32, %m: memref<4xi32>) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.muli %b, %b : i32
  scf.if %a {
  }
  memref.store %x, %m[%a] : memref<4xi32>
  %2 = memref.load %a[] : i32
  return %0 : i32
}
