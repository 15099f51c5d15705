//! Which region becomes the graph, what a fabric's limits make of it, and what is refused.

use loom_base::{Diagnostics, Source};
use loom_dfg::budget::Budget;
use loom_dfg::{Graph, OpKind};
use loom_front::compile::{compile, Aim, CompileOptions, Compiled};
use loom_front::select::candidates;
use std::sync::Arc;

const TWO_LOOPS: &str = r#"
func.func @two(%a: memref<16xi32> {llvm.noalias}, %b: memref<16xi32> {llvm.noalias}, %n: index, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %c1 {
    %t = arith.addi %x, %zero : i32
    scf.for %j = %c0 to %i step %c1 {
      memref.store %t, %a[%j] : memref<16xi32>
    }
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i32) {
    %v = memref.load %b[%i] : memref<16xi32>
    %next = arith.addi %acc, %v : i32
    scf.yield %next : i32
  }
  return %s : i32
}
"#;

fn run(text: &str, options: &CompileOptions) -> Result<Compiled, Diagnostics> {
    let source = Source::new("k.scf.mlir", text);
    let program = loom_front::parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
    compile(&program, options)
}

fn told(result: Result<Compiled, Diagnostics>) -> String {
    let errors = result.expect_err("refused");
    errors.iter().map(|d| d.render(&Source::new("k.scf.mlir", ""))).collect::<Vec<_>>().join("\n")
}

#[test]
fn candidates_respect_the_hierarchy_and_have_paths() {
    let program = loom_front::parse(&Source::new("k", TWO_LOOPS)).unwrap();
    let names: Vec<String> = candidates(&program.funcs[0]).into_iter().map(|c| c.name).collect();
    assert_eq!(names, ["function", "for0", "for1", "for0/for0"]);
}

#[test]
fn a_named_region_is_cut_out_with_what_it_uses() {
    let of = |domain: &str| {
        let options = CompileOptions { domain: Some(domain.into()), ..CompileOptions::default() };
        run(TWO_LOOPS, &options).unwrap()
    };
    let sum = of("for1");
    assert_eq!(sum.plain.func.name, "two_for1");
    let graph = &sum.lowered.graph;
    let ports: Vec<&str> = graph.arguments.iter().map(|&a| graph.value(a).name.as_str()).collect();
    assert_eq!((ports, graph.memories.len(), graph.outputs.len()), (vec!["n", "ctl"], 1, 2));
    let inner = of("for0/for0");
    let graph = &inner.lowered.graph;
    let ports: Vec<&str> = graph.arguments.iter().map(|&a| graph.value(a).name.as_str()).collect();
    assert_eq!(ports, ["i", "t", "ctl"]);
    let text =
        told(run(TWO_LOOPS, &CompileOptions { domain: Some("for2".into()), ..CompileOptions::default() }));
    assert!(text.contains("has no region `for2`") && text.contains("`for0/for0`"), "{text}");
}

#[test]
fn without_a_choice_the_largest_region_that_can_be_lowered_is_taken() {
    assert_eq!(run(TWO_LOOPS, &CompileOptions::default()).unwrap().domain, "function");
    let with_call = TWO_LOOPS.replace("  return", "  func.call @h(%n) : (index) -> ()\n  return")
        + "func.func private @h(index)\n";
    let function = Some("two".to_string());
    let whole = CompileOptions { function: function.clone(), ..CompileOptions::default() };
    assert_eq!(run(&with_call, &whole).unwrap().domain, "for0");
    let text = told(run(&with_call, &CompileOptions { domain: Some("function".into()), ..whole }));
    assert!(text.contains("a call of `@h`, which has no body"), "{text}");
}

#[test]
fn assertions_become_nothing_and_are_told() {
    let with_assert = TWO_LOOPS
        .replace("  return", "  cf.assert %ok, \"no\"\n  return")
        .replace("  %zero = arith", "  %ok = arith.cmpi sgt, %n, %c0 : index\n  %zero = arith");
    let [with, without] =
        [&with_assert, TWO_LOOPS].map(|text| run(text, &CompileOptions::default()).unwrap());
    assert_eq!(loom_dfg::print(&with.lowered.graph), loom_dfg::print(&without.lowered.graph));
    assert_eq!((with.domain.as_str(), with.warnings.len(), without.warnings.len()), ("function", 1, 0));
    assert_eq!(with.warnings[0].code.id, "F0108");
}

