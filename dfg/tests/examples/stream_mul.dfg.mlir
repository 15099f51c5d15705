// Powers of -3; != with a bound that is met.
// in: start 1
// in: step -3
// in: bound -27
// out: idx 1 -3 9 -27
// out: cont 1 1 1 0
handshake.func @stream(%start: index, %step: index, %bound: index) -> (index, i1) attributes {resNames = ["idx", "cont"]} {
  %idx, %cont = dataflow.stream %start, %step, %bound {step_op="*=", cont_cond="!="} : (index, index, index) -> (index, i1)
  return %idx, %cont : index, i1
}
