func.func @f(%a: i32, %x: f32) -> i32 {
  %b = arith.addi %a, %a overflow<wrap> : i32
  %c = arith.addi %a, %a overflow<nsw nuw> : i32
  %d = arith.addf %x, %x fastmath : f32
  %e = arith.cmpf less, %x, %x : f32
  %g = arith.cmpi slt, %a, %a overflow<nsw> : i32
  %h = "arith.truncf"(%x) <{roundingmode = 1 : i32}> : (f32) -> f16
  return %a : i32
}
