// Loops of several dimensions with and without reductions, one inside of the other, and `scf.forall`.
func.func @f(%a: memref<16xi32>, %b: memref<16xi32>, %n: index, %k: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  scf.forall (%i, %j) in (4, %c4) {
    %at = arith.muli %i, %c4 : index
    %w = arith.addi %at, %j : index
    %x = memref.load %a[%w] : memref<16xi32>
    %y = arith.addi %x, %k : i32
    memref.store %y, %b[%w] : memref<16xi32>
  }
  scf.forall (%i) = (1) to (%n) step (3) {
    memref.store %k, %b[%i] : memref<16xi32>
  }
  scf.parallel (%i, %j) = (%c0, %c1) to (%c4, %c4) step (%c1, %c2) {
    %at = arith.muli %j, %c4 : index
    %w = arith.addi %at, %i : index
    %x = memref.load %a[%w] : memref<16xi32>
    memref.store %x, %b[%w] : memref<16xi32>
    scf.reduce
  }
  %r:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%one, %k) -> (i32, i32) {
    %x = memref.load %b[%i] : memref<16xi32>
    %inner = scf.parallel (%j) = (%i) to (%c16) step (%c4) init (%two) -> i32 {
      %y = memref.load %a[%j] : memref<16xi32>
      scf.reduce(%y : i32) {
      ^bb0(%l: i32, %m: i32):
        %s = arith.subi %m, %l : i32
        scf.reduce.return %s : i32
      }
    }
    scf.reduce(%x, %inner : i32, i32) {
    ^bb0(%l: i32, %m: i32):
      %less = arith.cmpi slt, %l, %m : i32
      %s = scf.if %less -> (i32) {
        %p = arith.muli %l, %two : i32
        scf.yield %p : i32
      } else {
        scf.yield %m : i32
      }
      scf.reduce.return %s : i32
    }, {
    ^bb0(%l: i32, %m: i32):
      %s = arith.xori %l, %m : i32
      %t = arith.muli %s, %two : i32
      scf.reduce.return %t : i32
    }
  }
  return %r#0, %r#1 : i32, i32
}
