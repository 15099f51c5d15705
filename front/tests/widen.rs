//! Integers of widths that no unit has: after the passes none is left, and programs mean what they meant.

use loom_base::{Rng, Source};
use loom_dfg::{OpKind, Type};
use loom_front::compile::{compile, CompileOptions};
use loom_front::interp::{Argument, Machine, MachineOptions};
use loom_front::ir::Program;
use loom_front::parse;
use loom_testkit::differential::agreed;
use loom_testkit::programs::{Call, RandomArgument};

/// What `f` of a program gives for some scalars.
fn called(program: &Program, arguments: &[u64]) -> Vec<u64> {
    let mut machine = Machine::new(program, MachineOptions::default());
    let given: Vec<Argument> = arguments.iter().map(|&bits| Argument::Scalar(bits)).collect();
    machine.call("f", &given).unwrap_or_else(|f| panic!("{}", f.message))
}

/// Ops of all sorts on numbers of a width, which a loop and an if hand on.
fn program(width: u32) -> String {
    let t = format!("i{width}");
    let amount = width / 2;
    format!(
        "func.func @f(%a: i64, %b: i64, %n: index) -> (i64, i64, i64, i64, index, f32, i1, {t}) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %amount = arith.constant {amount} : {t}
  %x = arith.trunci %a : i64 to {t}
  %y = arith.trunci %b : i64 to {t}
  %s = arith.addi %x, %y : {t}
  %p = arith.muli %s, %y : {t}
  %d = arith.subi %p, %x : {t}
  %q = arith.divsi %s, %y : {t}
  %r = arith.remui %d, %y : {t}
  %sh = arith.shrsi %p, %amount : {t}
  %shl = arith.shli %d, %amount : {t}
  %shr = arith.shrui %s, %y : {t}
  %less = arith.cmpi slt, %s, %d : {t}
  %below = arith.cmpi ult, %s, %q : {t}
  %which = arith.andi %less, %below : i1
  %sel = arith.select %less, %q, %sh : {t}
  %if = scf.if %below -> {t} {{
    %u = arith.xori %sel, %shl : {t}
    %v = arith.maxsi %u, %shr : {t}
    scf.yield %v : {t}
  }} else {{
    %w = arith.divui %sel, %r : {t}
    scf.yield %w : {t}
  }}
  %loop = scf.for %i = %zero to %n step %one iter_args(%acc = %if) -> ({t}) {{
    %m = arith.muli %acc, %y : {t}
    %k = arith.index_cast %i : index to {t}
    %o = arith.ori %m, %k : {t}
    %e = arith.addi %o, %x : {t}
    scf.yield %e : {t}
  }}
  %turned = llvm.intr.bitreverse(%loop) : ({t}) -> {t}
  %high = math.ctlz %loop : {t}
  %low = math.cttz %loop : {t}
  %bits = math.ctpop %loop : {t}
  %counts = arith.addi %high, %low : {t}
  %all = arith.xori %counts, %bits : {t}
  %r0 = arith.extsi %loop : {t} to i64
  %r1 = arith.extui %turned : {t} to i64
  %r2 = arith.extui %all : {t} to i64
  %r3 = arith.extsi %shr : {t} to i64
  %r4 = arith.index_cast %shl : {t} to index
  %r5 = arith.uitofp %r : {t} to f32
  return %r0, %r1, %r2, %r3, %r4, %r5, %which, %loop : i64, i64, i64, i64, index, f32, i1, {t}
}}
"
    )
}

/// Each op on integers by itself, and each cast, with operands and results of a width.
fn each_op(width: u32) -> Vec<String> {
    let t = format!("i{width}");
    let of = |result: &str, line: String| {
        let back = match result {
            "i64" => "%r = arith.addi %o, %zero : i64".to_string(),
            "index" => "%r = arith.index_cast %o : index to i64".into(),
            "f32" | "f64" => format!("%r = arith.fptosi %o : {result} to i64"),
            _ => format!("%r = arith.extsi %o : {result} to i64"),
        };
        format!(
            "func.func @f(%a: i64, %b: i64, %c: i1) -> i64 {{\n  %zero = arith.constant 0 : i64\n  \
             %x = arith.trunci %a : i64 to {t}\n  %y = arith.trunci %b : i64 to {t}\n  \
             {line}\n  {back}\n  return %r : i64\n}}\n"
        )
    };
    let binary =
        "addi subi muli andi ori xori shli shrsi shrui maxsi maxui minsi minui divsi divui remsi remui \
                  ceildivsi ceildivui floordivsi";
    let predicates = "eq ne slt sle sgt sge ult ule ugt uge";
    let unary = ["math.ctlz", "math.cttz", "math.ctpop", "math.absi"];
    let mut out: Vec<String> =
        (binary.split_whitespace()).map(|op| of(&t, format!("%o = arith.{op} %x, %y : {t}"))).collect();
    out.extend(predicates.split(' ').map(|p| of("i1", format!("%o = arith.cmpi {p}, %x, %y : {t}"))));
    out.extend(unary.iter().map(|op| of(&t, format!("%o = {op} %x : {t}"))));
    out.push(of(&t, format!("%o = arith.select %c, %x, %y : {t}")));
    out.extend(["sitofp", "uitofp"].map(|op| of("f64", format!("%o = arith.{op} %x : {t} to f64"))));
    for other in [1, 2, 3, 7, 8, 9, 16, 24, 31, 32, 33, 40, 48, 56, 63, 64] {
        let to = format!("i{other}");
        match width.cmp(&other) {
            std::cmp::Ordering::Less => {
                let to = &to[..];
                out.extend(["extui", "extsi"].map(|op| of(to, format!("%o = arith.{op} %x : {t} to {to}"))));
            }
            std::cmp::Ordering::Greater => out.push(of(&to, format!("%o = arith.trunci %x : {t} to {to}"))),
            std::cmp::Ordering::Equal => {}
        }
    }
    for cast in ["index_cast", "index_castui"] {
        out.push(of("index", format!("%o = arith.{cast} %x : {t} to index")));
        let back = format!("%i = arith.index_cast %b : i64 to index\n  %o = arith.{cast} %i : index to {t}");
        out.push(of(&t, back));
    }
    out
}

