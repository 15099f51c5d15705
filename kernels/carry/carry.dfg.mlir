// One carry: gives a value of `a`, then a value of `b` for each true of `d`; a false of `d` ends the round.
handshake.func @carry(%d: i1, %a: i32, %b: i32, ...) -> (i32)
    attributes {argNames = ["d", "a", "b"], resNames = ["o"]} {
  %o = "dataflow.carry"(%d, %a, %b) : (i1, i32, i32) -> i32
  return %o : i32
}
