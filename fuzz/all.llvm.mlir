"builtin.module"() ({
  "llvm.mlir.global"() <{constant, global_type = !llvm.array<4 x i32>, linkage = #llvm.linkage<internal>, sym_name = "table", value = dense<[1, 2, 3, 4]> : tensor<4xi32>}> ({
  }) : () -> ()
  "llvm.mlir.global"() <{global_type = !llvm.struct<(i32, array<2 x i16>)>, linkage = #llvm.linkage<internal>, sym_name = "state"}> ({
    %0 = "llvm.mlir.undef"() : () -> !llvm.struct<(i32, array<2 x i16>)>
    %1 = "llvm.mlir.constant"() <{value = 7 : i32}> : () -> i32
    %2 = "llvm.insertvalue"(%0, %1) <{position = array<i64: 0>}> : (!llvm.struct<(i32, array<2 x i16>)>, i32) -> !llvm.struct<(i32, array<2 x i16>)>
    %3 = "llvm.mlir.constant"() <{value = dense<[1, 2]> : tensor<2xi16>}> : () -> !llvm.array<2 x i16>
    %4 = "llvm.insertvalue"(%2, %3) <{position = array<i64: 1>}> : (!llvm.struct<(i32, array<2 x i16>)>, !llvm.array<2 x i16>) -> !llvm.struct<(i32, array<2 x i16>)>
    "llvm.return"(%4) : (!llvm.struct<(i32, array<2 x i16>)>) -> ()
  }) : () -> ()
  "llvm.func"() <{arg_attrs = [{llvm.noalias}, {llvm.noalias}, {}], function_type = !llvm.func<i32 (ptr, ptr, i32)>, sym_name = "memory"}> ({
  ^bb0(%a: !llvm.ptr, %b: !llvm.ptr, %n: i32):
    %one = "llvm.mlir.constant"() <{value = 1 : i32}> : () -> i32
    %size = "llvm.mlir.constant"() <{value = 64 : i64}> : () -> i64
    %byte = "llvm.mlir.constant"() <{value = 0 : i8}> : () -> i8
    %local = "llvm.alloca"(%one) <{elem_type = !llvm.array<16 x i32>}> : (i32) -> !llvm.ptr
    %table = "llvm.mlir.addressof"() <{global_name = @table}> : () -> !llvm.ptr
    %state = "llvm.mlir.addressof"() <{global_name = @state}> : () -> !llvm.ptr
    "llvm.intr.memset"(%local, %byte, %size) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
    "llvm.intr.memcpy"(%a, %b, %size) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
    "llvm.intr.memcpy.inline"(%a, %b) <{isVolatile = false, len = 16 : i64}> : (!llvm.ptr, !llvm.ptr) -> ()
    "llvm.intr.memmove"(%a, %local, %size) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
    %wide = "llvm.sext"(%n) : (i32) -> i64
    %at = "llvm.getelementptr"(%a, %wide) <{elem_type = i32, inbounds, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr, i64) -> !llvm.ptr
    %in = "llvm.getelementptr"(%table, %wide) <{elem_type = !llvm.array<4 x i32>, rawConstantIndices = array<i32: 0, -2147483648>}> : (!llvm.ptr, i64) -> !llvm.ptr
    %part = "llvm.getelementptr"(%state) <{elem_type = !llvm.struct<(i32, array<2 x i16>)>, rawConstantIndices = array<i32: 0, 1, 1>}> : (!llvm.ptr) -> !llvm.ptr
    %x = "llvm.load"(%at) <{ordering = 0 : i64}> : (!llvm.ptr) -> i32
    %y = "llvm.load"(%in) <{ordering = 0 : i64}> : (!llvm.ptr) -> i32
    %z = "llvm.load"(%part) <{ordering = 0 : i64}> : (!llvm.ptr) -> i16
    %sum = "llvm.add"(%x, %y) <{overflowFlags = #llvm.overflow<nsw>}> : (i32, i32) -> i32
    "llvm.store"(%sum, %at) <{ordering = 0 : i64}> : (i32, !llvm.ptr) -> ()
    "llvm.store"(%z, %part) <{ordering = 0 : i64}> : (i16, !llvm.ptr) -> ()
    %null = "llvm.mlir.zero"() : () -> !llvm.ptr
    %is = "llvm.icmp"(%b, %null) <{predicate = 0 : i64}> : (!llvm.ptr, !llvm.ptr) -> i1
    %either = "llvm.select"(%is, %a, %local) : (i1, !llvm.ptr, !llvm.ptr) -> !llvm.ptr
    %p = "llvm.ptrtoint"(%at) : (!llvm.ptr) -> i64
    %q = "llvm.ptrtoint"(%a) : (!llvm.ptr) -> i64
    %d = "llvm.sub"(%p, %q) : (i64, i64) -> i64
    %four = "llvm.mlir.constant"() <{value = 4 : i64}> : () -> i64
    %count = "llvm.sdiv"(%d, %four) : (i64, i64) -> i64
    %low = "llvm.trunc"(%count) : (i64) -> i32
    %w = "llvm.load"(%either) <{ordering = 0 : i64}> : (!llvm.ptr) -> i32
    %r = "llvm.xor"(%low, %w) : (i32, i32) -> i32
    "llvm.return"(%r) : (i32) -> ()
  }) : () -> ()
  "llvm.func"() <{function_type = !llvm.func<struct<(i32, f32)> (i32, f32, i64)>, sym_name = "control"}> ({
  ^bb0(%n: i32, %f: f32, %m: i64):
    %zero = "llvm.mlir.constant"() <{value = 0 : i32}> : () -> i32
    %one = "llvm.mlir.constant"() <{value = 1 : i32}> : () -> i32
    "llvm.br"(%zero, %f)[^bb1] : (i32, f32) -> ()
  ^bb1(%i: i32, %g: f32):
    %next = "llvm.add"(%i, %one) : (i32, i32) -> i32
    %h = "llvm.intr.fmuladd"(%g, %f, %g) : (f32, f32, f32) -> f32
    %less = "llvm.icmp"(%next, %n) <{predicate = 2 : i64}> : (i32, i32) -> i1
    "llvm.cond_br"(%less, %next, %h, %h)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 2, 1>}> : (i1, i32, f32, f32) -> ()
  ^bb2(%j: f32):
    "llvm.switch"(%n, %zero, %one)[^bb3, ^bb4, ^bb3] <{case_operand_segments = array<i32: 0, 1>, case_values = dense<[1, 2]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, i32) -> ()
  ^bb3(%k: i32):
    %s = "llvm.mlir.undef"() : () -> !llvm.struct<(i32, f32)>
    %t = "llvm.insertvalue"(%s, %k) <{position = array<i64: 0>}> : (!llvm.struct<(i32, f32)>, i32) -> !llvm.struct<(i32, f32)>
    %u = "llvm.insertvalue"(%t, %j) <{position = array<i64: 1>}> : (!llvm.struct<(i32, f32)>, f32) -> !llvm.struct<(i32, f32)>
    "llvm.return"(%u) : (!llvm.struct<(i32, f32)>) -> ()
  ^bb4:
    "llvm.unreachable"() : () -> ()
  }) : () -> ()
  "llvm.func"() <{function_type = !llvm.func<f64 (f64, f64)>, sym_name = "fmax"}> ({
  }) : () -> ()
  "llvm.func"() <{function_type = !llvm.func<f64 (i32, i32, f32, f64, i64, i1)>, sym_name = "numbers"}> ({
  ^bb0(%a: i32, %b: i32, %f: f32, %d: f64, %w: i64, %c: i1):
    %0 = "llvm.intr.smax"(%a, %b) : (i32, i32) -> i32
    %1 = "llvm.intr.abs"(%0) <{is_int_min_poison = false}> : (i32) -> i32
    %2 = "llvm.intr.fshl"(%1, %a, %b) : (i32, i32, i32) -> i32
    %3 = "llvm.intr.bswap"(%2) : (i32) -> i32
    %4 = "llvm.intr.ctlz"(%3) <{is_zero_poison = false}> : (i32) -> i32
    %5 = "llvm.intr.uadd.sat"(%4, %a) : (i32, i32) -> i32
    %6 = "llvm.intr.sadd.with.overflow"(%5, %b) : (i32, i32) -> !llvm.struct<(i32, i1)>
    %7 = "llvm.extractvalue"(%6) <{position = array<i64: 0>}> : (!llvm.struct<(i32, i1)>) -> i32
    %8 = "llvm.extractvalue"(%6) <{position = array<i64: 1>}> : (!llvm.struct<(i32, i1)>) -> i1
    %9 = "llvm.select"(%8, %7, %a) : (i1, i32, i32) -> i32
    %10 = "llvm.freeze"(%9) : (i32) -> i32
    %11 = "llvm.sitofp"(%10) : (i32) -> f32
    %12 = "llvm.fcmp"(%11, %f) <{predicate = 4 : i64}> : (f32, f32) -> i1
    %13 = "llvm.and"(%12, %c) : (i1, i1) -> i1
    %14 = "llvm.fneg"(%f) : (f32) -> f32
    %15 = "llvm.select"(%13, %14, %11) : (i1, f32, f32) -> f32
    %16 = "llvm.fpext"(%15) : (f32) -> f64
    %17 = "llvm.intr.powi"(%16, %b) : (f64, i32) -> f64
    %18 = "llvm.intr.sqrt"(%17) : (f64) -> f64
    %19 = "llvm.call"(%18, %d) <{callee = @fmax}> : (f64, f64) -> f64
    %20 = "llvm.bitcast"(%19) : (f64) -> i64
    %21 = "llvm.ashr"(%20, %w) : (i64, i64) -> i64
    %22 = "llvm.uitofp"(%21) : (i64) -> f64
    "llvm.return"(%22) : (f64) -> ()
  }) : () -> ()
}) : () -> ()
