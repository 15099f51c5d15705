func.func @f(%a: i32, %c: i1) {
  "scf.if"(%c) : (i1) -> ()
  scf.if %c {
    scf.yield
  ^two:
    scf.yield
  }
  %r = "scf.if"(%c) ({
    scf.yield %a : i32
  }, {
  }) : (i1) -> i32
  cf.br ^two
^one:
  return
^two:
  cf.br ^one
}
func.func @entry() {
^start:
  cf.br ^start
}
