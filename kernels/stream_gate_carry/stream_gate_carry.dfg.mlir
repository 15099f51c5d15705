// The specification's chain: a stream's pairs go through a gate, whose body condition drives a carry. Results are the body
// index, the body condition, and the carried index: for N iterations `o` is the first `init`, then N - 1 body
// indices. A carry driven by a body condition needs N >= 1: with N = 0 nothing would end its round.
handshake.func @stream_gate_carry(%start: index, %step: index, %bound: index, %init: index, ...) -> (index, i1, index)
    attributes {argNames = ["start", "step", "bound", "init"], resNames = ["body_index", "body_cond", "o"]} {
  %idx, %cont = "dataflow.stream"(%start, %step, %bound) {step_op = "+=", cont_cond = "<"} : (index, index, index) -> (index, i1)
  %value, %cond = "dataflow.gate"(%idx, %cont) : (index, i1) -> (index, i1)
  %value_f:2 = fork [2] %value : index
  %cond_f:3 = fork [3] %cond : i1
  // The last body index has no successor: N - 1 of them are fed back.
  %next, %last = cond_br %cond_f#0, %value_f#0 : index
  %o = "dataflow.carry"(%cond_f#1, %init, %next) : (i1, index, index) -> index
  sink %last : index
  return %value_f#1, %cond_f#2, %o : index, i1, index
}
