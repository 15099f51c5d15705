//! Unrolled loops compute what they did, for every bound, and become as many streams as they should; promises of
//! independence reach the copies and nothing else.

use loom_base::{Rng, Source};
use loom_front::compile::{compile, CompileOptions, Compiled};
use loom_front::domain::RootKind;
use loom_front::edit;
use loom_front::hints::Unroll;
use loom_front::ir::{Kind, OpId};
use loom_testkit::differential::{agreed, check, streams, Settings};
use loom_testkit::programs::{random_program, Call, RandomArgument, RandomOptions, RandomProgram};
use std::num::NonZeroU32;

fn compiled(text: &str) -> Compiled {
    let source = Source::new("k.scf.mlir", text);
    let module = loom_front::parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
    compile(&module, &CompileOptions::default()).unwrap_or_else(|d| panic!("{}", d[0].render(&source)))
}

/// A body whose result depends on the order of the iterations, behind `head`, which ends in the loop's first line.
fn for_loop(bounds: &str, hint: &str) -> String {
    format!(
        "func.func @f(%from: index, %to: index, %m: memref<8xi32>) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c12 = arith.constant 12 : index
  %c13 = arith.constant 13 : index
  %c14 = arith.constant 14 : index
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = {bounds} iter_args(%s = %zero) -> (i32) {{
    %at = arith.andi %i, %c7 : index
    %x = memref.load %m[%at] : memref<8xi32>
    %k = arith.index_cast %i : index to i32
    %t = arith.muli %s, %three : i32
    %u = arith.addi %t, %x : i32
    %v = arith.xori %u, %k : i32
    memref.store %v, %m[%at] : memref<8xi32>
    scf.yield %v : i32
  }} {{{hint}}}
  return %sum : i32
}}
"
    )
}

/// The same as a while, so that it counts otherwise.
fn while_loop(test: &str, step: &str, hint: &str) -> String {
    format!(
        "func.func @f(%from: i32, %to: i32, %m: memref<8xi32>) -> i32 {{
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last, %sum = scf.while (%i = %from, %s = %zero) : (i32, i32) -> (i32, i32) {{
    %go = arith.cmpi {test}, %i, %to : i32
    scf.condition(%go) %i, %s : i32, i32
  }} do {{
  ^bb0(%i: i32, %s: i32):
    %low = arith.andi %i, %seven : i32
    %at = arith.index_cast %low : i32 to index
    %x = memref.load %m[%at] : memref<8xi32>
    %t = arith.muli %s, %three : i32
    %u = arith.addi %t, %x : i32
    %v = arith.xori %u, %i : i32
    memref.store %v, %m[%at] : memref<8xi32>
    %next = arith.{step} overflow<nsw> : i32
    scf.yield %next, %v : i32, i32
  }} attributes {{{hint}}}
  return %sum : i32
}}
"
    )
}

/// Compares the program with its graphs, in both orders; the graph's streams.
fn checked(text: &str, calls: &[(i64, i64)]) -> usize {
    let scalar = |n: i64| RandomArgument::Scalar(n as u32 as u64);
    let calls = calls
        .iter()
        .map(|&(from, to)| Call { arguments: vec![scalar(from), scalar(to), RandomArgument::Buffer(0)] });
    streams(&agreed(text, vec![(1..9).collect()], calls.collect()))
}

const MOST: i64 = i32::MAX as i64;
const LEAST: i64 = i32::MIN as i64;

#[test]
fn bounds_that_are_not_known_leave_a_rest() {
    let up =
        &[(0, 0), (0, 1), (0, 3), (0, 4), (0, 9), (-5, 3), (5, -5), (MOST - 6, MOST), (LEAST, LEAST + 2)];
    for hint in ["loom.unroll = 2 : i64", "loom.unroll = 4 : i64"] {
        assert_eq!(checked(&for_loop("%from to %to step %c1", hint), up), 2, "{hint}");
        assert_eq!(checked(&for_loop("%from to %to step %c2", hint), up), 2, "{hint}");
    }
    // Three copies need a division: two it is. A step that is no power of two needs one besides.
    assert_eq!(checked(&for_loop("%from to %to step %c1", "loom.unroll = 3 : i64"), up), 2);
    assert_eq!(checked(&for_loop("%from to %to step %c3", "loom.unroll = 4 : i64"), &[(0, 10), (2, 2)]), 1);
    assert_eq!(checked(&for_loop("%from to %to step %c1", "loom.unroll = 1 : i64"), &[(0, 5)]), 1);
    // No bound, no copies for all iterations.
    assert_eq!(checked(&for_loop("%from to %to step %c1", "loom.unroll"), &[(0, 5)]), 1);
}

