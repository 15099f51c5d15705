//! Which whiles become counting loops, with which step and condition; and that both forms mean the same.

use loom_base::Source;
use loom_dfg::interp::{run, InterpOptions};
use loom_dfg::{Op, StepOp};
use loom_front::compile::{compile, CompileOptions};
use loom_front::interp::{Argument, Machine, MachineOptions};
use loom_testkit::differential::agreed;
use loom_testkit::programs::{Call, RandomArgument};

/// A while over `ty` from %from, with an accumulated sum and the last value as results.
fn program(ty: &str, predicate: &str, bound: &str, step: &str) -> String {
    let (bound_value, bound_line) = match bound {
        "%to" => ("%to".to_string(), String::new()),
        literal => ("%bound".to_string(), format!("  %bound = arith.constant {literal} : {ty}\n")),
    };
    let (op, amount) = step.split_once(' ').unwrap();
    let (amount, flags) = amount.split_once(' ').map_or((amount, ""), |(a, f)| (a, f));
    format!(
        "func.func @f(%from: {ty}, %to: {ty}) -> ({ty}, {ty}) {{\n{bound_line}  %amount = arith.constant {amount} : {ty}\n  \
         %zero = arith.constant 0 : {ty}\n  \
         %r:2 = scf.while (%i = %from, %s = %zero) : ({ty}, {ty}) -> ({ty}, {ty}) {{\n    \
         %go = arith.cmpi {predicate}, %i, {bound_value} : {ty}\n    \
         scf.condition(%go) %i, %s : {ty}, {ty}\n  }} do {{\n  ^bb0(%k: {ty}, %t: {ty}):\n    \
         %u = arith.addi %t, %k : {ty}\n    %next = arith.{op} %k, %amount {flags} : {ty}\n    \
         scf.yield %next, %u : {ty}, {ty}\n  }}\n  return %r#0, %r#1 : {ty}, {ty}\n}}\n"
    )
}

/// The stream of the compiled graph, as `step_op cont_cond`; the meaning is compared on the way.
fn raised(text: &str, index_width: u32, calls: &[(i64, i64)]) -> Option<String> {
    raised_for(text, &CompileOptions { index_width, ..CompileOptions::default() }, calls)
}

fn raised_for(text: &str, options: &CompileOptions, calls: &[(i64, i64)]) -> Option<String> {
    let index_width = options.index_width;
    let source = Source::new("k.scf.mlir", text);
    let module = loom_front::parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
    let compiled = compile(&module, options).unwrap();
    let graph = &compiled.lowered.graph;
    let mut machine = Machine::new(&module, MachineOptions { index_width, max_steps: 100_000 });
    let mut want = vec![Vec::new(); 2];
    let mut inputs = vec![Vec::new(); 2];
    for &(from, to) in calls {
        let arguments = [from, to].map(|v| Argument::Scalar(v as u64));
        let results = machine.call("f", &arguments).unwrap();
        (0..2).for_each(|k| want[k].push(results[k]));
        inputs[0].push(from as u64);
        inputs[1].push(to as u64);
    }
    inputs.push(vec![0; calls.len()]);
    let outcome = run(graph, &inputs, &InterpOptions { index_width, ..InterpOptions::default() });
    assert!(outcome.is_complete(), "{text}");
    assert_eq!(outcome.outputs[..2], want, "{text}");
    graph.nodes.iter().find_map(|n| match n.op {
        Op::Stream(counter, cond) => Some(format!("{counter} {}", cond.text())),
        _ => None,
    })
}

