// Why the table of D1 has a second column: an invariant on the body condition keeps its token when N = 0.
// in: start 0
// in: step 1
// in: bound 0
// in: x 7
// out: o 7
// left: `%o` (dataflow.invariant) is still in phase `replay`
handshake.func @stale(%start: index, %step: index, %bound: index, %x: i32) -> (i32) attributes {resNames = ["o"]} {
  %idx, %cont = dataflow.stream %start, %step, %bound
  %i, %ac = dataflow.gate %idx, %cont : index, i1 -> index, i1
  sink %i : index
  %o = dataflow.invariant %ac, %x : i1, i32 -> i32
  return %o : i32
}
