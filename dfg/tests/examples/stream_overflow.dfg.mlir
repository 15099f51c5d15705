// No index is above the largest bound: the update that wraps ends the activation with the next pair.
// in: start 2147483645
// in: step 1
// in: bound 2147483647
// out: idx 2147483645 2147483646 2147483647 -2147483648
// out: cont 1 1 1 0
handshake.func @stream(%start: index, %step: index, %bound: index) -> (index, i1) attributes {resNames = ["idx", "cont"]} {
  %idx, %cont = dataflow.stream %start, %step, %bound {step_op="+=", cont_cond="<="} : (index, index, index) -> (index, i1)
  return %idx, %cont : index, i1
}
