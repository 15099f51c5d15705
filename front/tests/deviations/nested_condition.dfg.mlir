// inputs a = 1, 0; b = 0, 1; x = 5, 6; ctl = 2
// The condition of an inner if belongs to the outer side like any other value.
handshake.func @f(%a: i1, %b: i1, %x: i32, %ctl: none, ...) -> (i32, none) attributes {argNames = ["a", "b", "x", "ctl"], resNames = ["r0", "done"]} {
  %a_f:2 = fork [2] %a : i1
  %b_f:2 = fork [2] %b : i1
  %x_then, %x_else = cond_br %a_f#0, %x : i32
  %inner_then, %inner_else = cond_br %b_f#0, %x_then : i32
  %twice = fork [1] %inner_then : i32
  %inner = mux %b_f#1 [%inner_else, %twice] : i1, i32
  %r = mux %a_f#1 [%x_else, %inner] : i1, i32
  return %r, %ctl : i32, none
}
