func.func @fall(%a: memref<4xi32>, %k: i32, %x: i32) -> i32 {
  %0 = ub.poison : i32
  %1 = arith.constant 5 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %two = arith.constant 2 : i32
  %at = arith.constant 0 : index
  %4 = arith.index_cast %k : i32 to index
  %y, %5 = scf.index_switch %4 -> i32, index
  case 0 {
    memref.store %x, %a[%at] : memref<4xi32>
    %d = arith.muli %x, %two : i32
    scf.yield %d, %2 : i32, index
  }
  case 1 {
    scf.yield %x, %2 : i32, index
  }
  case 2 {
    scf.yield %0, %3 : i32, index
  }
  default {
    scf.yield %0, %1 : i32, index
  }
  %6 = scf.index_switch %5 -> i32
  case 3 {
    %f = memref.load %a[%at] : memref<4xi32>
    scf.yield %f : i32
  }
  case 5 {
    scf.yield %x : i32
  }
  default {
    %e = arith.addi %y, %two : i32
    scf.yield %e : i32
  }
  func.return %6 : i32
}
