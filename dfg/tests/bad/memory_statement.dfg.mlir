handshake.func @f(%A: memref<4xi32>, %i: index, %ctl: none) -> (i32, none) {
  %a, %b = extmemory[ld = 1, st = 0] (%A : memref<4xi32>) (%la) {} : (index) -> (i32, none)
  %c, %d = memory[ld = 1, st = 0] (%lb, %lc) {id = 1 : i32, lsq = false} : memref<4xi32>, (index, index) -> (i32, none)
  %e, %f = memory[ld = 1, st = 0] (%ld) {id = 2 : i32, lsq = false, loom.init = [1, 2]} : memref<2xi32>, (index) -> (i32, none)
  %g, %h = memory[ld = 1, st = 0] (%le) {id = 3 : i32, lsq = false, loom.init = array<i64: 300>} : memref<1xi8>, (index) -> (i8, none)
  %k, %l = "handshake.memory"(%lf) {id = 4 : i32, ldCount = 300 : i32, stCount = 0 : i32} : (index) -> (i8, none)
  %m, %n = memory[ld = 1] (%lg) {id = 5 : i32} : memref<1xi8>, (index) -> (i8, none)
  %o = arith.truncf %x toward_zero : f64 to f32
  %p = arith.cmpf lt, %o, %o2 : f32
  %q, %r = arith.mulsi_extended %s, %t : i32
  return %a, %b : i32, none
}
