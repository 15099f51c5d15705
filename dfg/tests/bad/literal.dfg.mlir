handshake.func @f(%a: none, %b: none, %c: none, %d: none, ...) -> (i8, i8, i1, f16) {
  %p = constant %a {value = 256 : i8} : i8
  %q = constant %b {value = 5 : i32} : i8
  %r = constant %c {value = 99999999999999999999999999999999999999999 : i1} : i1
  %s = constant %d {value = 1.5 : f16} : f16
  return %p, %q, %r, %s : i8, i8, i1, f16
}
