func.func @early(%a: memref<4xi32>, %x: i32, %y: i32) -> i32 {
  %0 = arith.constant true
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %at = arith.constant 0 : index
  %first = arith.cmpi slt, %x, %zero : i32
  %1 = scf.if %first -> (i32) {
    scf.yield %zero : i32
  } else {
    %second = arith.cmpi slt, %y, %zero : i32
    %w, %2 = scf.if %second -> (i32, i1) {
      %z = memref.load %a[%at] : memref<4xi32>
      %3 = arith.cmpi ne, %z, %x : i32
      scf.yield %z, %3 : i32, i1
    } else {
      scf.yield %y, %0 : i32, i1
    }
    %4 = scf.if %2 -> (i32) {
      memref.store %w, %a[%at] : memref<4xi32>
      %s = arith.addi %w, %x : i32
      scf.yield %s : i32
    } else {
      scf.yield %one : i32
    }
    scf.yield %4 : i32
  }
  func.return %1 : i32
}
