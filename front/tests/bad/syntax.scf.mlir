func.func @f(%a: i32, %n: index) -> i32 {
  %b = arith.addi %a %a : i32
  %c = arith.addi %b, %a : i32
  scf.for %i = %n %n step %n {
    %d = arith.muli %c, %c : i32
  }
  %e = arith.cmpi less, %c, %a : i32
  scf.if %e {
    memref.load [%a]
  }
  %f:0 = arith.constant 1
  return %c, : i32
}
func.func @g(%a: i32, i32) {
  return
}
func.func @h(i32) {
  return
}
func.func @open() {
  scf.for %i = 0 to 1 step 1 {
func.func @next() {
  return
}
module {
