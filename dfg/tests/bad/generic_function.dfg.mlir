"handshake.func"() ({
^bb0(%a: i32):
  "handshake.return"(%a) : (i32) -> ()
}) {function_type = (i32) -> i32, sym_name = "f"} : () -> ()
