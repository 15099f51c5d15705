func.func @out(%a: memref<?xi32>, %n: i32) -> i32 {
  %0 = ub.poison : i32
  %1 = arith.constant 6 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 4 : index
  %4 = arith.constant false
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %5:3 = scf.while (%i = %zero, %k = %zero) : (i32, i32) -> (i32, i32, i32) {
    %more = arith.cmpi slt, %i, %n : i32
    %m1, %6, %7 = scf.if %more -> (i32, i32, i1) {
      %8, %9, %m1_0, %10, %11 = scf.while (%j = %zero, %m = %k) : (i32, i32) -> (i32, i32, i32, i32, index) {
        %at = arith.index_cast %m : i32 to index
        %x = memref.load %a[%at] : memref<?xi32>
        %bad = arith.cmpi slt, %x, %zero : i32
        %j_0, %m_0, %m1_1, %12, %13 = scf.if %bad -> (i32, i32, i32, i32, index) {
          scf.yield %j, %m, %0, %j, %1 : i32, i32, i32, i32, index
        } else {
          %m1_2 = arith.addi %m, %one : i32
          %j1 = arith.addi %j, %one : i32
          %again = arith.cmpi slt, %j1, %n : i32
          %14 = arith.select %again, %j1, %j : i32
          %15 = arith.select %again, %m1_2, %m : i32
          %16 = arith.select %again, %2, %3 : index
          scf.yield %14, %15, %m1_2, %0, %16 : i32, i32, i32, i32, index
        }
        %17 = arith.cmpi eq, %13, %2 : index
        scf.condition(%17) %j_0, %m_0, %m1_1, %12, %13 : i32, i32, i32, i32, index
      } do {
      ^bb0(%j_1: i32, %m_1: i32, %m1_3: i32, %18: i32, %19: index):
        scf.yield %j_1, %m_1 : i32, i32
      }
      %20 = arith.cmpi eq, %11, %3 : index
      scf.yield %m1_0, %10, %20 : i32, i32, i1
    } else {
      scf.yield %0, %k, %4 : i32, i32, i1
    }
    scf.condition(%7) %i, %m1, %6 : i32, i32, i32
  } do {
  ^bb0(%i_0: i32, %m1_4: i32, %21: i32):
    %i1 = arith.addi %i_0, %one : i32
    scf.yield %i1, %m1_4 : i32, i32
  }
  func.return %5#2 : i32
}
