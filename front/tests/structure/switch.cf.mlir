// Each case by itself; the flag is narrow.
func.func @pick(%a: memref<4xi32>, %k: i8, %x: i32) -> i32 {
  %at = arith.constant 0 : index
  %two = arith.constant 2 : i32
  cf.switch %k : i8, [default: ^end(%x : i32), 255: ^minus, 1: ^one]
^minus:
  memref.store %x, %a[%at] : memref<4xi32>
  cf.br ^end(%two : i32)
^one:
  %f = memref.load %a[%at] : memref<4xi32>
  cf.br ^end(%f : i32)
^end(%r: i32):
  return %r : i32
}
