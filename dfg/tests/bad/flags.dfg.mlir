handshake.func @f(%a: i32, %b: i32, %x: f32, %y: f32) -> (i32) {
  %c = arith.addi %a, %b overflow<wrap> : i32
  %d = arith.addf %x, %y fastmath : f32
  %e = arith.cmpf olt, %x, %y overflow<nsw> : f32
  %g = "arith.truncf"(%x) <{roundingmode = 1 : i32}> : (f32) -> f16
  return %c : i32
}
