handshake.func @f(%a: none, %b: none, %c: none, ...) -> (none)
    attributes {argNames = ["x", "x", "two words"], resNames = ["x"]} {
  %j = join %a, %b, %c : none, none, none
  return %j : none
}
