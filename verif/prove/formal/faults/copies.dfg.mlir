// Both ops get each token.
handshake.func @copies(%a: i32, ...) -> (i32, i32)
    attributes {argNames = ["a"], resNames = ["size", "ones"]} {
  %copy:2 = fork [2] %a : i32
  %size = math.absi %copy#0 : i32
  %ones = math.ctpop %copy#1 : i32
  return %size, %ones : i32, i32
}
