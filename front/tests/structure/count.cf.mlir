// A loop that its header tests; what the header computes for the body goes there.
func.func @count(%a: memref<?xi32>, %n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^head(%zero, %zero : i32, i32)
^head(%i: i32, %sum: i32):
  %at = arith.index_cast %i : i32 to index
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^end(%sum : i32)
^body:
  %x = memref.load %a[%at] : memref<?xi32>
  %next_sum = arith.addi %sum, %x : i32
  cf.br ^next
^next:
  %next = arith.addi %i, %one overflow<nsw> : i32
  cf.br ^head(%next, %next_sum : i32, i32)
^end(%r: i32):
  return %r : i32
}
