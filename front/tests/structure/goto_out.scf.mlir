func.func @out(%a: memref<?xi32>, %n: i32) -> i32 {
  %0 = ub.poison : i32
  %1 = arith.constant 6 : index
  %2 = arith.constant 8 : index
  %3 = arith.constant 4 : index
  %4 = arith.constant false
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i, %m1, %5 = scf.while (%i_0 = %zero, %k = %zero) : (i32, i32) -> (i32, i32, i32) {
    %more = arith.cmpi slt, %i_0, %n : i32
    %m1_0, %6, %7 = scf.if %more -> (i32, i32, i1) {
      %m1_1, %8, %j, %9 = scf.while (%j_0 = %zero, %m = %k) : (i32, i32) -> (i32, i32, i32, index) {
        %at = arith.index_cast %m : i32 to index
        %x = memref.load %a[%at] : memref<?xi32>
        %bad = arith.cmpi slt, %x, %zero : i32
        %m1_2, %j_1, %10 = scf.if %bad -> (i32, i32, index) {
          scf.yield %0, %0, %1 : i32, i32, index
        } else {
          %m1_3 = arith.addi %m, %one : i32
          %j1 = arith.addi %j_0, %one : i32
          %again = arith.cmpi slt, %j1, %n : i32
          %11 = arith.select %again, %2, %3 : index
          scf.yield %m1_3, %j1, %11 : i32, i32, index
        }
        %12 = arith.cmpi eq, %10, %2 : index
        scf.condition(%12) %m1_2, %j_0, %j_1, %10 : i32, i32, i32, index
      } do {
      ^bb0(%m1_4: i32, %13: i32, %j_2: i32, %14: index):
        scf.yield %j_2, %m1_4 : i32, i32
      }
      %15 = arith.cmpi eq, %9, %3 : index
      scf.yield %m1_1, %8, %15 : i32, i32, i1
    } else {
      scf.yield %0, %k, %4 : i32, i32, i1
    }
    scf.condition(%7) %i_0, %m1_0, %6 : i32, i32, i32
  } do {
  ^bb0(%i_1: i32, %m1_5: i32, %16: i32):
    %i1 = arith.addi %i_1, %one : i32
    scf.yield %i1, %m1_5 : i32, i32
  }
  func.return %5 : i32
}
