handshake.func @f(%a: none, %b: none, ...) -> (none)
    attributes {loom.adg_max_join_fanin = 1 : i32} {
  %j = join %a, %b : none, none
  return %j : none
}
