// Reductions of each kind, over one and two dimensions.
func.func @f(%a: memref<16xi32>, %b: memref<16xi32>, %n: index, %k: i32) -> (i32, i32, i32, i32, i32, i32) {
  affine.parallel (%i) = (0) to (16) step (2) {
    %x = affine.load %a[%i] : memref<16xi32>
    %y = arith.xori %x, %k : i32
    affine.store %y, %b[%i + 1] : memref<16xi32>
  }
  affine.parallel (%i) = (0) to (8) {
    affine.store %k, %b[%i * 2] : memref<16xi32>
  }
  %r:4 = affine.parallel (%i, %j) = (0, max(1, %n - 12)) to (4, min(4, %n)) step (1, 2)
      reduce ("addi", "muli", "andi", "ori") -> (i32, i32, i32, i32) {
    %x = affine.load %a[%i * 4 + %j] : memref<16xi32>
    affine.yield %x, %x, %x, %x : i32, i32, i32, i32
  }
  %one = arith.constant 1.0 : f32
  %lowest = affine.parallel (%i) = (0) to (%n) reduce ("minimumf") -> f32 {
    %x = affine.load %a[%i] : memref<16xi32>
    %y = arith.sitofp %x : i32 to f32
    affine.yield %y : f32
  }
  %more:2 = affine.parallel (%i) = (0) to (%n) reduce ("maximumf", "mulf") -> (f32, f32) {
    %x = affine.load %a[%i] : memref<16xi32>
    %y = arith.sitofp %x : i32 to f32
    affine.yield %y, %one : f32, f32
  }
  %sum = arith.addf %lowest, %more#1 : f32
  %low = arith.bitcast %sum : f32 to i32
  %high = arith.bitcast %more#0 : f32 to i32
  return %r#0, %r#1, %r#2, %r#3, %low, %high : i32, i32, i32, i32, i32, i32
}
