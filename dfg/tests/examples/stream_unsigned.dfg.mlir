// Through the middle of the range, where signed numbers end; -3 is 4294967293, and the update after -1 leaves the range.
// in: start 2147483646 -3 3
// in: step 1 1 -1
// in: bound -2147483647 -1 0
// out: idx 2147483646 2147483647 -2147483648 -2147483647 -2147483646 -3 -2 -1 0 3
// out: cont 1 1 1 1 0 1 1 1 0 0
handshake.func @stream(%start: index, %step: index, %bound: index) -> (index, i1) attributes {resNames = ["idx", "cont"]} {
  %idx, %cont = dataflow.stream %start, %step, %bound {step_op="+=", cont_cond="<=", unsigned} : (index, index, index) -> (index, i1)
  return %idx, %cont : index, i1
}
