// Bounds of several results, steps, values carried round, and subscripts of all forms.
#map = affine_map<(d0) -> (d0)>
#up = affine_map<(d0)[s0] -> (s0, d0 + 4)>
#inside = affine_set<(d0)[s0] : (d0 - 2 >= 0, s0 - d0 - 3 >= 0)>
func.func @f(%a: memref<16xi32>, %b: memref<16xi32>, %n: index, %k: i32) -> (i32, index) {
  affine.for %i = 0 to %n step 4 {
    affine.for %j = #map(%i) to min #up(%i)[%n] {
      %x = affine.load %a[%j] : memref<16xi32>
      %m = affine.apply affine_map<(d0) -> ((d0 * 3 + 7) mod 16)>(%j)
      affine.if #inside(%j)[%n] {
        %l = affine.load %a[%j - 2] : memref<16xi32>
        %r = affine.load %a[%j + 2] : memref<16xi32>
        %s = arith.addi %l, %r : i32
        affine.store %s, %b[%j] : memref<16xi32>
      } else {
        memref.store %x, %b[%m] : memref<16xi32>
      }
    }
  }
  %zero = arith.constant 0 : i32
  %sum = affine.for %i = max affine_map<(d0) -> (d0 - 5, 1)>(%n) to 16 step 3 iter_args(%s = %zero) -> (i32) {
    %y = affine.load %b[(%i * 5 - symbol(%n)) mod 16] : memref<16xi32>
    %z = affine.load %a[%i floordiv 2 + %i ceildiv 4] : memref<16xi32>
    %p = arith.muli %y, %z : i32
    %t = affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%i) -> i32 {
      affine.yield %p : i32
    } else {
      affine.yield %k : i32
    }
    %next = arith.addi %s, %t : i32
    affine.yield %next : i32
  }
  %low = affine.min affine_map<(d0)[s0] -> (d0 * -3 + 1, s0 - 20, -4 floordiv 3)>(%n)[%n]
  %high = affine.max affine_map<(d0) -> (-d0, d0 - 9)>(%n)
  %both = affine.apply affine_map<(d0, d1) -> ((d0 floordiv 3) * 7 - (d1 - 40) ceildiv 5 + (d0 - 50) mod 6)>(%low, %high)
  return %sum, %both : i32, index
}
