func.func @skip(%a: memref<?xi32>, %n: i32) -> i32 {
  %0 = ub.poison : i32
  %1 = arith.constant true
  %2 = arith.constant false
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %3:4 = scf.while (%i = %zero, %s = %zero) : (i32, i32) -> (i32, i32, i32, i32) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %zero, %s, %s : i32, i32, i32, i32
  } do {
  ^bb0(%i_0: i32, %j: i32, %t: i32, %4: i32):
    %5, %6, %w = scf.while (%j_0 = %j, %t_0 = %t) : (i32, i32) -> (i32, i32, i32) {
      %again = arith.cmpi slt, %j_0, %i_0 : i32
      %v, %w_0, %7 = scf.if %again -> (i32, i32, i1) {
        %at = arith.index_cast %j_0 : i32 to index
        %x = memref.load %a[%at] : memref<?xi32>
        %negative = arith.cmpi slt, %x, %zero : i32
        %v_0, %w_1, %8 = scf.if %negative -> (i32, i32, i1) {
          scf.yield %t_0, %0, %1 : i32, i32, i1
        } else {
          %u = arith.addi %t_0, %x : i32
          %9 = arith.cmpi sle, %u, %five : i32
          scf.yield %u, %zero, %9 : i32, i32, i1
        }
        scf.yield %v_0, %w_1, %8 : i32, i32, i1
      } else {
        scf.yield %0, %t_0, %2 : i32, i32, i1
      }
      scf.condition(%7) %j_0, %v, %w_0 : i32, i32, i32
    } do {
    ^bb0(%j_1: i32, %v_1: i32, %w_2: i32):
      %j1 = arith.addi %j_1, %one : i32
      scf.yield %j1, %v_1 : i32, i32
    }
    %i1 = arith.addi %i_0, %one : i32
    scf.yield %i1, %w : i32, i32
  }
  func.return %3#3 : i32
}
