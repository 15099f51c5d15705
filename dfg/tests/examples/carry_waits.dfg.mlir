// After a true condition a carry waits for b, whatever else is there.
// in: d 1 1
// in: a 10 11
// in: b
// out: o 10
// left: 1 token of `%d` to d of `%o` (dataflow.carry)
// left: 1 token of `%a` to a of `%o` (dataflow.carry)
// left: `%o` (dataflow.carry) is still in phase `wait for b`
// wait: `%o` (dataflow.carry) holds d `%d`, a `%a` and waits for b `%b`
handshake.func @carry(%d: i1, %a: i32, %b: i32) -> (i32) attributes {resNames = ["o"]} {
  %o = dataflow.carry %d, %a, %b : i1, i32, i32 -> i32
  return %o : i32
}