#[test]
fn other_directions_and_comparisons_are_unrolled_too() {
    let hint = "loom.unroll = 4 : i64";
    let up = &[(0, 0), (0, 9), (-3, 4), (4, -4), (LEAST, LEAST + 5), (MOST - 7, MOST - 3)];
    let down = &[(0, 0), (9, 0), (4, -3), (-4, 4), (LEAST + 7, LEAST + 2), (MOST, MOST - 6)];
    for (test, step, calls) in [
        ("slt", "addi %i, %one", up),
        ("sle", "addi %i, %one", up),
        ("sle", "addi %i, %two", up),
        ("sgt", "subi %i, %one", down),
        ("sge", "subi %i, %one", down),
        ("sge", "subi %i, %two", down),
    ] {
        assert_eq!(checked(&while_loop(test, step, hint), calls), 2, "{test} {step}");
    }
    assert_eq!(checked(&while_loop("ne", "addi %i, %one", hint), &[(0, 5), (3, 3)]), 1);
    // It does not count.
    assert_eq!(checked(&while_loop("slt", "muli %i, %i", hint), &[(2, 50)]), 0);
}

#[test]
fn bounds_that_are_known_need_no_rest_or_a_small_one() {
    for (bounds, hint, want) in [
        ("%c0 to %c12 step %c1", "loom.unroll = 4 : i64", 1),
        ("%c0 to %c13 step %c1", "loom.unroll = 4 : i64", 1),
        ("%c0 to %c14 step %c1", "loom.unroll = 4 : i64", 2),
        ("%c0 to %c14 step %c3", "loom.unroll = 2 : i64", 1),
        // Of seven, four at once would leave a loop of one round.
        ("%c0 to %c7 step %c1", "loom.unroll = 4 : i64", 0),
        ("%c0 to %c14 step %c1", "loom.unroll", 0),
        ("%c0 to %c12 step %c1", "", 1),
        // A loop of one iteration or none is no loop.
        ("%c0 to %c1 step %c1", "", 0),
        ("%c4 to %c1 step %c1", "", 0),
        ("%c0 to %c1 step %c1", "loom.unroll = 1 : i64", 1),
    ] {
        assert_eq!(checked(&for_loop(bounds, hint), &[(0, 0)]), want, "{bounds} {hint}");
    }
}

#[test]
fn small_bodies_without_accesses_are_unrolled_where_that_is_fewer_ops() {
    let text = |trips: usize, hint: &str| {
        format!(
            "func.func @f(%x: i32, %y: i32) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {trips} : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (i32) {{
    %t = arith.muli %s, %y : i32
    scf.yield %t : i32
  }} {{{hint}}}
  return %r : i32
}}
"
        )
    };
    // Six ops: body, stream, gate, carry, branch, and the value from outside.
    let ops = |trips, hint| compiled(&text(trips, hint)).lowered.graph.nodes.len();
    assert_eq!(ops(4, ""), 4);
    assert_eq!(ops(6, ""), 6);
    assert_eq!(ops(4, "loom.unroll = 1 : i64"), ops(7, ""));
    assert!(ops(6, "") <= ops(6, "loom.unroll = 1 : i64"));
}

fn accesses(made: &Compiled, store: bool) -> Vec<OpId> {
    let func = &made.plain.func;
    let wanted = if store { Kind::Store } else { Kind::Load };
    edit::walk(func).into_iter().filter(|&op| func.op(op).kind == wanted).collect()
}

