// collatz: steps = 0; while (x > 1) { x = x odd ? 3 * x + 1 : x / 2; steps++; } result steps (i32). A while loop: the
// condition is computed from the carried value itself, before the split; x / 2 is a shift right.
handshake.func @collatz(%x: i32, %ctl: none, ...) -> (i32)
    attributes {argNames = ["x", "ctl"], resNames = ["steps"]} {
  %ctl_f:2 = fork [2] %ctl : none
  %none_yet = constant %ctl_f#0 {value = 0 : i32} : i32
  %xc = "dataflow.carry"(%rc#0, %x, %x_next) : (i1, i32, i32) -> i32
  %sc = "dataflow.carry"(%rc#1, %none_yet, %s_next) : (i1, i32, i32) -> i32
  %cc = "dataflow.invariant"(%rc#2, %ctl_f#1) : (i1, none) -> none
  %cc_f:2 = fork [2] %cc : none
  %one = constant %cc_f#0 {value = 1 : i32} : i32
  %xc_f:2 = fork [2] %xc : i32
  %more = arith.cmpi sgt, %xc_f#0, %one : i32
  %rc:6 = fork [6] %more : i1
  %x_body, %x_end = cond_br %rc#3, %xc_f#1 : i32
  %s_body, %s_exit = cond_br %rc#4, %sc : i32
  %c_body, %c_end = cond_br %rc#5, %cc_f#1 : none
  sink %x_end : i32
  sink %c_end : none

  %k:2 = fork [2] %c_body : none
  %unit = constant %k#0 {value = 1 : i32} : i32
  %unit_f:3 = fork [3] %unit : i32
  %three = constant %k#1 {value = 3 : i32} : i32
  %xb:3 = fork [3] %x_body : i32
  %odd = arith.trunci %xb#0 : i32 to i1
  %half = arith.shrui %xb#1, %unit_f#0 : i32
  %triple = arith.muli %xb#2, %three : i32
  %up = arith.addi %triple, %unit_f#1 : i32
  %x_next = arith.select %odd, %up, %half : i32
  %s_next = arith.addi %s_body, %unit_f#2 : i32
  return %s_exit : i32
}
