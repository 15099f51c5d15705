// Both exits lead to one place with one value each: nothing decides behind the loop.
func.func @find(%a: memref<?xi32>, %n: i32, %key: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant -1 : i32
  cf.br ^head(%zero : i32)
^head(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^end(%none : i32)
^body:
  %at = arith.index_cast %i : i32 to index
  %x = memref.load %a[%at] : memref<?xi32>
  %found = arith.cmpi eq, %x, %key : i32
  cf.cond_br %found, ^end(%i : i32), ^next
^next:
  %j = arith.addi %i, %one : i32
  cf.br ^head(%j : i32)
^end(%r: i32):
  return %r : i32
}
