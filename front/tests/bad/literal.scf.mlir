memref.global @g : memref<2xi8> = dense<[1, 256]>
memref.global @h : memref<2xi16> = dense<"0x0102">
memref.global @k : memref<2xi16> = dense<"0x010203">
func.func private @g(memref<99999999999999999999xi32>)
func.func @f() {
  %a = arith.constant 256 : i8
  %b = arith.constant -129 : i8
  %c = arith.constant 1 : f32
  %d = arith.constant 1.0 : i32
  %e = arith.constant 0x1FFFF : f16
  %f = arith.constant 99999999999999999999 : i64
  %i = index.constant 1.5
  return
}
