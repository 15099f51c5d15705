// sum: acc = init; for (i = lb; i < n; i += step) acc += i; result acc. The exit value is the false side of the
// split, so N = 0 gives init. All arithmetic is on index.
handshake.func @sum(%lb: index, %step: index, %n: index, %init: index, ...) -> (index)
    attributes {argNames = ["lb", "step", "n", "init"], resNames = ["sum"]} {
  %idx, %cont = "dataflow.stream"(%lb, %step, %n) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  %rc:3 = fork [3] %cont : i1
  %i, %ac = "dataflow.gate"(%idx, %rc#0) : (index, i1) -> (index, i1)
  sink %ac : i1
  %acc = "dataflow.carry"(%rc#1, %init, %next) : (i1, index, index) -> index
  %body, %exit = cond_br %rc#2, %acc : index
  %next = arith.addi %body, %i : index
  return %exit : index
}
