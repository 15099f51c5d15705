// One invariant: gives a value of `a` once and again for each true of `d`; a false of `d` ends the round.
handshake.func @invariant(%d: i1, %a: i32, ...) -> (i32)
    attributes {argNames = ["d", "a"], resNames = ["o"]} {
  %o = "dataflow.invariant"(%d, %a) : (i1, i32) -> i32
  return %o : i32
}
