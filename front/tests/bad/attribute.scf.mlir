func.func @f(%a: i32, %m: memref<4xi32>) attributes {a, a = 1} {
  return
}
func.func @g(%a: i32, %m: memref<4xi32>) {
  %0 = "arith.cmpi"(%a, %a) : (i32, i32) -> i1
  %1 = "arith.cmpi"(%a, %a) <{predicate = 10 : i64}> : (i32, i32) -> i1
  %2 = "arith.constant"() <{value = "x"}> : () -> i32
  %3 = "func.call"(%a) <{callee = 5 : i32}> : (i32) -> i32
  %4 = "memref.collapse_shape"(%m) <{reassociation = [0, 1]}> : (memref<4xi32>) -> memref<4xi32>
  %5 = "memref.get_global"() : () -> memref<4xi32>
  %6 = memref.collapse_shape %m [[-1]] : memref<4xi32> into memref<4xi32>
  return
}
"func.func"() <{function_type = i32, sym_name = "h"}> ({
}) : () -> ()
"memref.global"() <{sym_name = "k"}> : () -> ()