#[test]
fn a_loop_from_both_ends_counts_to_the_middle() {
    let of = |test: &str, least: i64, step: &str| {
        let range = format!("{{loom.least = {least} : i8, loom.most = 127 : i8}}");
        format!(
            "func.func @f(%from: i8 {range}, %to: i8 {range}) -> (i8, i8) {{
  %one = arith.constant 1 : i8
  %zero = arith.constant 0 : i8
  %r:3 = scf.while (%i = %from, %j = %to, %s = %zero) : (i8, i8, i8) -> (i8, i8, i8) {{
    %go = arith.cmpi {test} : i8
    scf.condition(%go) %i, %j, %s : i8, i8, i8
  }} do {{
  ^bb0(%i: i8, %j: i8, %s: i8):
    %x = arith.muli %s, %j : i8
    %t = arith.addi %x, %i : i8
    %up = arith.addi %i, %one overflow<nsw> : i8
    %down = arith.{step} : i8
    scf.yield %up, %down, %t : i8, i8, i8
  }}
  %d = arith.subi %r#1, %r#0 : i8
  return %r#2, %d : i8, i8
}}
"
        )
    };
    let calls = [(0, 9), (0, 8), (3, 3), (7, 2), (0, 127), (120, 127), (126, 126), (1, 0), (5, 6), (127, 0)];
    for test in ["slt, %i, %j", "sle, %i, %j", "sgt, %j, %i", "sge, %j, %i"] {
        let text = of(test, 0, "subi %j, %one overflow<nsw>");
        assert_eq!(raised(&text, 32, &calls).as_deref(), Some("+= <"), "{test}");
        // A distance that its width does not hold, and a step that may overflow.
        assert_eq!(raised(&of(test, -1, "subi %j, %one overflow<nsw>"), 32, &calls), None, "{test}");
        assert_eq!(raised(&of(test, 0, "subi %j, %one"), 32, &calls), None, "{test}");
    }
}

#[test]
fn a_bound_that_is_known_to_leave_room_is_one() {
    // Up to and with the bound, which every i32 may be, but not what makes it here.
    let plain = program("i32", "ule", "%to", "addi 1");
    assert_eq!(raised(&plain, 32, &[]), None);
    let calls = &[(0, 5), (3, 3), (7, 2), (1, 1000)];
    let promised = plain.replace("%to: i32", "%to: i32 {loom.least = 0 : i32, loom.most = 1000 : i32}");
    assert_eq!(raised(&promised, 32, calls).as_deref(), Some("+= unsigned <="));
    let low = "  %mask = arith.constant 1023 : i32\n  %low = arith.andi %to, %mask : i32\n  %amount";
    let masked = plain.replacen("  %amount", low, 1).replace("%i, %to", "%i, %low");
    assert_eq!(raised(&masked, 32, &[(0, 5), (3, -1)]).as_deref(), Some("+= unsigned <="));
    // Whoever comes so far has looked.
    let (head, body) = plain.split_once("  %zero").unwrap();
    let (body, _) = body.split_once("  return").unwrap();
    let looked = format!(
        "{head}  %most = arith.constant 1000 : i32\n  %c = arith.cmpi ule, %to, %most : i32\n  %zero0 = arith.constant 0 : i32\n  \
         %q:2 = scf.if %c -> (i32, i32) {{\n  %zero{body}  scf.yield %r#0, %r#1 : i32, i32\n  }} else {{\n  \
         scf.yield %zero0, %zero0 : i32, i32\n  }}\n  return %q#0, %q#1 : i32, i32\n}}\n"
    );
    assert_eq!(raised(&looked, 32, &[(0, 5), (3, -1), (990, 1000)]).as_deref(), Some("+= unsigned <="));
}

