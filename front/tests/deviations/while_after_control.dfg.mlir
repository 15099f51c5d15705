// inputs k = 3; ctl = 1
// Seed: "after_state.control = invariant(after_cond, before_state.control)". The before-region's control comes N + 1
// times, an invariant takes one seed an activation: N of them are left.
handshake.func @f(%k: i32, %ctl: none, ...) -> (i32, none) attributes {argNames = ["k", "ctl"], resNames = ["r0", "done"]} {
  %c:2 = fork [2] %ctl : none
  %v = "dataflow.carry"(%raw_f#0, %k, %next) : (i1, i32, i32) -> i32
  %v_f:3 = fork [3] %v : i32
  %ctl_before = "dataflow.invariant"(%raw_f#1, %c#0) : (i1, none) -> none
  %ctl_before_f:2 = fork [2] %ctl_before : none
  %zero = constant %ctl_before_f#0 {value = 0 : i32} : i32
  %raw = arith.cmpi sgt, %v_f#0, %zero : i32
  %raw_f:4 = fork [4] %raw : i1
  %dummy, %after = "dataflow.gate"(%v_f#1, %raw_f#2) : (i32, i1) -> (i32, i1)
  sink %dummy : i32
  %body_ctl = "dataflow.invariant"(%after, %ctl_before_f#1) : (i1, none) -> none
  %one = constant %body_ctl {value = 1 : i32} : i32
  %inside, %exit = cond_br %raw_f#3, %v_f#2 : i32
  %next = arith.subi %inside, %one : i32
  return %exit, %c#1 : i32, none
}
