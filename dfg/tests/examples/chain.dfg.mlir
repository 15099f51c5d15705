// stream -> gate -> carry: body indices and conditions, and a carry over the body index.
// in: start 0 2
// in: step 1 1
// in: bound 4 3
// in: init 50 60
// out: v 0 1 2 3 2
// out: o 50 0 1 2 60
handshake.func @chain(%start: index, %step: index, %bound: index, %init: index) -> (index, index)
    attributes {argNames = ["start", "step", "bound", "init"], resNames = ["v", "o"]} {
  %idx, %cont = dataflow.stream %start, %step, %bound
  %i, %ac = dataflow.gate %idx, %cont : index, i1 -> index, i1
  %i_f:2 = fork [2] %i : index
  %ac_f:2 = fork [2] %ac : i1
  %again, %last = cond_br %ac_f#0, %i_f#0 : index
  %o = dataflow.carry %ac_f#1, %init, %again : i1, index, index -> index
  return %i_f#1, %o : index, index
}