#[test]
fn counting_whiles_are_raised_where_no_step_overflows() {
    let up: &[(i64, i64)] = &[(0, 5), (3, 3), (7, 2), (-4, 1)];
    let down: &[(i64, i64)] = &[(5, 0), (3, 3), (2, 7), (1, -4)];
    let grow: &[(i64, i64)] = &[(1, 40), (3, 3), (5, 100)];
    for (ty, predicate, bound, step, calls, want) in [
        ("index", "slt", "%to", "addi 1", up, Some("+= <")),
        ("i32", "slt", "%to", "addi 1", up, Some("+= <")),
        ("i8", "slt", "%to", "addi 1", up, Some("+= <")),
        ("i64", "slt", "%to", "addi 1", up, None),
        ("index", "slt", "%to", "addi 3", up, None),
        ("index", "slt", "%to", "addi 3 overflow<nsw>", up, Some("+= <")),
        ("index", "slt", "20", "addi 3", up, Some("+= <")),
        ("i8", "slt", "120", "addi 8", up, Some("+= <")),
        ("i8", "slt", "120", "addi 9", up, None),
        ("i32", "sle", "%to", "addi 1", up, None),
        ("i32", "sle", "20", "addi 1", up, Some("+= <=")),
        ("index", "sgt", "%to", "subi 1", down, Some("+= >")),
        ("index", "sgt", "%to", "addi -1", down, Some("+= >")),
        ("index", "sge", "0", "addi -1", down, Some("+= >=")),
        ("index", "sge", "0", "subi 2", down, Some("+= >=")),
        ("index", "sge", "%to", "subi 2", down, None),
        ("i32", "slt", "20", "subi -2", up, Some("+= <")),
        ("i32", "ne", "%to", "addi 1 overflow<nsw>", &[(0, 5), (4, 4)], Some("+= !=")),
        ("i32", "ne", "%to", "addi 1", &[(0, 5), (4, 4)], None),
        ("i32", "slt", "%to", "muli 2 overflow<nsw>", grow, Some("*= <")),
        ("i32", "slt", "%to", "muli 2", grow, None),
        ("i32", "slt", "%to", "shli 1 overflow<nsw>", grow, Some("<<= <")),
        ("i32", "sgt", "0", "shrsi 1", down, Some(">>= >")),
        ("i32", "sgt", "0", "divsi 3", down, Some("/= >")),
        // Unsigned numbers: -4 is a large one.
        (
            "i32",
            "ult",
            "%to",
            "addi 1",
            &[(0, 5), (3, 3), (-4, -1), (-4, 3), (i32::MAX as i64 - 2, i32::MIN as i64 + 2)],
            Some("+= unsigned <"),
        ),
        ("i8", "ult", "%to", "addi 1", &[(0, 5), (3, -100), (-4, -1)], Some("+= <")),
        ("index", "ult", "%to", "addi 1", up, Some("+= unsigned <")),
        ("index", "ult", "%to", "addi 3", &[(0, 9)], None),
        ("i32", "ult", "%to", "addi 3 overflow<nsw>", &[(0, 9)], None),
        ("i32", "ult", "20", "addi 3", up, Some("+= unsigned <")),
        ("i32", "ult", "-20", "addi 3", &[(-70, 5), (-21, 3)], Some("+= unsigned <")),
        ("i32", "ult", "-2", "addi 3", &[(-70, 5), (-20, 3)], None),
        ("i32", "ule", "20", "addi 1", up, Some("+= unsigned <=")),
        ("i32", "ule", "-1", "addi 1", &[], None),
        ("i32", "ugt", "0", "addi -1", &[(5, 0), (0, 0)], Some("+= unsigned >")),
        (
            "i32",
            "ugt",
            "%to",
            "subi 1",
            &[(5, 0), (3, 3), (-1, -9), (-2147483646, 2147483640), (3, -1)],
            Some("+= unsigned >"),
        ),
        ("i32", "uge", "1", "addi -1", &[(5, 0), (0, 0)], Some("+= unsigned >=")),
        ("i32", "uge", "0", "addi -1", &[], None),
        ("i32", "ugt", "1", "addi -3", &[], None),
        ("i32", "ult", "40", "muli 2", &[(1, 0), (39, 0), (-9, 0)], Some("*= unsigned <")),
        ("i32", "ult", "-1", "muli 2", &[], None),
        ("i32", "ule", "2147483647", "muli 2", &[(3, 0), (-1, 0)], Some("*= unsigned <=")),
        ("i32", "ule", "-2147483648", "muli 2", &[(3, 0)], None),
        ("i32", "ult", "5000", "shli 3", &[(1, 0), (4999, 0)], Some("<<= unsigned <")),
        ("i32", "ult", "%to", "shli 3", &[(1, 9)], None),
        ("i32", "ne", "0", "shrui 1", &[(100, 0), (-100, 0), (0, 0)], Some(">>= unsigned !=")),
        ("i32", "ugt", "9", "divui 10", &[(12345, 0), (-100, 0)], Some("/= unsigned >")),
        ("i32", "sgt", "0", "shrui 1", &[(9, 0)], None),
        ("i32", "ugt", "0", "shrsi 1", &[(9, 0)], None),
        ("i32", "ne", "0", "addi -1", &[(9, 0), (0, 0)], Some("+= unsigned !=")),
        ("i32", "ne", "0", "subi 1", &[(9, 0)], Some("+= unsigned !=")),
        ("i32", "ne", "0", "addi 1", &[], None),
        ("i8", "ne", "0", "shrui 1", &[(100, 0), (-100, 0)], Some(">>= !=")),
        ("i8", "ult", "-9", "addi 9", &[(3, 0), (-10, 0)], Some("+= <")),
        ("i8", "ult", "-8", "addi 9", &[(3, 0)], None),
        ("i32", "slt", "%to", "remsi 3", &[(5, 0)], None),
    ] {
        let text = program(ty, predicate, bound, step);
        assert_eq!(raised(&text, 32, calls).as_deref(), want, "{ty} {predicate} {bound} {step}");
    }
    // Without unsigned streams sums are counted from 2^31 lower, the rest stays as it is.
    for (step, want) in [("addi 1", Some("+= <")), ("muli 2", None)] {
        let text = program("i32", "ult", "40", step);
        let options = CompileOptions { unsigned_steps: Vec::new(), ..CompileOptions::default() };
        assert_eq!(raised_for(&text, &options, &[(5, 0), (39, 0), (-9, 0)]).as_deref(), want, "{step}");
    }
    // No more loops multiply than the fabric has streams for; sums are what every stream has.
    for (step, want) in [("addi 1", Some("+= <")), ("muli 2 overflow<nsw>", None)] {
        let text = program("i32", "slt", "40", step);
        let streams = vec![(StepOp::Add, 0), (StepOp::Mul, 0)];
        let options = CompileOptions { streams, ..CompileOptions::default() };
        assert_eq!(raised_for(&text, &options, &[(5, 0), (39, 0), (-9, 0)]).as_deref(), want, "{step}");
    }
    // A wider index counts what 32 bits do not.
    assert_eq!(raised(&program("i64", "slt", "%to", "addi 1"), 64, up).as_deref(), Some("+= <"));
}

