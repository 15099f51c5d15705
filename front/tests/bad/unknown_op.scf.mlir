func.func @f(%a: i32, %m: memref<4xi32>, %i: index) -> i32 {
  %b = arith.frobnicate %a, %a : i32
  %c = my.op %b : i32
  %d = "other.op"(%a) : (i32) -> i32
  return %b : i32
}