/// `m[x[j + i]] += 1` in two loops.
fn scattered(outer: &str, inner: &str, memory: &str) -> String {
    format!(
        "func.func @f(%x: memref<?xi32> {{llvm.noalias}}, %m: memref<64xi32> {{llvm.noalias}}, %n: index, %k: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %own = memref.alloca() : memref<64xi32>
  scf.for %j = %c0 to %n step %c1 {{
    scf.for %i = %c0 to %k step %c1 {{
      %a = arith.addi %i, %j : index
      %b = memref.load %x[%a] : memref<?xi32>
      %at = arith.index_cast %b : i32 to index
      %v = memref.load %{memory}[%at] : memref<64xi32>
      %w = arith.addi %v, %one : i32
      memref.store %w, %{memory}[%at] : memref<64xi32>
    }} {{{inner}}}
  }} {{{outer}}}
  return
}}
"
    )
}

#[test]
fn a_promise_is_about_the_iterations_of_its_loop() {
    let loops = |made: &Compiled| -> Vec<OpId> {
        let func = &made.plain.func;
        edit::walk(func).into_iter().filter(|&op| matches!(func.op(op).kind, Kind::For { .. })).collect()
    };
    for (outer, inner, memory, want) in [
        ("", "", "m", [true, true]),
        ("", "loom.independent", "m", [true, false]),
        ("loom.independent", "", "m", [false, true]),
        // What the function allocates is out of the promise.
        ("loom.independent", "loom.independent", "own", [true, true]),
    ] {
        let made = compiled(&scattered(outer, inner, memory));
        let store = accesses(&made, true)[0];
        let found: Vec<bool> =
            loops(&made).iter().map(|&at| made.plain.deps.meet_across(at, store, store)).collect();
        assert_eq!(found, want, "{outer} {inner} {memory}");
        let own = matches!(made.plain.domains.roots[1].kind, RootKind::Alloc(_));
        assert_eq!(own, memory == "own");
    }
}

#[test]
fn copies_of_an_independent_loop_are_in_no_order() {
    // Main loop and rest, of three copies: two and one.
    let meets = |outer: &str, inner: &str, memory: &str| -> Vec<Vec<bool>> {
        let made = compiled(&scattered(outer, inner, memory));
        let stores = accesses(&made, true);
        let meet = |a: OpId, b: OpId| made.plain.deps.meet_within(a, b);
        stores.iter().map(|&a| stores.iter().map(|&b| a != b && meet(a, b)).collect()).collect()
    };
    let any = |rows: Vec<Vec<bool>>| rows.into_iter().flatten().any(|x| x);
    assert!(any(meets("", "loom.unroll = 2 : i64", "m")));
    assert!(!any(meets("", "loom.independent, loom.unroll = 2 : i64", "m")));
    assert!(any(meets("", "loom.independent, loom.unroll = 2 : i64", "own")));
    // The inner promise says nothing about different rounds of the outer loop, whose copies stand side by side.
    let both = meets("loom.unroll = 2 : i64", "loom.independent, loom.unroll = 2 : i64", "m");
    assert_eq!(both.len(), 9);
    for (a, row) in both.iter().enumerate() {
        for (b, &meet) in row.iter().enumerate() {
            // Copies 0 and 1 of the outer loop; its rest stands apart from both.
            assert_eq!(meet, a / 3 != b / 3, "{a} {b}");
        }
    }
}

#[test]
fn independent_copies_compute_the_same() {
    let text = for_loop("%c0 to %c7 step %c1", "loom.independent, loom.unroll = 2 : i64");
    // Of the words that iterations touch no two are the same, so the promise holds.
    checked(&text, &[(0, 0), (1, 1)]);
}

