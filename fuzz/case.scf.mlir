// An argument of every type that a case can give.
func.func @case(%a: memref<?xi32>, %b: memref<4x4xf32>, %n: index, %x: i1, %y: f64, %z: i8) -> (i32, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i32) {
    %v = memref.load %a[%i] : memref<?xi32>
    %f = memref.load %b[%c0, %i] : memref<4x4xf32>
    %g = arith.fptosi %f : f32 to i32
    %w = arith.extsi %z : i8 to i32
    %h = arith.addi %v, %g : i32
    %k = arith.select %x, %h, %w : i32
    %next = arith.addi %acc, %k : i32
    scf.yield %next : i32
  }
  return %s, %y : i32, f64
}
