func.func @pair(%c: i1, %x: i32, %n: i32) -> i32 {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %i = scf.if %c -> (i32) {
    scf.yield %x : i32
  } else {
    %l = arith.addi %x, %one : i32
    scf.yield %l : i32
  }
  %k = scf.while (%i_0 = %i) : (i32) -> i32 {
    %j = arith.muli %i_0, %two : i32
    %0 = arith.cmpi sle, %j, %n : i32
    scf.condition(%0) %j : i32
  } do {
  ^bb0(%k_0: i32):
    %l_0 = arith.addi %k_0, %one : i32
    scf.yield %l_0 : i32
  }
  func.return %k : i32
}
