// inputs n = 0, 2; x = 7, 9; ctl = 2
// Seed: "body_state.map(ext_v) = invariant(after_cond, map_value(ext_v, parent_state))". When the loop runs no
// iteration, the invariant has emitted its seed and waits for a condition that never comes: the next activation's
// body sees the stale 7.
handshake.func @f(%n: index, %x: i32, %ctl: none, ...) -> (i32, none) attributes {argNames = ["n", "x", "ctl"], resNames = ["r0", "done"]} {
  %c:4 = fork [4] %ctl : none
  %zero = constant %c#0 {value = 0 : index} : index
  %one = constant %c#1 {value = 1 : index} : index
  %init = constant %c#2 {value = 0 : i32} : i32
  %idx, %raw = "dataflow.stream"(%zero, %one, %n) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  %raw_f:3 = fork [3] %raw : i1
  %i, %after = "dataflow.gate"(%idx, %raw_f#0) : (index, i1) -> (index, i1)
  sink %i : index
  %xs = "dataflow.invariant"(%after, %x) : (i1, i32) -> i32
  %acc = "dataflow.carry"(%raw_f#1, %init, %next) : (i1, i32, i32) -> i32
  %body, %exit = cond_br %raw_f#2, %acc : i32
  %next = arith.addi %body, %xs : i32
  return %exit, %c#3 : i32, none
}
