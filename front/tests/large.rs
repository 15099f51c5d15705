//! Programs as deep and as wide as a compiler of nested loops meets them: each pass does a bounded amount of work an
//! operation, so all of these take no time to speak of. What they compute is checked against the interpreter.

use loom_dfg::interp::{run, InterpOptions};
use loom_front::compile::{compile, CompileOptions};
use loom_front::interp::{Argument, Machine, MachineOptions};
use loom_testkit::programs::read;
use std::fmt::Write;

/// `%a, %b -> i32` with a body that ends in the value `last`.
fn function(body: &str, last: &str) -> String {
    format!("func.func @f(%a: i32, %b: i32) -> i32 {{\n{body}  return %{last} : i32\n}}\n")
}

/// The number of ops of the graph, whose meaning is that of the program.
fn compiled(text: &str) -> usize {
    let program = read(text);
    let graph = compile(&program, &CompileOptions::default()).unwrap().lowered.graph;
    let calls = [(3u64, 5u64), (0, 0), (7, 1)];
    let mut machine = Machine::new(&program, MachineOptions { index_width: 32, max_steps: 1_000_000 });
    let want: Vec<u64> = (calls.iter())
        .map(|&(a, b)| machine.call("f", &[Argument::Scalar(a), Argument::Scalar(b)]).unwrap()[0])
        .collect();
    let column = |pick: fn(&(u64, u64)) -> u64| calls.iter().map(pick).collect::<Vec<u64>>();
    let inputs = vec![column(|c| c.0), column(|c| c.1), vec![0; calls.len()]];
    let outcome = run(&graph, &inputs, &InterpOptions { max_steps: 100_000_000, ..InterpOptions::default() });
    assert!(outcome.is_complete());
    assert_eq!(outcome.outputs[0], want);
    graph.nodes.len()
}

/// As many loops inside each other as are allowed, `inner` inside the last.
fn nest(levels: usize, inner: &str) -> String {
    let mut text =
        "func.func @nest(%m: memref<4xi32>, %n: index, %x: i32) {\n  %c0 = arith.constant 0 : index\n  \
                    %c1 = arith.constant 1 : index\n"
            .to_string();
    for level in 0..levels {
        let _ = writeln!(text, "scf.for %i{level} = %c0 to %n step %c1 {{");
    }
    text.push_str(inner);
    text.push_str(&"}\n".repeat(levels));
    text + "return\n}\n"
}

#[test]
fn sixty_nested_loops() {
    let empty = compile(&read(&nest(60, "")), &CompileOptions::default()).unwrap();
    assert!(empty.lowered.graph.nodes.is_empty(), "loops that do nothing are gone");
    let storing = read(&nest(60, "memref.store %x, %m[%c1] : memref<4xi32>\n"));
    let graph = compile(&storing, &CompileOptions::default()).unwrap().lowered.graph;
    let streams = graph.nodes.iter().filter(|n| matches!(n.op, loom_dfg::Op::Stream(..))).count();
    assert_eq!(streams, 60);
}

#[test]
fn three_thousand_ops_in_a_line() {
    let mut body = String::new();
    for i in 0..1000 {
        let before = if i == 0 { "a".to_string() } else { format!("u{}", i - 1) };
        // One literal a line, few of them different; what changes nothing, what is there already, what nobody wants.
        let _ = writeln!(body, "  %c{i} = arith.constant {} : i32", i % 3);
        let _ = writeln!(body, "  %t{i} = arith.addi %{before}, %c{i} : i32");
        let _ = writeln!(body, "  %s{i} = arith.muli %a, %b : i32");
        let dead = if i == 0 { "b".to_string() } else { format!("d{}", i - 1) };
        let _ = writeln!(body, "  %d{i} = arith.subi %{dead}, %a : i32");
        let _ = writeln!(body, "  %u{i} = arith.xori %t{i}, %s{i} : i32");
    }
    // One product, two literals, and of each line the sum unless it adds zero, and the exclusive or.
    assert_eq!(compiled(&function(&body, "u999")), 1 + 2 + 666 + 1000);
}