#[test]
fn a_loop_counts_in_the_sum_that_it_tests() {
    let up: &[(i64, i64)] = &[(0, 9), (3, 6), (7, 2), (-4, 1), (-9, -9)];
    let low: &[(i64, i64)] = &[(0, 9), (0, 2), (0, 0), (0, 3), (5, 1)];
    for (ty, predicate, bound, (ahead, flags), step, calls, want) in [
        ("i32", "sle", "%to", ("3", "overflow<nsw>"), "addi 1 overflow<nsw>", up, Some("+= <=")),
        ("i32", "slt", "%to", ("3", ""), "addi 1", up, Some("+= <")),
        ("i32", "slt", "%to", ("-2", "overflow<nsw>"), "addi 1", up, Some("+= <")),
        ("index", "slt", "%to", ("1", "overflow<nsw>"), "addi 2 overflow<nsw>", up, Some("+= <")),
        ("i32", "sgt", "%to", ("-1", ""), "addi -1", up, Some("+= >")),
        ("i8", "slt", "100", ("4", ""), "addi 1", up, Some("+= <")),
        ("i32", "ult", "%to", ("1", ""), "addi 1", low, Some("+= unsigned <")),
        ("i32", "ule", "20", ("3", ""), "addi 1", low, Some("+= unsigned <=")),
        // Two numbers below zero the sum begins below 2^32 and goes on over it.
        ("i32", "ult", "%to", ("2", ""), "addi 1", &[(-2, 3), (-1, 3), (-3, 4)], Some("+= unsigned <")),
        // The sum may overflow where the counter does not.
        ("i32", "sle", "%to", ("3", ""), "addi 1 overflow<nsw>", up, None),
        ("i32", "slt", "%to", ("3", ""), "addi 2 overflow<nsw>", up, None),
        ("i32", "ule", "%to", ("3", ""), "addi 1", low, None),
        ("i32", "slt", "%to", ("3", "overflow<nsw>"), "muli 2 overflow<nsw>", &[(1, 40)], None),
    ] {
        let test = format!("%go = arith.cmpi {predicate}, %i,");
        let sum =
            format!("%sum = arith.addi %i, %ahead {flags} : {ty}\n    %go = arith.cmpi {predicate}, %sum,");
        let constant = format!("  %ahead = arith.constant {ahead} : {ty}\n  %zero");
        let text = program(ty, predicate, bound, step);
        let text = text.replacen(&test, &sum, 1).replacen("  %zero", &constant, 1);
        assert_eq!(
            raised(&text, 32, calls).as_deref(),
            want,
            "{ty} {predicate} {bound} {ahead} {flags} {step}"
        );
        // The body may see the sum too; behind the loop only what is carried is known.
        let seen = text
            .replacen("%go) %i, %s", "%go) %i, %s, %sum", 1)
            .replacen(&format!(": {ty}, {ty}\n  }} do"), &format!(": {ty}, {ty}, {ty}\n  }} do"), 1)
            .replacen(
                &format!("-> ({ty}, {ty}) {{\n    %sum"),
                &format!("-> ({ty}, {ty}, {ty}) {{\n    %sum"),
                1,
            )
            .replacen(&format!("%t: {ty}):"), &format!("%t: {ty}, %h: {ty}):"), 1)
            .replacen("%t, %k", "%t, %h", 1)
            .replacen("%r:2", "%r:3", 1);
        assert_eq!(
            raised(&seen, 32, calls).as_deref(),
            want,
            "seen: {ty} {predicate} {bound} {ahead} {step}"
        );
    }
}

