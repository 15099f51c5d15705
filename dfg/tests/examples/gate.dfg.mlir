// The specification's example, then a zero-trip activation, then a single iteration.
// in: value 10 11 12 13 14 20 30 31
// in: cond 1 1 1 1 0 0 1 0
// out: v 10 11 12 13 30
// out: c 1 1 1 0 0
handshake.func @gate(%value: i32, %cond: i1) -> (i32, i1) attributes {resNames = ["v", "c"]} {
  %v, %c = dataflow.gate %value, %cond : i32, i1 -> i32, i1
  return %v, %c : i32, i1
}