#[test]
fn a_thousand_ifs_and_loops_in_a_line() {
    let mut body = "  %zero = arith.constant 0 : index\n  %one = arith.constant 1 : index\n  %n = arith.index_cast %b : i32 \
                    to index\n"
        .to_string();
    let mut last = "a".to_string();
    for i in 0..500 {
        let _ = writeln!(body, "  %p{i} = arith.cmpi slt, %{last}, %b : i32");
        let _ = writeln!(body, "  %v{i} = scf.if %p{i} -> (i32) {{");
        let _ = writeln!(body, "    %k = arith.addi %{last}, %b : i32\n    scf.yield %k : i32");
        let _ = writeln!(body, "  }} else {{\n    scf.yield %b : i32\n  }}");
        let _ =
            writeln!(body, "  %w{i} = scf.for %i = %zero to %n step %one iter_args(%s = %v{i}) -> (i32) {{");
        let _ = writeln!(body, "    %k = arith.muli %a, %v{i} : i32\n    %t = arith.xori %s, %k : i32");
        let _ = writeln!(body, "    scf.yield %t : i32\n  }}");
        last = format!("w{i}");
    }
    // An op or two for the select, and for the loop its state machines, with the product before it.
    let ops = compiled(&function(&body, &last));
    assert!((3000..10_000).contains(&ops), "{ops}");
}

/// Each case is a level of its own, whose values come through all levels around it.
#[test]
fn a_switch_of_two_thousand_cases() {
    let mut body =
        "  %i = arith.index_cast %a : i32 to index\n  %r = scf.index_switch %i -> i32\n".to_string();
    for k in 0..2000 {
        let _ = writeln!(body, "  case {k} {{\n    %c{k} = arith.constant {} : i32", 7 * k);
        let _ = writeln!(body, "    %v{k} = arith.muli %b, %c{k} : i32\n    scf.yield %v{k} : i32\n  }}");
    }
    body.push_str("  default {\n    scf.yield %b : i32\n  }\n");
    let graph = compile(&read(&function(&body, "r")), &CompileOptions::default()).unwrap().lowered.graph;
    assert!((10_000..30_000).contains(&graph.nodes.len()), "{}", graph.nodes.len());
}

/// Without marks any two arguments may overlap, so all accesses are one domain and each waits for the ones before it.
#[test]
fn three_hundred_arguments_that_may_overlap() {
    let arguments: Vec<String> = (0..300).map(|k| format!("%m{k}: memref<?xi32>")).collect();
    let mut text = format!("func.func @f({}, %i: index) {{\n", arguments.join(", "));
    for k in 0..300 {
        let _ = writeln!(text, "  %v{k} = memref.load %m{k}[%i] : memref<?xi32>");
        let _ = writeln!(text, "  memref.store %v{k}, %m{}[%i] : memref<?xi32>", 7 * k % 300);
    }
    let program = read(&(text + "  return\n}\n"));
    let graph = compile(&program, &CompileOptions::default()).unwrap().lowered.graph;
    assert_eq!(graph.memories.len(), 300);
}

/// Each two accesses of a memory are compared: far too many are refused before.
#[test]
fn far_too_many_accesses_are_refused_at_once() {
    let mut text = String::from("func.func @f(%a: memref<?xi32>, %b: i32, %i: index) {\n");
    for _ in 0..100_000 {
        text += "  memref.store %b, %a[%i] : memref<?xi32>\n";
    }
    text += "  return\n}\n";
    let wrong = compile(&read(&text), &CompileOptions::default()).expect_err("far too many");
    assert_eq!(wrong[0].code.id, "F0101");
    assert_eq!(wrong[0].message, "`a` has 100000 store sites, 255 are allowed");
}
