func.func @f(%a: i32, %b: i64, %x: f32, %c: i1, %m: memref<4xi32>) -> i32 {
  %0 = arith.addf %a, %a : i32
  %1 = arith.addi %x, %x : f32
  %2 = arith.extsi %b : i64 to i32
  %3 = arith.select %c, %m, %m : memref<4xi32>
  %4 = memref.cast %m : memref<4xi32> to memref<?xf32>
  %5 = scf.while (%v = %a) : (i32) -> i64 {
    scf.condition(%c) %v : i32
  } do {
  ^bb0(%v: i64):
    scf.yield %v : i64
  }
  scf.for %i = %x to %x step %x : f32 {
  }
  func.call @g(%a) : (i32) -> i32
  %6 = "scf.for"(%a, %a, %a, %b) ({
  ^bb0(%i: i32, %v: i32):
    scf.yield %v : i32
  }) : (i32, i32, i32, i64) -> i64
  cf.br ^one(%a : i32)
^one(%y: i64):
  return %b : i64
}
func.func private @g(i32) -> i64
"func.func"() <{function_type = (i32) -> (), sym_name = "h"}> ({
^bb0(%a: i64):
  "func.return"() : () -> ()
}) : () -> ()
