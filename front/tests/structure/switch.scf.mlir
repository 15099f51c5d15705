func.func @pick(%a: memref<4xi32>, %k: i8, %x: i32) -> i32 {
  %at = arith.constant 0 : index
  %two = arith.constant 2 : i32
  %0 = arith.index_cast %k : i8 to index
  %1 = scf.index_switch %0 -> i32
  case -1 {
    memref.store %x, %a[%at] : memref<4xi32>
    scf.yield %two : i32
  }
  case 1 {
    %f = memref.load %a[%at] : memref<4xi32>
    scf.yield %f : i32
  }
  default {
    scf.yield %x : i32
  }
  func.return %1 : i32
}
