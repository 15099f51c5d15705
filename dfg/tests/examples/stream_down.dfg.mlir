// Down to zero, below zero by the last update.
// in: start 3
// in: step 1
// in: bound 0
// out: idx 3 2 1 0 -1
// out: cont 1 1 1 1 0
handshake.func @stream(%start: index, %step: index, %bound: index) -> (index, i1) attributes {resNames = ["idx", "cont"]} {
  %idx, %cont = dataflow.stream %start, %step, %bound {step_op="-=", cont_cond=">="} : (index, index, index) -> (index, i1)
  return %idx, %cont : index, i1
}
