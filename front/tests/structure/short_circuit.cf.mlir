// `if (i < n && a[i] == k)`: a flag, and nothing twice.
func.func @both(%a: memref<?xi32>, %i: index, %n: index, %k: i32) -> i32 {
  %one = arith.constant 1 : i32
  %less = arith.cmpi slt, %i, %n : index
  cf.cond_br %less, ^second, ^no
^second:
  %x = memref.load %a[%i] : memref<?xi32>
  %same = arith.cmpi eq, %x, %k : i32
  cf.cond_br %same, ^yes, ^no
^yes:
  memref.store %one, %a[%i] : memref<?xi32>
  cf.br ^end(%one : i32)
^no:
  %j = arith.index_cast %i : index to i32
  memref.store %j, %a[%n] : memref<?xi32>
  cf.br ^end(%j : i32)
^end(%r: i32):
  return %r : i32
}