#[test]
fn the_sum_that_is_tested_may_be_the_next_number_or_add_what_is_passed() {
    let calls: &[(i64, i64)] = &[(0, 9), (3, 6), (7, 2), (-4, 1), (-9, -9)];
    let program = |sum: &str, bound: &str, next: &str| {
        format!(
            "func.func @f(%from: i32, %to: i32) -> (i32, i32) {{\n  %c1 = arith.constant 1 : i32\n  \
             %c0 = arith.constant 0 : i32\n  %c9 = arith.constant 9 : i32\n  \
             %r:3 = scf.while (%i = %from, %s = %c0) : (i32, i32) -> (i32, i32, i32) {{\n    \
             %sum = arith.addi {sum} overflow<nsw> : i32\n    %go = arith.cmpi slt, %sum, {bound} : i32\n    \
             scf.condition(%go) %i, %s, %sum : i32, i32, i32\n  }} do {{\n  ^bb0(%k: i32, %t: i32, %h: i32):\n    \
             %u = arith.addi %t, %h : i32\n    %v = arith.xori %u, %k : i32\n    {next}\n    \
             scf.yield %n, %v : i32, i32\n  }}\n  return %r#0, %r#1 : i32, i32\n}}\n"
        )
    };
    let by_one = "%n = arith.addi %k, %c1 overflow<nsw> : i32";
    for (sum, bound, next, want) in [
        ("%i, %c1", "%to", by_one, Some("+= <")),
        ("%i, %c1", "%to", "%n = arith.addi %h, %c0 : i32", Some("+= <")),
        ("%i, %to", "%c9", by_one, Some("+= <")),
        ("%to, %i", "%c9", by_one, Some("+= <")),
        // What is added is the step.
        ("%i, %to", "%c9", "%n = arith.addi %h, %c0 : i32", Some("+= <")),
        // What is added is carried as well.
        ("%i, %s", "%c9", by_one, None),
    ] {
        // Some of these steps would not lead to the bound.
        let is_step = sum == "%i, %to" && next != by_one;
        let calls = if is_step { &[(9, 3), (1, 2)][..] } else { calls };
        assert_eq!(raised(&program(sum, bound, next), 32, calls).as_deref(), want, "{sum} {bound} {next}");
    }
}

