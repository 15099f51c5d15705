// The specification's example, a zero-trip activation, and one of two steps.
// in: start 0 3 0
// in: step 1 1 5
// in: bound 4 3 10
// out: idx 0 1 2 3 4 3 0 5 10
// out: cont 1 1 1 1 0 0 1 1 0
handshake.func @stream(%start: index, %step: index, %bound: index) -> (index, i1) attributes {resNames = ["idx", "cont"]} {
  %idx, %cont = dataflow.stream %start, %step, %bound {step_op="+=", cont_cond="<"} : (index, index, index) -> (index, i1)
  return %idx, %cont : index, i1
}
