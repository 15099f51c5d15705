func.func @f(%a: i32, %c: i1) -> i32 {
  %b = arith.addi %later, %a : i32
  %later = arith.addi %a, %a : i32
  cf.cond_br %c, ^left, ^right
^left:
  %x = arith.addi %a, %b : i32
  cf.br ^join
^right:
  cf.br ^join
^join:
  %self = scf.if %c -> (i32) {
    scf.yield %self : i32
  } else {
    scf.yield %x : i32
  }
  return %self : i32
}
