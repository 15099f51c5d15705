// nested: acc = 0; for (i = 0; i < n; i++) for (j = 0; j < m; j++) acc += i * 3 + j; result acc (i32). Every form
// stands for "N may be 0"; constants are triggered by the control token of their own region.
handshake.func @nested(%n: index, %m: index, %ctl: none, ...) -> (i32)
    attributes {argNames = ["n", "m", "ctl"], resNames = ["acc"]} {
  %ctl_f:4 = fork [4] %ctl : none
  %zero = constant %ctl_f#0 {value = 0 : index} : index
  %one = constant %ctl_f#1 {value = 1 : index} : index
  %init = constant %ctl_f#2 {value = 0 : i32} : i32

  // Outer loop: index, captured m and control, accumulator.
  %oi, %oc = "dataflow.stream"(%zero, %one, %n) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  %orc:7 = fork [7] %oc : i1
  %i, %oac = "dataflow.gate"(%oi, %orc#0) : (index, i1) -> (index, i1)
  sink %oac : i1
  %m_inv = "dataflow.invariant"(%orc#1, %m) : (i1, index) -> index
  %m_body, %m_end = cond_br %orc#2, %m_inv : index
  %ctl_inv = "dataflow.invariant"(%orc#3, %ctl_f#3) : (i1, none) -> none
  %ctl_body, %ctl_end = cond_br %orc#4, %ctl_inv : none
  %oacc = "dataflow.carry"(%orc#5, %init, %inner_exit) : (i1, i32, i32) -> i32
  %acc_body, %acc_exit = cond_br %orc#6, %oacc : i32
  sink %m_end : index
  sink %ctl_end : none

  // Outer body: 3 * i is captured by the inner loop.
  %c:3 = fork [3] %ctl_body : none
  %zero_in = constant %c#0 {value = 0 : index} : index
  %one_in = constant %c#1 {value = 1 : index} : index
  %three = constant %c#2 {value = 3 : i32} : i32
  %i32 = arith.index_cast %i : index to i32
  %scaled = arith.muli %i32, %three : i32

  // Inner loop.
  %ii, %ic = "dataflow.stream"(%zero_in, %one_in, %m_body) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  %irc:5 = fork [5] %ic : i1
  %j, %iac = "dataflow.gate"(%ii, %irc#0) : (index, i1) -> (index, i1)
  sink %iac : i1
  %s_inv = "dataflow.invariant"(%irc#1, %scaled) : (i1, i32) -> i32
  %s_body, %s_end = cond_br %irc#2, %s_inv : i32
  sink %s_end : i32
  %iacc = "dataflow.carry"(%irc#3, %acc_body, %next) : (i1, i32, i32) -> i32
  %inner_body, %inner_exit = cond_br %irc#4, %iacc : i32
  %j32 = arith.index_cast %j : index to i32
  %term = arith.addi %s_body, %j32 : i32
  %next = arith.addi %inner_body, %term : i32
  return %acc_exit : i32
}
