handshake.func @f(%a: i32, %i: index, %ctl: none, ...) -> (i32) {
  %s = source
  %l:2 = lazy_fork [2] %a : i32
  %d, %addr = load [%i] %l#0, %ctl : index, i32
  %q = arith.divsi %d, %l#1 : i32
  %r = "math.sqrt"(%q) : (i32) -> i32
  %k = arith.constant 4 : i32
  %m = merge %r, %k : i32
  return %m : i32
}
