//! What lowering makes: whole graphs with the source line of every op, names of ports, and which loops surely run.

use expect_test::expect_file;
use loom_base::Source;
use loom_dfg::graph::Use;
use loom_dfg::{Graph, OpKind};
use loom_front::compile::{compile, CompileOptions, Compiled};
use loom_front::order::Order;
use std::fmt::Write;
use std::path::Path;

fn compiled(source: &Source, order: Order) -> Compiled {
    let shown = |d: Vec<loom_base::Diagnostic>| d.iter().map(|d| d.render(source)).collect::<String>();
    let program = loom_front::parse(source).unwrap_or_else(|d| panic!("{}", shown(d)));
    compile(&program, &CompileOptions { order, ..CompileOptions::default() })
        .unwrap_or_else(|d| panic!("{}", shown(d)))
}

/// Programs with fences, branches with stores, loops in loops and two exits, in both orders. A change of the
/// lowering shows here; that the graphs compute the right thing is for differential.rs.
#[test]
fn graphs_of_kernels_are_as_reviewed() {
    for name in ["fence", "find_two_exits", "if_store", "csr_rowsum", "scratch"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../kernels/{name}/{name}.scf.mlir"));
        let text = std::fs::read_to_string(path).expect("a kernel");
        let source = Source::new(format!("{name}.scf.mlir"), text.as_str());
        let mut shown = String::new();
        for order in [Order::Serial, Order::Pipelined] {
            let lowered = compiled(&source, order).lowered;
            let _ = writeln!(shown, "// {order:?} order\n{}", loom_dfg::print(&lowered.graph));
            let lines: Vec<String> =
                lowered.graph.nodes.iter().map(|n| line(&text, n.span.clone())).collect();
            let _ = writeln!(shown, "// from lines {}", lines.join(" "));
            for a in &lowered.accesses {
                let path: Vec<usize> = a.path.iter().map(|p| p.1).collect();
                let kind = if a.is_store { "store" } else { "load" };
                let memory = &lowered.graph.memory(a.memory).name;
                let _ = writeln!(
                    shown,
                    "// access {}: {kind} {} of {memory}, domain {}, regions {path:?}, node {}",
                    a.index, a.port, a.domain, a.node.0
                );
            }
            let _ = writeln!(shown, "// fence: {}\n", lowered.has_fence);
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/lowered/{name}.txt"));
        expect_file![path].assert_eq(&shown);
    }
}

fn line(text: &str, span: Option<std::ops::Range<usize>>) -> String {
    span.map_or("-".into(), |s| (1 + text[..s.start].matches('\n').count()).to_string())
}

#[test]
fn ports_have_names_of_their_own() {
    let text = "func.func @names(%ctl: i32, %done: i32, %r0: i32, %r1: i32, %0: i32, %a.b: i32, %a_b: i32, %_x: i32,\n  \
                %a$b: i32, %unused: memref<4xi32>) -> (i32, i32) {\n  %s = arith.addi %ctl, %done : i32\n  \
                %s.1 = arith.addi %s, %r0 : i32\n  %3 = arith.addi %s.1, %r1 : i32\n  %t = arith.addi %3, %0 : i32\n  \
                %u = arith.addi %t, %a.b : i32\n  %done_1 = arith.addi %u, %a_b : i32\n  %w = arith.addi %done_1, %_x : i32\n  \
                %x = arith.addi %w, %a$b : i32\n  return %x, %s : i32, i32\n}\n";
    let graph = compiled(&Source::new("names.scf.mlir", text), Order::Pipelined).lowered.graph;
    let ports: Vec<&str> = graph.arguments.iter().map(|&a| graph.value(a).name.as_str()).collect();
    let wanted = ["ctl_1", "done_1", "r0_1", "r1_1", "arg4", "a_b", "a_b_1", "_x", "a_b_2", "ctl"];
    assert_eq!(ports, wanted);
    let outputs: Vec<&str> = graph.outputs.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(outputs, ["r0", "r1", "done"]);
    let values: Vec<&str> = graph.nodes.iter().map(|n| graph.value(n.results[0]).name.as_str()).collect();
    // `%3` has no name of its own; `%done_1` met the port that moved out of the way.
    assert_eq!(values[..2], ["s", "s_1"]);
    assert_eq!(values[3..], ["t", "u", "done_1_1", "w", "x"]);
}

/// A body is driven by `after_cond` exactly when its loop surely runs.
fn body_surely_runs(graph: &Graph) -> bool {
    let uses = graph.uses();
    let gate = graph.node_ids().find(|&n| graph.kind(n) == OpKind::Gate).expect("a loop with an index");
    let after = graph.result(gate, 1);
    uses[after.0 as usize].iter().any(|u| matches!(u, Use::Operand { .. }))
}

#[test]
fn a_guard_makes_its_loop_run_when_it_says_the_same() {
    let program = |guard: &str, side: usize, bounds: (&str, &str)| {
        let (from, to) = bounds;
        let body = format!(
            "    %l = scf.for %i = %{from} to %{to} step %c1 iter_args(%acc = %x) -> (i32) {{\n      \
             %k = arith.index_cast %i : index to i32\n      %m = arith.muli %k, %y : i32\n      \
             %next = arith.addi %acc, %m : i32\n      scf.yield %next : i32\n    }}\n    scf.yield %l : i32\n"
        );
        let other = "    scf.yield %y : i32\n".to_string();
        let (then, otherwise) = if side == 0 { (body, other) } else { (other, body) };
        let text = format!(
            "func.func @g(%a: index, %b: index, %d: index, %x: i32, %y: i32, %flag: i1) -> i32 {{\n  \
             %c1 = arith.constant 1 : index\n  %c5 = arith.constant 5 : index\n  %five = arith.constant 5 : index\n  \
             %c6 = arith.constant 6 : index\n  %c99 = arith.constant 99 : index\n  {guard}\n  %r = scf.if %c -> (i32) {{\n{then}  }} else {{\n{otherwise}  }}\n  \
             return %r : i32\n}}\n"
        );
        body_surely_runs(&compiled(&Source::new("g.scf.mlir", text), Order::Pipelined).lowered.graph)
    };
    let compare =
        |predicate: &str, a: &str, b: &str| format!("%c = arith.cmpi {predicate}, %{a}, %{b} : index");
    let bounds = ("a", "b");
    // The comparisons that say `a < b` on each side, as they stand and turned round.
    let says: [[&str; 2]; 2] = [["slt", "sgt"], ["sge", "sle"]];
    for predicate in ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"] {
        for (side, [straight, turned]) in says.into_iter().enumerate() {
            let found = program(&compare(predicate, "a", "b"), side, bounds);
            assert_eq!(found, predicate == straight, "{predicate} a, b; side {side}");
            let found = program(&compare(predicate, "b", "a"), side, bounds);
            assert_eq!(found, predicate == turned, "{predicate} b, a; side {side}");
        }
    }
    // Constants are the same when their values are; half a match is none.
    for (guard, bounds, runs) in [
        (compare("slt", "a", "c5"), ("a", "five"), true),
        (compare("slt", "a", "c5"), ("a", "c6"), false),
        (compare("slt", "c5", "b"), ("five", "b"), true),
        (compare("slt", "c6", "b"), ("five", "b"), false),
        (compare("sgt", "c5", "a"), ("a", "five"), true),
        (compare("slt", "a", "d"), ("a", "b"), false),
        (compare("slt", "d", "b"), ("a", "b"), false),
        (compare("sgt", "d", "a"), ("a", "b"), false),
        (compare("sgt", "b", "d"), ("a", "b"), false),
        ("%c = arith.andi %flag, %flag : i1".into(), ("a", "b"), false),
        (compare("slt", "a", "b"), ("c5", "c99"), true),
    ] {
        assert_eq!(program(&guard, 0, bounds), runs, "{guard}, {bounds:?}");
    }
    // An argument as the condition.
    let argument = "%c = arith.ori %flag, %flag : i1";
    assert!(!program(argument, 1, ("a", "b")));
}
