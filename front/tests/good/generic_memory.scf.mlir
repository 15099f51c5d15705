"builtin.module"() ({
  "memref.global"() <{constant, initial_value = dense<[[0.000000e+00, 2.000000e+00], [1.000000e+00, -3.500000e+00]]> : tensor<2x2xf32>, sym_name = "table", type = memref<2x2xf32>}> : () -> ()
  "memref.global"() <{initial_value = dense<> : tensor<0x4xi32>, sym_name = "zero", type = memref<0x4xi32>}> : () -> ()
  "memref.global"() <{initial_value = dense<-1> : tensor<4xi8>, sym_name = "splat", type = memref<4xi8>}> : () -> ()
  "memref.global"() <{initial_value = dense<[1, 2, -1]> : tensor<3xi16>, sym_name = "raw", type = memref<3xi16>}> : () -> ()
  "memref.global"() <{initial_value, sym_name = "later", type = memref<1024xi32>}> : () -> ()
  "memref.global"() <{initial_value, sym_name = "outside", type = memref<i1>}> : () -> ()
  "func.func"() <{arg_attrs = [{llvm.noalias}, {}, {}, {}], function_type = (memref<4x4xi32>, memref<?xi32>, memref<f32>, index) -> f32, sym_name = "access"}> ({
  ^bb0(%arg4: memref<4x4xi32>, %arg5: memref<?xi32>, %arg6: memref<f32>, %arg7: index):
    %10 = "memref.load"(%arg4, %arg7, %arg7) : (memref<4x4xi32>, index, index) -> i32
    "memref.store"(%10, %arg5, %arg7) : (i32, memref<?xi32>, index) -> ()
    %11 = "memref.load"(%arg6) : (memref<f32>) -> f32
    %12 = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<16xi32>
    %13 = "memref.alloca"(%arg7) <{operandSegmentSizes = array<i32: 1, 0>}> : (index) -> memref<4x?xf64>
    "memref.dealloc"(%12) : (memref<16xi32>) -> ()
    %14 = "memref.get_global"() <{name = @table}> : () -> memref<2x2xf32>
    %15 = "arith.constant"() <{value = 0 : index}> : () -> index
    %16 = "memref.dim"(%arg5, %15) : (memref<?xi32>, index) -> index
    "func.return"(%11) : (f32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<8x8xi32>, memref<?xi32>, index, index) -> (), sym_name = "views"}> ({
  ^bb0(%arg0: memref<8x8xi32>, %arg1: memref<?xi32>, %arg2: index, %arg3: index):
    %0 = "memref.cast"(%arg0) : (memref<8x8xi32>) -> memref<?x8xi32>
    %1 = "memref.subview"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 8, 8>, static_strides = array<i64: 1, 1>}> : (memref<8x8xi32>) -> memref<8x8xi32>
    %2 = "memref.subview"(%arg0, %arg2) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 1>, static_sizes = array<i64: 4, 3>, static_strides = array<i64: 1, 2>}> : (memref<8x8xi32>, index) -> memref<4x3xi32, strided<[8, 2], offset: ?>>
    %3 = "memref.subview"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 2, 0>, static_sizes = array<i64: 1, 8>, static_strides = array<i64: 1, 1>}> : (memref<8x8xi32>) -> memref<8xi32, strided<[1], offset: 16>>
    %4 = "memref.subview"(%arg1, %arg2, %arg3) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: -9223372036854775808>, static_strides = array<i64: 1>}> : (memref<?xi32>, index, index) -> memref<?xi32, strided<[1], offset: ?>>
    %5 = "memref.reinterpret_cast"(%arg1, %arg2, %arg3, %arg3) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 4, -9223372036854775808>, static_strides = array<i64: -9223372036854775808, 1>}> : (memref<?xi32>, index, index, index) -> memref<4x?xi32, strided<[?, 1], offset: ?>>
    %6 = "memref.reinterpret_cast"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 64>, static_strides = array<i64: 1>}> : (memref<8x8xi32>) -> memref<64xi32>
    %7 = "memref.collapse_shape"(%arg0) <{reassociation = [[0, 1]]}> : (memref<8x8xi32>) -> memref<64xi32>
    %8 = "memref.expand_shape"(%7) <{reassociation = [[0, 1, 2]], static_output_shape = array<i64: 4, 2, 8>}> : (memref<64xi32>) -> memref<4x2x8xi32>
    %9 = "memref.expand_shape"(%arg1, %arg3) <{reassociation = [[0, 1]], static_output_shape = array<i64: -9223372036854775808, 4>}> : (memref<?xi32>, index) -> memref<?x4xi32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

