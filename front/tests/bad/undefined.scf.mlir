func.func @f(%a: i32, %c: i1) -> i32 {
  %b = arith.addi %a, %nothing : i32
  %again = arith.addi %b, %nothing : i32
  scf.if %c {
    %inner = arith.addi %a, %a : i32
  }
  %d = arith.addi %inner, %a : i32
  cf.br ^nowhere
}
func.func @g(%a: !alias) {
  return
}
