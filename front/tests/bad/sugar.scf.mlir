// What is wrong with ops that are read as others.
func.func @f(%a: i32, %m: memref<4xi32>, %i: index, %x: f32) {
  affine.for %j = 0 to affine_map<(d0)[s0] -> (d0 + s0)>(%i) {
  }
  %v = affine.apply affine_map<(d0) -> (d0 floordiv 0)>(%i)
  %w = affine.apply affine_map<(d0) -> (d0 + e)>(%i)
  %n = affine.apply affine_map<(d0) -> (d0, d0)>(%i)
  affine.if affine_set<(d0) : (d0 > 0)>(%i) {
  }
  %p = affine.parallel (%j) = (0) to (4) reduce ("maxs") -> i32 {
    affine.yield %a : i32
  }
  scf.parallel (%j, %k) = (%i, %i) to (%i) step (%i, %i) {
    scf.reduce
  }
  %q = scf.parallel (%j) = (%i) to (%i) step (%i) init (%a) -> i32 {
    scf.reduce
  }
  %r = scf.parallel (%j) = (%i) to (%i) step (%i) init (%a) -> i32 {
    scf.reduce(%a : i32) {
    ^bb0(%l: i32):
      scf.reduce.return %l : i32
    }
  }
  scf.forall (%j) = (0) to (4, 4) step (1) {
  }
  %lo, %hi = arith.mului_extended %x, %x : f32
  %s = arith.addui_extended %a, %a : i32, i1
  memref.copy %m, %m : memref<4xi32> to memref<2x2xi32>
  %e = math.ipowi %x, %x : f32
  return
}
