// One index stream: start, start + step, ... while the index is below the bound; idx has one element more than
// the loop has iterations, cont is true for each iteration and false once.
handshake.func @stream(%start: index, %step: index, %bound: index, ...) -> (index, i1)
    attributes {argNames = ["start", "step", "bound"], resNames = ["idx", "cont"]} {
  %idx, %cont = "dataflow.stream"(%start, %step, %bound) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  return %idx, %cont : index, i1
}