#[test]
fn a_fabric_that_is_too_small_is_named_with_what_is_missing() {
    let mut budget = Budget { fabric: "tiny".into(), pes: 64, ..Budget::default() };
    for &kind in OpKind::TABLE {
        budget.units.insert(kind.mnemonic(), 8);
    }
    let fits =
        run(TWO_LOOPS, &CompileOptions { room: Some(Arc::new(budget.clone())), ..CompileOptions::default() });
    assert!(fits.is_err(), "more constants than 8");
    budget.units.insert("handshake.constant", 64);
    budget.units.insert("handshake.cond_br", 64);
    run(TWO_LOOPS, &CompileOptions { room: Some(Arc::new(budget.clone())), ..CompileOptions::default() })
        .unwrap();
    budget.units.insert("handshake.store", 0);
    let text =
        told(run(TWO_LOOPS, &CompileOptions { room: Some(Arc::new(budget)), ..CompileOptions::default() }));
    assert!(text.contains("`function` of `@two` does not fit `tiny`"), "{text}");
    assert!(text.contains("1 of `handshake.store` are needed, `tiny` has 0"), "{text}");
    assert!(text.contains("`--domain for1` would fit"), "{text}");
}

/// Nine loads that one token starts and one waits for.
fn nine_loads() -> String {
    let mut text = String::from("func.func @nine(%a: memref<16xi32> {llvm.noalias}) -> i32 {\n");
    for i in 0..9 {
        text += &format!(
            "  %c{i} = arith.constant {i} : index\n  %v{i} = memref.load %a[%c{i}] : memref<16xi32>\n"
        );
    }
    text += "  %s0 = arith.addi %v0, %v1 : i32\n";
    for i in 2..9 {
        text += &format!("  %s{} = arith.addi %s{}, %v{i} : i32\n", i - 1, i - 2);
    }
    text + "  return %s7 : i32\n}\n"
}

fn joins(graph: &Graph) -> Vec<usize> {
    let mut widths: Vec<usize> = graph
        .node_ids()
        .filter_map(|n| match graph.kind(n) {
            OpKind::Join(w) => Some(w as usize),
            _ => None,
        })
        .collect();
    widths.sort_unstable();
    widths
}

#[test]
fn joins_become_trees_at_the_limit_and_below_two_they_are_refused() {
    let text = nine_loads();
    for (limit, want) in [(64, vec![9]), (1000, vec![9]), (9, vec![9]), (4, vec![3, 4, 4]), (8, vec![2, 8])] {
        let graph = run(&text, &CompileOptions { max_join_fanin: limit, ..CompileOptions::default() })
            .unwrap()
            .lowered
            .graph;
        assert_eq!(joins(&graph), want, "limit {limit}");
        assert_eq!(graph.max_join_fanin, Some(limit.min(64)));
    }
    let graph =
        run(&text, &CompileOptions { max_join_fanin: 2, ..CompileOptions::default() }).unwrap().lowered.graph;
    assert_eq!(joins(&graph), [2; 8]);
    for limit in [0, 1] {
        let text = told(run(&text, &CompileOptions { max_join_fanin: limit, ..CompileOptions::default() }));
        assert!(text.contains("waits for 9 tokens"), "{text}");
    }
    // A graph without wide joins needs none.
    let plain = "func.func @id(%x: i32) -> i32 {\n  return %x : i32\n}\n";
    run(plain, &CompileOptions { max_join_fanin: 0, ..CompileOptions::default() }).unwrap();
}

