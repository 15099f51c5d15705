// inputs n = 0; ctl = 1
// memories A = 1, 2, 3, 4
// Seed: "loop_ctrl = carry(after_cond, entry_ctrl, body_done_feedback)", the exit by `after_cond` too. When the loop
// runs no iteration there is no `after_cond`: the first access has its control, and the exit never comes.
handshake.func @f(%n: index, %A: memref<4xi32>, %ctl: none, ...) -> (none) attributes {argNames = ["n", "A", "ctl"], resNames = ["done"]} {
  %c:3 = fork [3] %ctl : none
  %zero = constant %c#0 {value = 0 : index} : index
  %one = constant %c#1 {value = 1 : index} : index
  %idx, %raw = "dataflow.stream"(%zero, %one, %n) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  %i, %after = "dataflow.gate"(%idx, %raw) : (index, i1) -> (index, i1)
  %after_f:2 = fork [2] %after : i1
  %i_f:2 = fork [2] %i : index
  %loop_ctl = "dataflow.carry"(%after_f#0, %c#2, %feedback) : (i1, none, none) -> none
  %loop_ctl_f:2 = fork [2] %loop_ctl : none
  %v = constant %loop_ctl_f#0 {value = 9 : i32} : i32
  %sd, %sa = store [%i_f#0] %v, %loop_ctl_f#1 : index, i32
  sink %i_f#1 : index
  %body_done = extmemory[ld = 0, st = 1] (%A : memref<4xi32>) (%sd, %sa) {id = 0 : i32} : (i32, index) -> (none)
  %feedback, %exit = cond_br %after_f#1, %body_done : none
  return %exit : none
}
