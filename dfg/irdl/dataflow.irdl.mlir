// The dataflow dialect for tools that do not know it: with this file mlir-opt type-checks the four state machines.
//
//   mlir-opt-19 --allow-unregistered-dialect --irdl-file=dfg/irdl/dataflow.irdl.mlir graph.mlir
//
// The graph must be in generic form (tools/circt_check.py makes it). A constraint variable has one value in an
// operation, so two places that name it have the same type. What IRDL cannot say stays with the verifier of `loom`:
// that every value has one use, and that attributes have no other names than these.
irdl.dialect @dataflow {
  // (start, step, bound) to (index, will-continue): one activation each.
  irdl.operation @stream {
    %index = irdl.is index
    %i1 = irdl.is i1
    %add = irdl.is "+="
    %sub = irdl.is "-="
    %mul = irdl.is "*="
    %div = irdl.is "/="
    %shl = irdl.is "<<="
    %shr = irdl.is ">>="
    %step_op = irdl.any_of(%add, %sub, %mul, %div, %shl, %shr)
    %lt = irdl.is "<"
    %le = irdl.is "<="
    %gt = irdl.is ">"
    %ge = irdl.is ">="
    %ne = irdl.is "!="
    %cont_cond = irdl.any_of(%lt, %le, %gt, %ge, %ne)
    irdl.attributes { "step_op" = %step_op, "cont_cond" = %cont_cond }
    irdl.operands(%index, %index, %index)
    irdl.results(%index, %i1)
  }

  // (before value, before condition) to (after value, after condition): N + 1 pairs in, N out.
  irdl.operation @gate {
    %i1 = irdl.is i1
    %integer = irdl.base "!builtin.integer"
    %index = irdl.is index
    %bf16 = irdl.is bf16
    %f16 = irdl.is f16
    %f32 = irdl.is f32
    %f64 = irdl.is f64
    %none = irdl.is none
    %value = irdl.any_of(%integer, %index, %bf16, %f16, %f32, %f64, %none)
    irdl.operands(%value, %i1)
    irdl.results(%value, %i1)
  }

  // (condition, initial, carried) to value.
  irdl.operation @carry {
    %i1 = irdl.is i1
    %integer = irdl.base "!builtin.integer"
    %index = irdl.is index
    %bf16 = irdl.is bf16
    %f16 = irdl.is f16
    %f32 = irdl.is f32
    %f64 = irdl.is f64
    %none = irdl.is none
    %value = irdl.any_of(%integer, %index, %bf16, %f16, %f32, %f64, %none)
    irdl.operands(%i1, %value, %value)
    irdl.results(%value)
  }

  // (condition, first token) to value.
  irdl.operation @invariant {
    %i1 = irdl.is i1
    %integer = irdl.base "!builtin.integer"
    %index = irdl.is index
    %bf16 = irdl.is bf16
    %f16 = irdl.is f16
    %f32 = irdl.is f32
    %f64 = irdl.is f64
    %none = irdl.is none
    %value = irdl.any_of(%integer, %index, %bf16, %f16, %f32, %f64, %none)
    irdl.operands(%i1, %value)
    irdl.results(%value)
  }
}
