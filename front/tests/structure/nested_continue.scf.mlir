func.func @skip(%a: memref<?xi32>, %n: i32) -> i32 {
  %0 = arith.constant true
  %1 = ub.poison : i32
  %2 = arith.constant false
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %i, %t = scf.while (%i_0 = %zero, %s = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i_0, %n : i32
    scf.condition(%more) %i_0, %s : i32, i32
  } do {
  ^bb0(%i_1: i32, %t_0: i32):
    %j, %v, %w = scf.while (%j_0 = %zero, %t_1 = %t_0) : (i32, i32) -> (i32, i32, i32) {
      %again = arith.cmpi slt, %j_0, %i_1 : i32
      %v_0, %w_0, %3 = scf.if %again -> (i32, i32, i1) {
        %at = arith.index_cast %j_0 : i32 to index
        %x = memref.load %a[%at] : memref<?xi32>
        %negative = arith.cmpi slt, %x, %zero : i32
        %v_1, %4 = scf.if %negative -> (i32, i1) {
          scf.yield %t_1, %0 : i32, i1
        } else {
          %u = arith.addi %t_1, %x : i32
          %5 = arith.cmpi sle, %u, %five : i32
          scf.yield %u, %5 : i32, i1
        }
        scf.yield %v_1, %zero, %4 : i32, i32, i1
      } else {
        scf.yield %1, %t_1, %2 : i32, i32, i1
      }
      scf.condition(%3) %j_0, %v_0, %w_0 : i32, i32, i32
    } do {
    ^bb0(%j_1: i32, %v_2: i32, %w_1: i32):
      %j1 = arith.addi %j_1, %one : i32
      scf.yield %j1, %v_2 : i32, i32
    }
    %i1 = arith.addi %i_1, %one : i32
    scf.yield %i1, %w : i32, i32
  }
  func.return %t : i32
}
