// Case 0 falls through to case 1, case 3 shares the default.
func.func @fall(%a: memref<4xi32>, %k: i32, %x: i32) -> i32 {
  %two = arith.constant 2 : i32
  %at = arith.constant 0 : index
  cf.switch %k : i32, [default: ^end(%x : i32), 0: ^zero, 1: ^one(%x : i32), 2: ^two, 3: ^end(%x : i32)]
^zero:
  memref.store %x, %a[%at] : memref<4xi32>
  %d = arith.muli %x, %two : i32
  cf.br ^one(%d : i32)
^one(%y: i32):
  %e = arith.addi %y, %two : i32
  cf.br ^end(%e : i32)
^two:
  %f = memref.load %a[%at] : memref<4xi32>
  cf.br ^end(%f : i32)
^end(%r: i32):
  return %r : i32
}
