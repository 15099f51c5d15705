// A zero step stops the unit; the operands of the failed activation and of later ones stay.
// in: start 0 5 1
// in: step 1 0 1
// in: bound 2 9 3
// out: idx 0 1 2
// out: cont 1 1 0
// stop: RT_DATAFLOW_STREAM_ZERO_STEP 259
// left: 2 tokens of `%start` to start of `%idx` (dataflow.stream)
// left: 2 tokens of `%step` to step of `%idx` (dataflow.stream)
// left: 2 tokens of `%bound` to bound of `%idx` (dataflow.stream)
// left: `%idx` (dataflow.stream) is still in phase `failed`
handshake.func @stream(%start: index, %step: index, %bound: index) -> (index, i1) attributes {resNames = ["idx", "cont"]} {
  %idx, %cont = dataflow.stream %start, %step, %bound {step_op="+=", cont_cond="<"} : (index, index, index) -> (index, i1)
  return %idx, %cont : index, i1
}
