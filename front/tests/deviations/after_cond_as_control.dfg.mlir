// inputs k = 3; ctl = 1
// Seed: "loop-body execution control maps to after_cond". `after_cond` of an iteration comes with the condition of
// the next: here the next condition waits for this iteration's constant, and nothing moves.
handshake.func @f(%k: i32, %ctl: none, ...) -> (i32, none) attributes {argNames = ["k", "ctl"], resNames = ["r0", "done"]} {
  %c:2 = fork [2] %ctl : none
  %v = "dataflow.carry"(%raw_f#0, %k, %next) : (i1, i32, i32) -> i32
  %v_f:3 = fork [3] %v : i32
  %ctl_before = "dataflow.invariant"(%raw_f#1, %c#0) : (i1, none) -> none
  %zero = constant %ctl_before {value = 0 : i32} : i32
  %raw = arith.cmpi sgt, %v_f#0, %zero : i32
  %raw_f:4 = fork [4] %raw : i1
  %dummy, %after = "dataflow.gate"(%v_f#1, %raw_f#2) : (i32, i1) -> (i32, i1)
  sink %dummy : i32
  %body_ctl = join %after : i1
  %one = constant %body_ctl {value = 1 : i32} : i32
  %inside, %exit = cond_br %raw_f#3, %v_f#2 : i32
  %next = arith.subi %inside, %one : i32
  return %exit, %c#1 : i32, none
}
