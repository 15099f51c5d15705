// diamond: acc = init; for (i = 0; i < n; i++) if (i & 1) acc += i; else acc -= i; result acc (i32). The branch is
// a diamond of cond_br and mux: each side sees only the tokens of its own iterations.
handshake.func @diamond(%n: index, %init: i32, %ctl: none, ...) -> (i32)
    attributes {argNames = ["n", "init", "ctl"], resNames = ["acc"]} {
  %ctl_f:3 = fork [3] %ctl : none
  %zero = constant %ctl_f#0 {value = 0 : index} : index
  %one = constant %ctl_f#1 {value = 1 : index} : index
  %idx, %cont = "dataflow.stream"(%zero, %one, %n) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  %rc:5 = fork [5] %cont : i1
  %iv, %ac = "dataflow.gate"(%idx, %rc#0) : (index, i1) -> (index, i1)
  sink %ac : i1
  %ctl_inv = "dataflow.invariant"(%rc#1, %ctl_f#2) : (i1, none) -> none
  %ctl_body, %ctl_end = cond_br %rc#2, %ctl_inv : none
  sink %ctl_end : none
  %acc = "dataflow.carry"(%rc#3, %init, %next) : (i1, i32, i32) -> i32
  %acc_body, %exit = cond_br %rc#4, %acc : i32

  %i = arith.index_cast %iv : index to i32
  %i_f:2 = fork [2] %i : i32
  %c = constant %ctl_body {value = 1 : i32} : i32
  %c_f:2 = fork [2] %c : i32
  %low = arith.andi %i_f#0, %c_f#0 : i32
  %odd = arith.cmpi eq, %low, %c_f#1 : i32
  %odd_f:3 = fork [3] %odd : i1
  %i_t, %i_e = cond_br %odd_f#0, %i_f#1 : i32
  %acc_t, %acc_e = cond_br %odd_f#1, %acc_body : i32
  %plus = arith.addi %acc_t, %i_t : i32
  %minus = arith.subi %acc_e, %i_e : i32
  // A false selector takes the first input.
  %next = mux %odd_f#2 [%minus, %plus] : i1, i32
  return %exit : i32
}
