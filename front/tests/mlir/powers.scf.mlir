// Exponents that are literals, positive and negative ones, and bases that have inverses.
func.func @f(%a: memref<16xi32>, %b: memref<16xi32>, %n: index, %k: i32) -> (i32, i32, i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %c1i = arith.constant 1 : i32
  %nine = arith.constant 9 : i32
  %m1 = arith.constant -1 : i32
  %m3 = arith.constant -3 : i32
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<16xi32>
    %odd = arith.ori %x, %c1i : i32
    %e = arith.remsi %k, %nine : i32
    %p = math.ipowi %odd, %e : i32
    memref.store %p, %b[%i] : memref<16xi32>
  }
  %p7 = math.ipowi %k, %c7 : i32
  %p1 = math.ipowi %k, %c1i : i32
  %q = math.ipowi %m1, %m3 : i32
  %r = math.ipowi %c1i, %k : i32
  return %p7, %p1, %q, %r : i32, i32, i32, i32
}