#[test]
fn what_cannot_be_lowered_is_named() {
    let refused = [
        ("func.func @f(%c: i1, %a: memref<4xi32>, %b: memref<4xi32>) -> i32 {\n  %z = arith.constant 0 : index\n  \
          %m = scf.if %c -> (memref<4xi32>) {\n    scf.yield %a : memref<4xi32>\n  } else {\n    scf.yield %b : memref<4xi32>\n  }\n  \
          %v = memref.load %m[%z] : memref<4xi32>\n  return %v : i32\n}\n", "a memref chosen by control flow"),
        ("func.func @f(%n: index) -> i32 {\n  %z = arith.constant 0 : index\n  %a = memref.alloc(%n) : memref<?xi32>\n  \
          %v = memref.load %a[%z] : memref<?xi32>\n  return %v : i32\n}\n", "whose size is not known"),
        ("func.func private @g(i32) -> i32\nfunc.func @f(%x: i32) -> i32 {\n  %y = func.call @g(%x) : (i32) -> i32\n  return %y : i32\n}\n",
         "a call of `@g`"),
        ("func.func @f(%n: i64, %s: i64) -> i64 {\n  %z = arith.constant 0 : i64\n  %r = scf.for %i = %z to %n step %s iter_args(%a = %z) -> (i64) : i64 {\n    \
          scf.yield %i : i64\n  }\n  return %r : i64\n}\n", "counts in more than the 32 bits"),
        ("func.func @f(%a: memref<2x2xi32, strided<[9223372036854775807, 9223372036854775807], offset: 9223372036854775807>>) -> i32 {\n  \
          %z = arith.constant 0 : index\n  %v = memref.load %a[%z, %z] : memref<2x2xi32, strided<[9223372036854775807, 9223372036854775807], offset: 9223372036854775807>>\n  \
          return %v : i32\n}\n", "strides leave its buffer"),
        ("func.func @f(%a: memref<4xi32, strided<[-1], offset: 2>>) -> i32 {\n  %z = arith.constant 0 : index\n  \
          %v = memref.load %a[%z] : memref<4xi32, strided<[-1], offset: 2>>\n  return %v : i32\n}\n", "strides leave its buffer"),
        ("func.func @f() -> i32 {\n  %z = arith.constant 0 : index\n  %a = memref.alloc() : memref<0xi32>\n  \
          %v = memref.load %a[%z] : memref<0xi32>\n  return %v : i32\n}\n", "an allocation without words"),
        ("func.func @f(%a: memref<?xi32>, %x: i32) {\n  %l = arith.constant -9223372036854775808 : index\n  %u = arith.constant 9223372036854775807 : index\n  \
          %o = arith.constant 1 : index\n  scf.for %i = %l to %u step %o {\n    memref.store %x, %a[%i] : memref<?xi32>\n  }\n  return\n}\n", "does not fit `index`"),
    ];
    for (text, words) in refused {
        let options = CompileOptions { domain: Some("function".into()), ..CompileOptions::default() };
        let told = told(run(text, &options));
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn a_switch_of_many_cases_grows_with_their_number() {
    let mut text =
        String::from("func.func @f(%i: index, %x: i32) -> i32 {\n  %r = scf.index_switch %i -> i32\n");
    for case in 1..=200 {
        text += &format!(
            "  case {case} {{\n    %y{case} = arith.divsi %x, %x : i32\n    scf.yield %y{case} : i32\n  }}\n"
        );
    }
    text += "  default {\n    scf.yield %x : i32\n  }\n  return %r : i32\n}\n";
    let graph = run(&text, &CompileOptions::default()).unwrap().lowered.graph;
    assert!(graph.nodes.len() < 10 * 200, "{} ops", graph.nodes.len());
}

#[test]
fn arrays_that_are_taken_to_be_apart_are_as_if_each_said_so() {
    let graph = |text: &str, noalias| {
        let options = CompileOptions { noalias, ..CompileOptions::default() };
        let compiled = run(text, &options).unwrap_or_else(|d| panic!("{d:?}"));
        (loom_dfg::print(&compiled.lowered.graph), compiled.plain.domains.count)
    };
    let shared = TWO_LOOPS.replace(" {llvm.noalias}", "");
    assert_ne!(shared, TWO_LOOPS);
    assert_eq!(graph(&shared, true), graph(TWO_LOOPS, false));
    assert_eq!((graph(&shared, true).1, graph(&shared, false).1), (2, 1));
}

#[test]
fn arrays_of_one_alias_set_share_a_domain_and_so_do_those_that_nobody_writes() {
    let count = |attributes: [&str; 4]| {
        let [a, b, c, d] = attributes;
        let text = format!(
            "func.func @f(%a: memref<?xi32> {{{a}}}, %b: memref<?xi32> {{{b}}}, %c: memref<?xi32> {{{c}}}, \
             %d: memref<?xi32> {{{d}}}, %i: index) {{
  %x = memref.load %a[%i] : memref<?xi32>
  %y = memref.load %b[%i] : memref<?xi32>
  %z = arith.addi %x, %y : i32
  memref.store %z, %c[%i] : memref<?xi32>
  memref.store %z, %d[%i] : memref<?xi32>
  return
}}
"
        );
        let compiled = run(&text, &CompileOptions::default()).unwrap_or_else(|d| panic!("{d:?}"));
        // What is printed is read again as the same.
        let printed = loom_front::print(&compiled.source);
        assert_eq!(
            run(&printed, &CompileOptions::default()).unwrap().source.funcs[0].argument_attributes,
            compiled.source.funcs[0].argument_attributes
        );
        compiled.plain.domains.count
    };
    let [alone, one, two] = ["llvm.noalias", "loom.alias_set = 1 : i32", "loom.alias_set = 2 : i32"];
    assert_eq!(count([""; 4]), 1);
    assert_eq!(count([alone; 4]), 3);
    assert_eq!(count([one, two, "", ""]), 2);
    assert_eq!(count([one, two, two, one]), 2);
    assert_eq!(count(["", "", one, two]), 3);
    assert_eq!(count([one, one, one, alone]), 2);
}

#[test]
fn for_room_alias_sets_have_orders_of_their_own_where_that_is_no_more_ops() {
    let compiled = |set: &str, aim| {
        let text = TWO_LOOPS.replacen("llvm.noalias", set, 1).replace(" {llvm.noalias}", "");
        let options = CompileOptions { aim, ..CompileOptions::default() };
        let compiled = run(&text, &options).unwrap_or_else(|d| panic!("{d:?}"));
        (compiled.lowered.graph.nodes.len(), compiled.plain.domains.count)
    };
    let (apart, joined) = ("loom.alias_set = 1 : i32", "loom.other");
    assert_eq!((compiled(apart, Aim::Speed).1, compiled(joined, Aim::Speed).1), (2, 1));
    let fewest = compiled(apart, Aim::Speed).0.min(compiled(joined, Aim::Speed).0);
    assert_eq!(compiled(apart, Aim::Room).0, fewest);
}
