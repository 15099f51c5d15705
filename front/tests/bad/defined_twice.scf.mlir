func.func @f(%a: i32, %a: i32, %c: i1) {
  %b = arith.addi %a, %a : i32
  scf.if %c {
    %b = arith.muli %a, %a : i32
  }
  return
^one:
  cf.br ^one
^one:
  return
}
func.func @g() {
  return
}
func.func private @g(i32)
memref.global @g : memref<4xi32>
