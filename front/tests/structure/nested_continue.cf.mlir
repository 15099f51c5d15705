// `continue` of the inner loop and of the outer one.
func.func @skip(%a: memref<?xi32>, %n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  cf.br ^outer(%zero, %zero : i32, i32)
^outer(%i: i32, %s: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^inner(%zero, %s : i32, i32), ^end
^inner(%j: i32, %t: i32):
  %again = arith.cmpi slt, %j, %i : i32
  cf.cond_br %again, ^body, ^outer_next(%t : i32)
^body:
  %at = arith.index_cast %j : i32 to index
  %x = memref.load %a[%at] : memref<?xi32>
  %negative = arith.cmpi slt, %x, %zero : i32
  cf.cond_br %negative, ^inner_next(%t : i32), ^positive
^positive:
  %u = arith.addi %t, %x : i32
  %large = arith.cmpi sgt, %u, %five : i32
  cf.cond_br %large, ^outer_next(%zero : i32), ^inner_next(%u : i32)
^inner_next(%v: i32):
  %j1 = arith.addi %j, %one : i32
  cf.br ^inner(%j1, %v : i32, i32)
^outer_next(%w: i32):
  %i1 = arith.addi %i, %one : i32
  cf.br ^outer(%i1, %w : i32, i32)
^end:
  return %s : i32
}
