// One gate: turns N + 1 pairs of before-region value and condition into N body values and N body conditions.
handshake.func @gate(%before_value: i32, %before_cond: i1, ...) -> (i32, i1)
    attributes {argNames = ["before_value", "before_cond"], resNames = ["after_value", "after_cond"]} {
  %value, %cond = "dataflow.gate"(%before_value, %before_cond) : (i32, i1) -> (i32, i1)
  return %value, %cond : i32, i1
}
