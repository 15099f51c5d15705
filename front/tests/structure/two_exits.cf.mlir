// Two exits with work of their own: the loop passes on which it was.
func.func @two(%a: memref<?xi32>, %n: i32, %key: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : index
  cf.br ^head(%zero : i32)
^head(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^none
^body:
  %at = arith.index_cast %i : i32 to index
  %x = memref.load %a[%at] : memref<?xi32>
  %found = arith.cmpi eq, %x, %key : i32
  cf.cond_br %found, ^found, ^next
^next:
  %j = arith.addi %i, %one : i32
  cf.br ^head(%j : i32)
^found:
  memref.store %zero, %a[%at] : memref<?xi32>
  cf.br ^end(%i : i32)
^none:
  memref.store %key, %a[%start] : memref<?xi32>
  cf.br ^end(%one : i32)
^end(%r: i32):
  return %r : i32
}
