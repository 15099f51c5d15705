//! Words that a loop looks at and does not change: loaded once before it, with the same results over several calls.

use loom_dfg::{Graph, OpKind};
use loom_front::compile::Aim;
use loom_testkit::differential;
use loom_testkit::programs::Call;

/// Sums of rows whose ends the array `m` has, with something in the inner loop.
fn rows(arguments: &str, inside: &str) -> Graph {
    let program = format!(
        "func.func @f(%m: memref<16xi32>{arguments}, %k: memref<16xi32>{arguments}, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 {{
    %next = arith.addi %i, %c1 : index
    %from = memref.load %m[%i] : memref<16xi32>
    %r:2 = scf.while (%j = %from, %s = %zero) : (i32, i32) -> (i32, i32) {{
      %to = memref.load %m[%next] : memref<16xi32>
      %go = arith.cmpi slt, %j, %to : i32
      scf.condition(%go) %j, %s : i32, i32
    }} do {{
    ^bb0(%j: i32, %s: i32):
{inside}      %t = arith.addi %s, %j : i32
      %u = arith.addi %j, %one overflow<nsw> : i32
      scf.yield %u, %t : i32, i32
    }}
    memref.store %r#1, %k[%i] : memref<16xi32>
  }}
  return
}}
"
    );
    let ends = vec![0, 3, 3, 8, 9, 9, 9, 14, 15, 15, 15, 15, 15, 15, 15, 15];
    let calls = [([0, 1], 9), ([0, 1], 0), ([0, 1], 15)];
    let calls = calls.map(|(arrays, n)| Call::of(&arrays, &[n]));
    differential::agreed_for(Aim::Speed, &program, vec![ends, vec![7; 16]], calls.to_vec())
}

fn streams_and_loads(graph: &Graph) -> (usize, usize) {
    (differential::streams(graph), differential::accesses(graph).0)
}

#[test]
fn a_bound_in_memory_is_loaded_before_the_loop_that_counts_to_it() {
    let apart = " {llvm.noalias}";
    assert_eq!(streams_and_loads(&rows(apart, "")), (2, 2));
    // A store in the inner loop, to another array and to the one with the bounds.
    let store = |array: &str| {
        format!("      %at = arith.index_cast %j : i32 to index\n      memref.store %s, %{array}[%at] : memref<16xi32>\n")
    };
    assert_eq!(streams_and_loads(&rows(apart, &store("k"))).0, 2);
    assert_eq!(streams_and_loads(&rows("", &store("k"))).0, 1);
}

#[test]
fn a_loop_that_may_have_no_iteration_loads_nothing_before() {
    let of = |bound: &str| {
        let program = format!(
            "func.func @f(%m: memref<16xi32> {{llvm.noalias}}, %k: memref<16xi32> {{llvm.noalias}}, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %{bound} step %c1 {{
    %w = memref.load %m[%c0] : memref<16xi32>
    memref.store %w, %k[%i] : memref<16xi32>
  }}
  return
}}
"
        );
        let calls = [([0, 1], 9), ([0, 1], 0)].map(|(arrays, n)| Call::of(&arrays, &[n]));
        let words = vec![vec![3; 16], vec![7; 16]];
        differential::agreed_for(Aim::Speed, &program, words, calls.to_vec())
    };
    let repeats = |graph: &Graph| {
        graph
            .node_ids()
            .filter(|&n| {
                graph.kind(n) == OpKind::Invariant
                    && graph.value(graph.node(n).results[0]).ty == loom_dfg::Type::I32
            })
            .count()
    };
    // What is loaded once is repeated in the loop.
    assert_eq!((repeats(&of("c9")), repeats(&of("n"))), (1, 0));
}
