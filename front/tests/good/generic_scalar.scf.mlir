"builtin.module"() ({
  "func.func"() <{function_type = (i32, i32, i64, index, index) -> (i32, index), sym_name = "int"}> ({
  ^bb0(%arg4: i32, %arg5: i32, %arg6: i64, %arg7: index, %arg8: index):
    %47 = "arith.addi"(%arg4, %arg5) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
    %48 = "arith.subi"(%47, %arg5) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %49 = "arith.muli"(%48, %arg4) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
    %50 = "arith.divsi"(%49, %arg5) : (i32, i32) -> i32
    %51 = "arith.divui"(%50, %arg5) : (i32, i32) -> i32
    %52 = "arith.remsi"(%51, %arg5) : (i32, i32) -> i32
    %53 = "arith.remui"(%52, %arg5) : (i32, i32) -> i32
    %54 = "arith.ceildivsi"(%53, %arg5) : (i32, i32) -> i32
    %55 = "arith.ceildivui"(%54, %arg5) : (i32, i32) -> i32
    %56 = "arith.floordivsi"(%55, %arg5) : (i32, i32) -> i32
    %57 = "arith.andi"(%56, %arg5) : (i32, i32) -> i32
    %58 = "arith.ori"(%57, %arg5) : (i32, i32) -> i32
    %59 = "arith.xori"(%58, %arg5) : (i32, i32) -> i32
    %60 = "arith.shli"(%59, %arg5) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %61 = "arith.shrsi"(%60, %arg5) : (i32, i32) -> i32
    %62 = "arith.shrui"(%61, %arg5) : (i32, i32) -> i32
    %63 = "arith.maxsi"(%62, %arg5) : (i32, i32) -> i32
    %64 = "arith.maxui"(%63, %arg5) : (i32, i32) -> i32
    %65 = "arith.minsi"(%64, %arg5) : (i32, i32) -> i32
    %66 = "arith.minui"(%65, %arg5) : (i32, i32) -> i32
    %67 = "math.absi"(%66) : (i32) -> i32
    %68 = "math.ctlz"(%67) : (i32) -> i32
    %69 = "math.cttz"(%68) : (i32) -> i32
    %70 = "math.ctpop"(%69) : (i32) -> i32
    %71 = "llvm.intr.bitreverse"(%70) : (i32) -> i32
    %72 = "arith.extsi"(%71) : (i32) -> i64
    %73 = "arith.extui"(%71) : (i32) -> i64
    %74 = "arith.trunci"(%72) : (i64) -> i32
    %75 = "arith.index_cast"(%74) : (i32) -> index
    %76 = "arith.index_castui"(%arg6) : (i64) -> index
    %77 = "arith.cmpi"(%arg4, %arg5) <{predicate = 2 : i64}> : (i32, i32) -> i1
    %78 = "arith.select"(%77, %arg4, %74) : (i1, i32, i32) -> i32
    %79 = "ub.poison"() <{value = #ub.poison}> : () -> i32
    %80 = "arith.addi"(%78, %79) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %81 = "arith.addi"(%arg7, %arg8) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    %82 = "arith.subi"(%81, %arg8) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    %83 = "arith.muli"(%82, %arg8) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    %84 = "arith.divsi"(%83, %arg8) : (index, index) -> index
    %85 = "arith.divui"(%84, %arg8) : (index, index) -> index
    %86 = "arith.ceildivsi"(%85, %arg8) : (index, index) -> index
    %87 = "arith.ceildivui"(%86, %arg8) : (index, index) -> index
    %88 = "arith.floordivsi"(%87, %arg8) : (index, index) -> index
    %89 = "arith.remsi"(%88, %arg8) : (index, index) -> index
    %90 = "arith.remui"(%89, %arg8) : (index, index) -> index
    %91 = "arith.maxsi"(%90, %arg8) : (index, index) -> index
    %92 = "arith.maxui"(%91, %arg8) : (index, index) -> index
    %93 = "arith.minsi"(%92, %arg8) : (index, index) -> index
    %94 = "arith.minui"(%93, %arg8) : (index, index) -> index
    %95 = "arith.andi"(%94, %arg8) : (index, index) -> index
    %96 = "arith.ori"(%95, %arg8) : (index, index) -> index
    %97 = "arith.xori"(%96, %arg8) : (index, index) -> index
    %98 = "arith.shli"(%97, %arg8) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    %99 = "arith.shrsi"(%98, %arg8) : (index, index) -> index
    %100 = "arith.shrui"(%99, %arg8) : (index, index) -> index
    %101 = "arith.cmpi"(%100, %arg8) <{predicate = 6 : i64}> : (index, index) -> i1
    %102 = "arith.select"(%101, %100, %75) : (i1, index, index) -> index
    %103 = "arith.index_cast"(%102) : (index) -> i32
    %104 = "arith.index_castui"(%103) : (i32) -> index
    "func.return"(%80, %104) : (i32, index) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> i1, sym_name = "constants"}> ({
    %28 = "arith.constant"() <{value = 5 : i32}> : () -> i32
    %29 = "arith.constant"() <{value = -5 : i8}> : () -> i8
    %30 = "arith.constant"() <{value = -1 : i8}> : () -> i8
    %31 = "arith.constant"() <{value = true}> : () -> i1
    %32 = "arith.constant"() <{value = 255 : i16}> : () -> i16
    %33 = "arith.constant"() <{value = 7 : i64}> : () -> i64
    %34 = "arith.constant"() <{value = -1 : index}> : () -> index
    %35 = "arith.constant"() <{value = 3 : index}> : () -> index
    %36 = "arith.constant"() <{value = false}> : () -> i1
    %37 = "arith.constant"() <{value = 1.500000e+00 : f32}> : () -> f32
    %38 = "arith.constant"() <{value = -1.000000e-01 : f64}> : () -> f64
    %39 = "arith.constant"() <{value = 3.140630e+00 : f16}> : () -> f16
    %40 = "arith.constant"() <{value = 9.999220e+09 : bf16}> : () -> bf16
    %41 = "arith.constant"() <{value = 0x7FC00000 : f32}> : () -> f32
    %42 = "arith.constant"() <{value = 0xFF80 : bf16}> : () -> bf16
    %43 = "arith.constant"() <{value = 2.500000e+00 : f64}> : () -> f64
    %44 = "arith.constant"() <{value = 5.960460e-08 : f16}> : () -> f16
    %45 = "arith.constant"() <{value = 1.401300e-45 : f32}> : () -> f32
    %46 = "arith.constant"() <{value = 0x7F800000 : f32}> : () -> f32
    "func.return"(%36) : (i1) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (f32, f32, f64, i32) -> f32, sym_name = "float"}> ({
  ^bb0(%arg0: f32, %arg1: f32, %arg2: f64, %arg3: i32):
    %0 = "arith.addf"(%arg0, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %1 = "arith.subf"(%0, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %2 = "arith.mulf"(%1, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %3 = "arith.divf"(%2, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %4 = "arith.remf"(%3, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %5 = "arith.maximumf"(%4, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %6 = "arith.minimumf"(%5, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %7 = "arith.maxnumf"(%6, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %8 = "arith.minnumf"(%7, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %9 = "math.copysign"(%8, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %10 = "arith.negf"(%9) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %11 = "math.absf"(%10) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %12 = "math.sqrt"(%11) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %13 = "math.floor"(%12) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %14 = "math.ceil"(%13) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %15 = "math.trunc"(%14) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %16 = "math.round"(%15) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %17 = "math.roundeven"(%16) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %18 = "math.fma"(%17, %arg0, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32, f32) -> f32
    %19 = "arith.cmpf"(%18, %arg1) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
    %20 = "arith.extf"(%18) : (f32) -> f64
    %21 = "arith.truncf"(%20) : (f64) -> f32
    %22 = "arith.sitofp"(%arg3) : (i32) -> f32
    %23 = "arith.uitofp"(%arg3) : (i32) -> f32
    %24 = "arith.fptosi"(%22) : (f32) -> i32
    %25 = "arith.fptoui"(%23) : (f32) -> i32
    %26 = "arith.bitcast"(%25) : (i32) -> f32
    %27 = "arith.select"(%19, %26, %21) : (i1, f32, f32) -> f32
    "func.return"(%27) : (f32) -> ()
  }) : () -> ()
}) : () -> ()

