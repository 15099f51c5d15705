// inputs c = 1, 0; x = 5, 6; y = 1, 2; ctl = 2
// A value from outside that only one side of an if uses: without a `cond_br` of its own the untaken side leaves it
// behind, and the next activation takes the stale one.
handshake.func @f(%c: i1, %x: i32, %y: i32, %ctl: none, ...) -> (i32, none) attributes {argNames = ["c", "x", "y", "ctl"], resNames = ["r0", "done"]} {
  %c_f:2 = fork [2] %c : i1
  %y_then, %y_else = cond_br %c_f#0, %y : i32
  %r = mux %c_f#1 [%y_else, %sum] : i1, i32
  %sum = arith.addi %x, %y_then : i32
  return %r, %ctl : i32, none
}