/// A while whose number is moved by `%by`, which `step` makes of an argument: the streams of its graph.
fn open_steps(test: &str, step: &str, next: &str, calls: &[[u64; 3]]) -> usize {
    let text = format!(
        "func.func @f(%from: i32, %to: i32, %k: i32) -> (i32, i32) {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %many = arith.constant 1000 : i32
{step}
  %r:2 = scf.while (%i = %from, %s = %zero) : (i32, i32) -> (i32, i32) {{
    %go = arith.cmpi {test} : i32
    scf.condition(%go) %i, %s : i32, i32
  }} do {{
  ^bb0(%i: i32, %s: i32):
    %u = arith.addi %s, %i : i32
{next}
    scf.yield %next, %u : i32, i32
  }}
  return %r#0, %r#1 : i32, i32
}}
"
    );
    let calls = calls.iter().map(|numbers| Call::of(&[], numbers)).collect();
    let graph = agreed(&text, Vec::new(), calls);
    graph.nodes.iter().filter(|n| matches!(n.op, Op::Stream(..))).count()
}

#[test]
fn steps_from_outside_count() {
    let (up, down) = (
        "    %next = arith.addi %i, %by overflow<nsw> : i32",
        "    %next = arith.subi %i, %by overflow<nsw> : i32",
    );
    let argument = "  %by = arith.addi %k, %zero : i32";
    // A step of 0 is none where there is no turn.
    let rising = [[0, 20, 3], [5, 5, 0], [0, 7, 7], [9, 2, 0], [0, 8, 7]];
    let falling = rising.map(|[from, to, by]| [to, from, by]);
    assert_eq!(open_steps("slt, %i, %to", argument, up, &rising), 1);
    assert_eq!(open_steps("sgt, %i, %to", argument, down, &falling), 1);
    // Of the numbers of a step it is known that they lead nowhere else.
    let plain = &up.replace("overflow<nsw> ", "");
    let bounded = "  %low = arith.andi %k, %seven : i32\n  %by = arith.addi %low, %one : i32";
    assert_eq!(open_steps("slt, %i, %to", argument, plain, &rising[..1]), 0);
    assert_eq!(open_steps("slt, %i, %to", bounded, plain, &rising), 0);
    // Unsigned numbers may come to their end; below a bound of many of them they do not.
    assert_eq!(open_steps("ult, %i, %to", bounded, plain, &rising), 0);
    let bound = format!("{bounded}\n  %end = arith.andi %to, %many : i32");
    assert_eq!(open_steps("ult, %i, %end", &bound, plain, &rising), 1);
    // One that changes is none.
    let changing = "    %by = arith.addi %s, %one : i32\n    %next = arith.addi %i, %by overflow<nsw> : i32";
    assert_eq!(open_steps("slt, %i, %to", "", changing, &rising), 0);
}

#[test]
fn a_loop_around_it_may_carry_nothing() {
    let text = "func.func @f(%m: memref<4xi32>, %to: i32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %left = memref.load %m[%c0] : memref<4xi32>
    %go = arith.cmpi sgt, %left, %zero : i32
    scf.condition(%go)
  } do {
    %next = memref.load %m[%c0] : memref<4xi32>
    %end = scf.while (%i = %next) : (i32) -> i32 {
      %on = arith.cmpi ugt, %i, %to : i32
      scf.condition(%on) %i : i32
    } do {
    ^bb0(%i: i32):
      %less = arith.subi %i, %one : i32
      scf.yield %less : i32
    }
    %less = arith.subi %end, %one : i32
    memref.store %less, %m[%c0] : memref<4xi32>
    scf.yield
  }
  return
}
";
    let calls = [0u64, 3, 7]
        .map(|to| Call { arguments: vec![RandomArgument::Buffer(0), RandomArgument::Scalar(to)] });
    let graph = agreed(text, vec![vec![5, 0, 0, 0]], calls.to_vec());
    assert_eq!(graph.nodes.iter().filter(|n| matches!(n.op, Op::Stream(..))).count(), 1);
}
