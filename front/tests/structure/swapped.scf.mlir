func.func @f(%a: memref<?xi32>, %b: memref<?xi32>, %n: i32, %turns: i32) -> i32 {
  %0 = ub.poison : i32
  %1 = arith.constant true
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.constant 0 : index
  %t, %from = scf.while (%t_0 = %zero, %from_0 = %zero, %to = %one) : (i32, i32, i32) -> (i32, i32) {
    %go = arith.cmpi slt, %t_0, %turns : i32
    %t_1, %from_1, %2 = scf.if %go -> (i32, i32, i1) {
      %i = scf.while (%i_0 = %zero) : (i32) -> i32 {
        %more = arith.cmpi slt, %i_0, %n : i32
        scf.condition(%more) %i_0 : i32
      } do {
      ^bb0(%i_1: i32):
        %at = arith.index_cast %i_1 : i32 to index
        %x = memref.load %a[%at] : memref<?xi32>
        %double = arith.addi %x, %x : i32
        memref.store %double, %b[%at] : memref<?xi32>
        %j = arith.addi %i_1, %one overflow<nsw> : i32
        scf.yield %j : i32
      }
      %u = arith.addi %t_0, %one overflow<nsw> : i32
      %3 = arith.cmpi sge, %u, %turns : i32
      scf.yield %u, %one, %3 : i32, i32, i1
    } else {
      scf.yield %0, %from_0, %1 : i32, i32, i1
    }
    %4 = arith.xori %2, %1 : i1
    scf.condition(%4) %t_1, %from_1 : i32, i32
  } do {
  ^bb0(%t_2: i32, %from_2: i32):
    %i_2 = scf.while (%i_3 = %zero) : (i32) -> i32 {
      %more_0 = arith.cmpi slt, %i_3, %n : i32
      scf.condition(%more_0) %i_3 : i32
    } do {
    ^bb0(%i_4: i32):
      %at_0 = arith.index_cast %i_4 : i32 to index
      %y = memref.load %b[%at_0] : memref<?xi32>
      %double_0 = arith.addi %y, %y : i32
      memref.store %double_0, %a[%at_0] : memref<?xi32>
      %j_0 = arith.addi %i_4, %one overflow<nsw> : i32
      scf.yield %j_0 : i32
    }
    %u_0 = arith.addi %t_2, %one overflow<nsw> : i32
    scf.yield %u_0, %zero, %one : i32, i32, i32
  }
  %last = arith.cmpi eq, %from, %zero : i32
  %5 = scf.if %last -> (i32) {
    %r = memref.load %a[%first] : memref<?xi32>
    scf.yield %r : i32
  } else {
    %s = memref.load %b[%first] : memref<?xi32>
    scf.yield %s : i32
  }
  func.return %5 : i32
}
