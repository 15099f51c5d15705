// `return` from two levels of branches.
func.func @early(%a: memref<4xi32>, %x: i32, %y: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %at = arith.constant 0 : index
  %first = arith.cmpi slt, %x, %zero : i32
  cf.cond_br %first, ^leave, ^go
^leave:
  return %zero : i32
^go:
  %second = arith.cmpi slt, %y, %zero : i32
  cf.cond_br %second, ^inner, ^rest(%y : i32)
^inner:
  %z = memref.load %a[%at] : memref<4xi32>
  %third = arith.cmpi eq, %z, %x : i32
  cf.cond_br %third, ^leave_inner, ^rest(%z : i32)
^leave_inner:
  return %one : i32
^rest(%w: i32):
  memref.store %w, %a[%at] : memref<4xi32>
  %s = arith.addi %w, %x : i32
  return %s : i32
}
