func.func @f(%a: i32, %c: i1, %m: memref<?xi32>) -> i32 {
  %r:2 = scf.if %c -> (i32, i32) {
    scf.yield %a : i32
  } else {
    scf.yield %a, %a : i32, i32
  }
  func.call @g(%a) : (i32) -> ()
  %n = memref.alloc() : memref<?xi32>
  %x = "arith.addi"(%a) : (i32) -> i32
  return %a, %a : i32, i32
}
func.func private @g(i32, i32)
func.func @h(%a: i32) {
  cf.br ^one(%a : i32)
^one:
  "cf.br"(%a) : (i32) -> ()
}
