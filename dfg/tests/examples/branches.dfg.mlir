// A sum of n times x: what the loop carries and what it repeats, each with its branch.
// in: x 3 5 -2 7
// in: n 4 0 1 2
// in: ctl 0 0 0 0
// out: r0 12 0 -2 14
// out: done 0 0 0 0
handshake.func @sum(%x: i32, %n: index, %ctl: none, ...) -> (i32, none)
    attributes {argNames = ["x", "n", "ctl"], resNames = ["r0", "done"]} {
  %ctl_f:3 = fork [3] %ctl : none
  %zero = constant %ctl_f#0 {value = 0 : index} : index
  %one = constant %ctl_f#1 {value = 1 : index} : index
  %init = arith.constant 0 : i32
  %idx, %rc = "dataflow.stream"(%zero, %one, %n) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  sink %idx : index
  %rc_f:2 = fork [2] %rc : i1
  %term, %last = "loom.invariant_br"(%rc_f#0, %x) : (i1, i32) -> (i32, i32)
  sink %last : i32
  %acc, %sum = "loom.carry_br"(%rc_f#1, %init, %next) : (i1, i32, i32) -> (i32, i32)
  %next = arith.addi %acc, %term : i32
  return %sum, %ctl_f#2 : i32, none
}