#[test]
fn hints_are_text() {
    let text = for_loop(
        "%from to %to step %c1",
        "loom.unroll = 4 : i64, loom.independent, loom.trips = array<i64: 1, 9>",
    );
    let module = loom_front::parse(&Source::new("k", text.as_str())).unwrap();
    let printed = loom_front::print(&module);
    assert!(printed.contains("} {loom.independent, loom.trips = array<i64: 1, 9>, loom.unroll = 4 : i64}\n"));
    assert_eq!(loom_front::print(&loom_front::parse(&Source::new("k", printed.as_str())).unwrap()), printed);
    let jumps = "func.func @f(%c: i1) {\n  cf.br ^bb1\n^bb1:\n  cf.cond_br %c, ^bb1, ^bb2 {loom.unroll}\n^bb2:\n  func.return\n}\n";
    let module = loom_front::parse(&Source::new("k", jumps)).unwrap();
    assert_eq!(loom_front::print(&module), jumps);
    for (hint, says) in [
        ("loom.unroll = 0 : i64", "the attribute `loom.unroll` must be a number of copies, at least 1"),
        ("loom.independent = 1 : i64", "the attribute `loom.independent` must be without a value"),
        ("loom.trips = array<i64: 4, 1>", "the attribute `loom.trips` must be `array<i64: least, most>`"),
    ] {
        let text = for_loop("%from to %to step %c1", hint);
        let errors = loom_front::parse(&Source::new("k", text)).unwrap_err();
        assert!(errors[0].message.starts_with(says), "{}", errors[0].message);
        assert_eq!(errors[0].code.id, "F0010");
    }
}

#[test]
fn a_hint_on_a_jump_is_about_the_loop_around_it() {
    let text = |at: [&str; 3]| {
        let [entry, inner, exit] = at;
        format!(
            "func.func @f(%n: index, %c: i1) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0 : index){entry}
^head(%i: index):
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body, ^end
^body:
  cf.br ^step{inner}
^step:
  %next = arith.addi %i, %c1 overflow<nsw> : index
  cf.br ^head(%next : index)
^end:
  cf.cond_br %c, ^one, ^two{exit}
^one:
  return
^two:
  return
}}
"
        )
    };
    let structured = |at| {
        let module = loom_front::parse(&Source::new("k", text(at))).unwrap();
        loom_front::inline::run(&module, &module.funcs[0], None).map(|func| {
            let func = func.into_owned();
            let op = edit::walk(&func).into_iter().find(|&op| func.op(op).kind == Kind::While).unwrap();
            func.op(op).hints
        })
    };
    assert!(structured(["", " {loom.independent}", ""]).unwrap().independent);
    assert!(structured(["", "", ""]).unwrap().is_empty());
    for lost in [[" {loom.independent}", "", ""], ["", "", " {loom.independent}"]] {
        assert_eq!(structured(lost).unwrap_err()[0].code.id, "F0109");
    }
}

#[test]
fn random_programs_mean_the_same_when_all_loops_are_unrolled() {
    let mut unrolled = 0;
    for seed in 0..160 {
        let mut program = random_program(&mut Rng::new(seed), &RandomOptions::default());
        let plain = |p: &RandomProgram| {
            compile(&p.source, &CompileOptions::default()).map(|c| c.lowered.graph.nodes.len())
        };
        let before = plain(&program);
        for func in &mut program.source.funcs {
            for op in edit::walk(func) {
                if matches!(func.op(op).kind, Kind::For { .. } | Kind::While) {
                    let copies = NonZeroU32::new(2 + (seed % 3) as u32);
                    func.op_mut(op).hints.unroll = copies.map(Unroll::By);
                }
            }
        }
        let settings = Settings { schedules: 2, seed, max_steps: 1_000_000 };
        check(&program, &settings)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", loom_front::print(&program.source)));
        unrolled += usize::from(plain(&program) != before);
    }
    assert!(unrolled > 30, "{unrolled}");
}

#[test]
fn innermost_loops_without_a_hint_can_be_told_together() {
    let streams = |hint: &str, copies: Option<u32>| {
        let inner = format!("loom.trips = array<i64: 1, 9>{hint}");
        let text = scattered("", &inner, "m");
        let module = loom_front::parse(&Source::new("k", text)).unwrap();
        let options =
            CompileOptions { copies: copies.and_then(NonZeroU32::new), ..CompileOptions::default() };
        streams(&compile(&module, &options).unwrap().lowered.graph)
    };
    // The inner loop gets one for what is left; the outer one, and one with a hint of its own, stay.
    assert_eq!(streams("", None), 2);
    assert_eq!(streams("", Some(1)), 2);
    assert_eq!(streams("", Some(2)), 3);
    assert_eq!(streams(", loom.unroll = 1 : i64", Some(2)), 2);
}
