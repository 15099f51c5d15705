// Arithmetic shift of a negative index ends at -1.
// in: start -8
// in: step 2
// in: bound -1
// out: idx -8 -2 -1
// out: cont 1 1 0
handshake.func @stream(%start: index, %step: index, %bound: index) -> (index, i1) attributes {resNames = ["idx", "cont"]} {
  %idx, %cont = dataflow.stream %start, %step, %bound {step_op=">>=", cont_cond="!="} : (index, index, index) -> (index, i1)
  return %idx, %cont : index, i1
}
