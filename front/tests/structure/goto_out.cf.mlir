// A jump out of two loops at once.
func.func @out(%a: memref<?xi32>, %n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^outer(%zero, %zero : i32, i32)
^outer(%i: i32, %k: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^inner(%zero, %k : i32, i32), ^end(%k : i32)
^inner(%j: i32, %m: i32):
  %at = arith.index_cast %m : i32 to index
  %x = memref.load %a[%at] : memref<?xi32>
  %bad = arith.cmpi slt, %x, %zero : i32
  cf.cond_br %bad, ^end(%j : i32), ^next
^next:
  %m1 = arith.addi %m, %one : i32
  %j1 = arith.addi %j, %one : i32
  %again = arith.cmpi slt, %j1, %n : i32
  cf.cond_br %again, ^inner(%j1, %m1 : i32, i32), ^outer_next
^outer_next:
  %i1 = arith.addi %i, %one : i32
  cf.br ^outer(%i1, %m1 : i32, i32)
^end(%r: i32):
  return %r : i32
}
