// Halves, towards zero.
// in: start 9
// in: step 2
// in: bound 0
// out: idx 9 4 2 1 0
// out: cont 1 1 1 1 0
handshake.func @stream(%start: index, %step: index, %bound: index) -> (index, i1) attributes {resNames = ["idx", "cont"]} {
  %idx, %cont = dataflow.stream %start, %step, %bound {step_op="/=", cont_cond=">"} : (index, index, index) -> (index, i1)
  return %idx, %cont : index, i1
}
