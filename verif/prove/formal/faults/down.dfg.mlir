// A stream that counts down.
handshake.func @down(%start: index, %step: index, %bound: index, ...) -> (index, i1)
    attributes {argNames = ["start", "step", "bound"], resNames = ["idx", "cont"]} {
  %idx, %cont = "dataflow.stream"(%start, %step, %bound) {step_op = "-=", cont_cond = ">"} : (index, index, index) -> (index, i1)
  return %idx, %cont : index, i1
}