#[test]
fn each_op_of_an_odd_width_means_the_same_and_leaves_none() {
    let mut rng = Rng::new(47);
    for width in [2, 3, 5, 7, 9, 15, 17, 24, 31, 33, 40, 48, 56, 63] {
        for text in each_op(width) {
            let source = Source::new("f.scf.mlir", text.clone());
            let given = parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
            let compiled = compile(&given, &CompileOptions::default())
                .unwrap_or_else(|d| panic!("{text}{}", d[0].message));
            for value in &compiled.lowered.graph.values {
                let is_odd = matches!(value.ty, Type::Int(n) if ![1, 8, 16, 32, 64].contains(&n));
                assert!(!is_odd, "{text}{:?}", value.ty);
            }
            let plain = compiled.plain.program();
            for _ in 0..40 {
                let [a, b] = [0; 2].map(|_| (rng.next_u64() as i64 >> rng.below(64)) as u64);
                let arguments = [a, b, rng.below(2) as u64];
                assert_eq!(called(&plain, &arguments), called(&given, &arguments), "{text}{arguments:x?}");
            }
        }
    }
}

#[test]
fn odd_widths_are_as_wide_as_units() {
    let mut rng = Rng::new(41);
    for width in [2, 5, 8, 12, 16, 24, 31, 33, 40, 48, 63] {
        let text = program(width);
        let source = Source::new("f.scf.mlir", text.clone());
        let given = parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
        let compiled =
            compile(&given, &CompileOptions::default()).unwrap_or_else(|d| panic!("{}", d[0].message));
        let graph = &compiled.lowered.graph;
        let plain = compiled.plain.program();
        for node in &graph.nodes {
            let types: Vec<Type> = node.operands.iter().map(|&v| graph.value(v).ty).collect();
            let odd = |ty: &Type| matches!(ty, Type::Int(n) if ![1, 8, 16, 32, 64].contains(n));
            // The result that is given back is cast once.
            let is_last = node.op.kind() == OpKind::Trunci;
            assert!(is_last || !types.iter().any(odd), "i{width}: {:?} {types:?}", node.op);
        }
        let mut calls = Vec::new();
        for _ in 0..60 {
            let [a, b] = [0; 2].map(|_| rng.next_u64() >> rng.below(64));
            let arguments = [a, b, rng.below(5) as u64];
            assert_eq!(called(&plain, &arguments), called(&given, &arguments), "i{width} {arguments:x?}");
            calls.push(Call { arguments: arguments.map(RandomArgument::Scalar).to_vec() });
        }
        calls.truncate(4);
        agreed(&text, Vec::new(), calls);
    }
}

#[test]
fn a_truth_value_as_a_sign_fills_as_many_bits_as_units_do() {
    for width in [2, 8, 16, 24, 32, 64] {
        let t = format!("i{width}");
        let text = format!(
            "func.func @f(%a: i32, %b: i32) -> (i64, i64) {{
  %ones = arith.constant -1 : {t}
  %none = arith.constant 0 : {t}
  %less = arith.cmpi slt, %a, %b : i32
  %same = arith.cmpi eq, %a, %b : i32
  %x = arith.select %less, %ones, %none : {t}
  %y = arith.extsi %same : i1 to {t}
  %r0 = {}
  %r1 = {}
  return %r0, %r1 : i64, i64
}}
",
            if width == 64 {
                "arith.ori %x, %y : i64".into()
            } else {
                format!("arith.extui %x : {t} to i64")
            },
            if width == 64 {
                "arith.xori %x, %y : i64".into()
            } else {
                format!("arith.extui %y : {t} to i64")
            },
        );
        let source = Source::new("f.scf.mlir", text.clone());
        let given = parse(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
        let compiled =
            compile(&given, &CompileOptions::default()).unwrap_or_else(|d| panic!("{}", d[0].message));
        let graph = &compiled.lowered.graph;
        for node in graph.nodes.iter().filter(|n| n.op.kind() == OpKind::Extsi) {
            let [from, to] = [node.operands[0], node.results[0]].map(|v| graph.value(v).ty);
            assert!(from != Type::I1 || to.width(64) >= 32, "{text}{to:?}");
        }
        let plain = compiled.plain.program();
        for arguments in [[0, 0], [3, 5], [5, 3], [u64::from(u32::MAX), 0]] {
            assert_eq!(called(&plain, &arguments), called(&given, &arguments), "{text}{arguments:x?}");
        }
    }
}
