func.func @f(%a: i32, %m: memref<4xi32>, %i: index, %x: f32, %b: i1, %w: memref<4xi32, strided<[?], offset: 0>>) -> i32 {
  %q = affine.vector_load %m[%i] : memref<4xi32>, vector<4xi32>
  %v = vector.load %m[%i] : memref<4xi32>, vector<4xi32>
  %t = tensor.empty() : tensor<4xi32>
  linalg.fill ins(%a : i32) outs(%m : memref<4xi32>)
  %p = llvm.mlir.constant(1 : i32) : i32
  scf.forall (%j) in (%i) shared_outs(%o = %t) -> tensor<4xi32> {
  }
  scf.if %b {
    scf.execute_region {
      cf.br ^next
    ^next:
      scf.yield
    }
  }
  %base, %off, %size, %stride = memref.extract_strided_metadata %w : memref<4xi32, strided<[?], offset: 0>> -> memref<i32>, index, index, index
  %s = index.sizeof
  %e = math.erfc %x : f32
  %d = arith.constant dense<1> : tensor<4xi32>
  %r = arith.truncf %x downward : f32 to f16
  scf.for unsigned %j = %i to %i step %i {
  }
  %h = handshake.fork [2] %a : i32
  %al = memref.alloc()[%i] : memref<4xi32>
  return %a : i32
}
func.func @g(%m: memref<*xi32>) {
  return
}
gpu.module @k {
}
