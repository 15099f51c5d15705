// Accesses in both regions of a while, its condition read from memory.
func.func @f(%a: memref<16xi32>, %n: i32) -> i32 {
  %z = arith.constant 0 : i32
  %o = arith.constant 1 : i32
  %r = scf.while (%i = %z) : (i32) -> i32 {
    %k = arith.index_cast %i : i32 to index
    %v = memref.load %a[%k] : memref<16xi32>
    %w = arith.addi %v, %o : i32
    memref.store %w, %a[%k] : memref<16xi32>
    %go = arith.cmpi slt, %v, %n : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %k = arith.index_cast %i : i32 to index
    memref.store %i, %a[%k] : memref<16xi32>
    %j = arith.addi %i, %o : i32
    scf.yield %j : i32
  }
  return %r : i32
}
