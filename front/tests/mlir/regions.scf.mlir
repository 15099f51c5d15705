// Regions that run once, with jumps in them and without, beside jumps and loops of the function.
func.func @g(%x: i32, %p: i1) -> i32 {
  cf.assert %p, "asked"
  %y = arith.addi %x, %x : i32
  return %y : i32
}
func.func @f(%a: memref<16xi32>, %b: memref<16xi32>, %n: index, %k: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %true = arith.constant true
  %big = arith.cmpi sgt, %k, %zero : i32
  %e = scf.execute_region -> i32 {
    cf.cond_br %big, ^more, ^less(%zero : i32)
  ^more:
    %d = arith.subi %zero, %k : i32
    cf.br ^less(%d : i32)
  ^less(%v: i32):
    scf.yield %v : i32
  }
  scf.for %i = %c0 to %n step %c1 {
    scf.execute_region {
      %x = memref.load %a[%i] : memref<16xi32>
      %y = func.call @g(%x, %true) : (i32, i1) -> i32
      memref.store %y, %b[%i] : memref<16xi32>
      scf.yield
    }
  }
  cf.cond_br %big, ^loop(%c0, %e : index, i32), ^end(%e : i32)
^loop(%i: index, %s: i32):
  %z = memref.load %b[%i] : memref<16xi32>
  %t = scf.execute_region -> i32 {
    %u = arith.addi %s, %z : i32
    scf.yield %u : i32
  }
  %next = arith.addi %i, %c1 : index
  %go = arith.cmpi slt, %next, %n : index
  cf.cond_br %go, ^loop(%next, %t : index, i32), ^end(%t : i32)
^end(%r: i32):
  return %e, %r : i32, i32
}
