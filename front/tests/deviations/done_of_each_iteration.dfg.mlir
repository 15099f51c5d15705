// inputs n = 3; ctl = 1
// Seed: `lower_for` ends in "return loop_results, body_done": one token of each iteration, where the caller needs one
// of the loop.
handshake.func @f(%n: index, %ctl: none, ...) -> (none) attributes {argNames = ["n", "ctl"], resNames = ["done"]} {
  %c:3 = fork [3] %ctl : none
  %zero = constant %c#0 {value = 0 : index} : index
  %one = constant %c#1 {value = 1 : index} : index
  %idx, %raw = "dataflow.stream"(%zero, %one, %n) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  sink %idx : index
  %raw_f:2 = fork [2] %raw : i1
  %copies = "dataflow.invariant"(%raw_f#0, %c#2) : (i1, none) -> none
  %body_done, %end = cond_br %raw_f#1, %copies : none
  sink %end : none
  return %body_done : none
}
