func.func @f(%a: i32, %c: i1) -> i32 {
  %r = scf.if %c -> (i32) {
    %x = arith.addi %a, %a : i32
  } else {
    scf.yield %a : i32
    %y = arith.addi %a, %a : i32
    scf.yield %y : i32
  }
  scf.while : () -> () {
    scf.yield
  } do {
    return %a : i32
  }
  scf.yield %r : i32
}
func.func @empty() {
}
func.func @blocks() {
  cf.br ^one
^one:
}
