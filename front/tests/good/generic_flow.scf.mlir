"builtin.module"() ({
  "func.func"() <{arg_attrs = [{}, {llvm.noalias}], function_type = (i32, memref<?xi32>) -> (i32, i32), sym_name = "callee", sym_visibility = "private"}> ({
  }) : () -> ()
  "func.func"() <{function_type = (i1, i32, i32) -> i32, sym_name = "if"}> ({
  ^bb0(%arg14: i1, %arg15: i32, %arg16: i32):
    "loom.fence"() : () -> ()
    "scf.if"(%arg14) ({
      "scf.yield"() : () -> ()
    }, {
    }) : (i1) -> ()
    "scf.if"(%arg14) ({
      "scf.yield"() : () -> ()
    }, {
      %20 = "arith.addi"(%arg15, %arg16) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "scf.yield"() : () -> ()
    }) : (i1) -> ()
    %17:2 = "scf.if"(%arg14) ({
      %19 = "arith.addi"(%arg15, %arg16) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "scf.yield"(%19, %arg15) : (i32, i32) -> ()
    }, {
      "scf.yield"(%arg16, %arg16) : (i32, i32) -> ()
    }) : (i1) -> (i32, i32)
    %18:2 = "scf.if"(%arg14) ({
      "scf.yield"(%17#0, %17#1) : (i32, i32) -> ()
    }, {
      "scf.yield"(%17#0, %arg16) : (i32, i32) -> ()
    }) : (i1) -> (i32, i32)
    "func.return"(%18#1) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (index, i32, i32) -> i32, sym_name = "loops"}> ({
  ^bb0(%arg3: index, %arg4: i32, %arg5: i32):
    %5 = "arith.constant"() <{value = 0 : index}> : () -> index
    %6 = "arith.constant"() <{value = 1 : index}> : () -> index
    %7 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %8 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    "scf.for"(%5, %arg3, %6) ({
    ^bb0(%arg12: index):
      "scf.for"(%arg12, %arg3, %6) ({
      ^bb0(%arg13: index):
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    %9 = "scf.for"(%7, %arg4, %8, %arg5) ({
    ^bb0(%arg10: i32, %arg11: i32):
      %16 = "arith.addi"(%arg11, %arg10) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "scf.yield"(%16) : (i32) -> ()
    }) : (i32, i32, i32, i32) -> i32
    %10:2 = "scf.while"(%9, %arg4) ({
    ^bb0(%arg8: i32, %arg9: i32):
      %15 = "arith.cmpi"(%arg8, %arg9) <{predicate = 1 : i64}> : (i32, i32) -> i1
      "scf.condition"(%15, %arg8, %arg9) : (i1, i32, i32) -> ()
    }, {
    ^bb0(%arg6: i32, %arg7: i32):
      %14 = "arith.addi"(%arg6, %8) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "scf.yield"(%14, %arg7) : (i32, i32) -> ()
    }) : (i32, i32) -> (i32, i32)
    "scf.while"() ({
      %13 = "arith.constant"() <{value = false}> : () -> i1
      "scf.condition"(%13) : (i1) -> ()
    }, {
      "scf.yield"() : () -> ()
    }) : () -> ()
    %11 = "scf.index_switch"(%arg3) <{cases = array<i64: 2, -5>}> ({
      "scf.yield"(%7) : (i32) -> ()
    }, {
      "scf.yield"(%10#0) : (i32) -> ()
    }, {
      "scf.yield"(%10#1) : (i32) -> ()
    }) : (index) -> i32
    "scf.index_switch"(%arg3) <{cases = array<i64>}> ({
      "scf.yield"() : () -> ()
    }) : (index) -> ()
    %12:2 = "scf.index_switch"(%arg3) <{cases = array<i64: 0>}> ({
      "scf.yield"(%7, %5) : (i32, index) -> ()
    }, {
      "scf.yield"(%11, %arg3) : (i32, index) -> ()
    }) : (index) -> (i32, index)
    "func.return"(%12#0) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i1, memref<4xi32>) -> i32, sym_name = "blocks"}> ({
  ^bb0(%arg0: i32, %arg1: i1, %arg2: memref<4xi32>):
    %0 = "memref.cast"(%arg2) : (memref<4xi32>) -> memref<?xi32>
    %1:2 = "func.call"(%arg0, %0) <{callee = @callee}> : (i32, memref<?xi32>) -> (i32, i32)
    "cf.assert"(%arg1) <{msg = "a \22quoted\22\0A message"}> : (i1) -> ()
    "cf.cond_br"(%arg1, %1#0)[^bb2, ^bb3] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
  ^bb1(%2: i32):  // 2 preds: ^bb1, ^bb2
    "cf.switch"(%2, %4, %arg0)[^bb3, ^bb2, ^bb1] <{case_operand_segments = array<i32: 1, 1>, case_values = dense<[1, -2]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 0, 2>}> : (i32, i32, i32) -> ()
  ^bb2(%3: i32):  // 2 preds: ^bb0, ^bb1
    %4 = "arith.addi"(%3, %arg0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    "cf.br"(%4)[^bb1] : (i32) -> ()
  ^bb3:  // 2 preds: ^bb0, ^bb1
    "func.return"(%arg0) : (i32) -> ()
  }) : () -> ()
}) : () -> ()

