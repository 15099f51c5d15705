// inputs n = 3; ctl = 1
// A constant triggered by the control of the region around the loop comes once, its user waits N times.
handshake.func @f(%n: index, %ctl: none, ...) -> (i32, none) attributes {argNames = ["n", "ctl"], resNames = ["r0", "done"]} {
  %c:5 = fork [5] %ctl : none
  %zero = constant %c#0 {value = 0 : index} : index
  %one = constant %c#1 {value = 1 : index} : index
  %init = constant %c#2 {value = 0 : i32} : i32
  %seven = constant %c#3 {value = 7 : i32} : i32
  %idx, %raw = "dataflow.stream"(%zero, %one, %n) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  sink %idx : index
  %raw_f:2 = fork [2] %raw : i1
  %acc = "dataflow.carry"(%raw_f#0, %init, %next) : (i1, i32, i32) -> i32
  %body, %exit = cond_br %raw_f#1, %acc : i32
  %next = arith.addi %body, %seven : i32
  return %exit, %c#4 : i32, none
}
