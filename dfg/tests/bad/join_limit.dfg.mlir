handshake.func @f(%a: none, %b: none, %c: i32, ...) -> (none)
    attributes {argNames = ["a", "b", "c"], resNames = ["done"], loom.adg_max_join_fanin = 2 : i32} {
  %j = join %a, %b, %c : none, none, i32
  return %j : none
}
