//! Cheaper and wider ops give the numbers of those they stand for: all of 8 bits, corners and random ones of 32.

use loom_base::{truncate, Rng};
use loom_dfg::{Graph, OpKind, Type};
use loom_front::compile::{compile, CompileOptions, DivisionUnits};
use loom_front::ir::Program;
use loom_testkit::programs::{read, results};

/// The program as it is lowered, and its graph.
fn lowered(text: &str) -> (Program, Graph) {
    let compiled = compile(&read(text), &CompileOptions::default());
    let compiled = compiled.unwrap_or_else(|d| panic!("{}", d[0].message));
    (compiled.plain.program(), compiled.lowered.graph)
}

fn count(graph: &Graph, kinds: &[OpKind]) -> usize {
    graph.node_ids().filter(|&n| kinds.contains(&graph.kind(n))).count()
}

const BINARY: [&str; 18] = [
    "muli",
    "divsi",
    "divui",
    "remsi",
    "remui",
    "ceildivsi",
    "ceildivui",
    "floordivsi",
    "shli",
    "shrsi",
    "shrui",
    "maxsi",
    "maxui",
    "minsi",
    "minui",
    "andi",
    "ori",
    "xori",
];

const DIVISIONS: [OpKind; 7] = [
    OpKind::Divsi,
    OpKind::Divui,
    OpKind::Remsi,
    OpKind::Remui,
    OpKind::Ceildivsi,
    OpKind::Ceildivui,
    OpKind::Floordivsi,
];

#[test]
fn ops_by_literals_mean_the_same() {
    let mut rng = Rng::new(23);
    for width in [8u32, 32] {
        let mut literals: Vec<i64> = vec![0, 1, -1, 3, -3, 5];
        literals.extend((1..width).flat_map(|k| [1i64 << k, -(1i64 << k), (1 << k) - 1]));
        literals.retain(|&n| n < 1 << (width - 1));
        for op in BINARY {
            for &literal in &literals {
                let text = format!(
                    "func.func @f(%x: i{width}) -> i{width} {{\n  %c = arith.constant {literal} : i{width}\n  \
                     %y = arith.{op} %x, %c : i{width}\n  return %y : i{width}\n}}\n"
                );
                let (source, (after, graph)) = (read(&text), lowered(&text));
                let power = literal > 1 && (literal as u64).is_power_of_two();
                if power && op != "ceildivui" {
                    assert_eq!(count(&graph, &DIVISIONS), 0, "{text}");
                }
                let mut values: Vec<u64> = match width {
                    8 => (0..256).collect(),
                    _ => (0..40).map(|_| truncate(rng.next_u64() >> rng.below(64), width)).collect(),
                };
                values.extend([1 << (width - 1), (1 << (width - 1)) - 1, (1 << width) - 1]);
                for x in values {
                    assert_eq!(
                        results(&source, &[x]),
                        results(&after, &[x]),
                        "{op} {x:x}, {literal} in i{width}"
                    );
                }
            }
        }
    }
}

#[test]
fn narrow_ops_are_computed_in_32_bits() {
    let predicates = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
    let compare = predicates.map(|p| (format!("arith.cmpi {p}, %x, %y : i8"), "i1"));
    let binary = BINARY.map(|op| (format!("arith.{op} %x, %y : i8"), "i8"));
    let unary = ["absi", "ctpop"].map(|op| (format!("math.{op} %x : i8"), "i8"));
    let floats = ["sitofp", "uitofp"].map(|op| (format!("arith.{op} %x : i8 to f32"), "f32"));
    let mut rng = Rng::new(29);
    for (op, ty) in compare.into_iter().chain(binary).chain(unary).chain(floats) {
        let text = format!("func.func @f(%x: i8, %y: i8) -> {ty} {{\n  %z = {op}\n  return %z : {ty}\n}}\n");
        let (source, (after, graph)) = (read(&text), lowered(&text));
        let narrow = |n: &&loom_dfg::NodeId| {
            let exact = !matches!(
                graph.kind(**n),
                OpKind::Andi | OpKind::Ori | OpKind::Xori | OpKind::Muli | OpKind::Extsi | OpKind::Extui
            );
            let operands = &graph.node(**n).operands;
            exact && operands.iter().any(|&v| graph.value(v).ty == loom_dfg::Type::Int(8))
        };
        let nodes: Vec<_> = graph.node_ids().collect();
        assert_eq!(nodes.iter().filter(narrow).count(), 0, "{}", loom_dfg::print(&graph));
        for _ in 0..3000 {
            let (x, y) = (rng.below(256) as u64, rng.below(256) as u64);
            assert_eq!(results(&source, &[x, y]), results(&after, &[x, y]), "{op} {x:x} {y:x}");
        }
    }
}

/// Each with the ops that are left of it.
#[test]
fn negations_and_casts_there_and_back_go() {
    let cases = [
        ("%t = arith.constant true\n%c = arith.cmpi slt, %x, %y : i32\n%r = arith.xori %c, %t : i1", "i1", 1),
        ("%t = arith.constant true\n%c = arith.cmpf olt, %u, %v : f32\n%r = arith.xori %t, %c : i1", "i1", 1),
        (
            "%z = arith.constant 0 : i32\n%w = arith.extui %b : i1 to i32\n%r = arith.cmpi ne, %w, %z : i32",
            "i1",
            0,
        ),
        (
            "%o = arith.constant 1 : i32\n%w = arith.andi %x, %o : i32\n%r = arith.cmpi eq, %w, %o : i32",
            "i1",
            1,
        ),
        (
            "%o = arith.constant 1 : i32\n%z = arith.constant 0 : i32\n%r = arith.select %b, %o, %z : i32",
            "i32",
            1,
        ),
        ("%f = arith.constant false\n%r = arith.select %b, %d, %f : i1", "i1", 1),
        (
            "%w = arith.extsi %x : i32 to i64\n%i = arith.index_cast %w : i64 to index\n\
          %j = arith.index_cast %i : index to i32\n%k = arith.index_cast %j : i32 to index\n\
          %r = arith.index_cast %k : index to i32",
            "i32",
            3,
        ),
        ("%w = arith.extui %x : i32 to i64\n%r = arith.trunci %w : i64 to i32", "i32", 0),
        ("%w = arith.extsi %x : i32 to i64\n%r = arith.trunci %w : i64 to i8", "i8", 1),
        (
            "%t = arith.constant true\n%n = arith.xori %b, %t : i1\n%r = arith.select %n, %x, %y : i32",
            "i32",
            1,
        ),
        // A choice of what another one gives too, in each way round.
        ("%s = arith.select %d, %x, %y : i32\n%r = arith.select %b, %x, %s : i32", "i32", 2),
        ("%s = arith.select %d, %y, %x : i32\n%r = arith.select %b, %s, %x : i32", "i32", 2),
        (
            "%c = arith.cmpi slt, %x, %y : i32\n%s = arith.select %d, %y, %x : i32\n%r = arith.select %c, %x, %s : i32",
            "i32",
            3,
        ),
        (
            "%c = arith.cmpi slt, %x, %y : i32\n%s = arith.select %c, %y, %x : i32\n%r = arith.select %b, %x, %s : i32",
            "i32",
            3,
        ),
        (
            "%c = arith.cmpi slt, %x, %y : i32\n%s = arith.select %c, %x, %y : i32\n%r = arith.select %b, %s, %x : i32",
            "i32",
            3,
        ),
        (
            "%c = arith.cmpi slt, %x, %y : i32\n%s = arith.select %d, %x, %y : i32\n%r = arith.select %c, %s, %x : i32",
            "i32",
            3,
        ),
        (
            "%s = arith.select %d, %x, %y : i32\n%t = arith.select %b, %x, %s : i32\n%e = arith.xori %b, %d : i1\n\
             %r = arith.select %e, %x, %t : i32",
            "i32",
            4,
        ),
    ];
    let mut rng = Rng::new(31);
    for (body, ty, ops) in cases {
        let text = format!(
            "func.func @f(%x: i32, %y: i32, %b: i1, %d: i1, %u: f32, %v: f32) -> {ty} {{\n{body}\nreturn %r : {ty}\n}}\n"
        );
        let (source, (after, graph)) = (read(&text), lowered(&text));
        assert_eq!(graph.nodes.len(), ops, "{}", loom_dfg::print(&graph));
        for _ in 0..200 {
            let mut word = |bits| truncate(rng.next_u64() >> rng.below(33), bits);
            let arguments = [word(32), word(32), word(1), word(1), word(32), word(32)];
            assert_eq!(results(&source, &arguments), results(&after, &arguments), "{body} {arguments:x?}");
        }
    }
}

/// Divisions by other literals, with and without products of 64 bits: all dividends of 16 bits, and random ones of 32.
#[test]
fn divisions_by_literals_are_products() {
    let mut rng = Rng::new(29);
    let literals = [3i64, -3, 5, 7, -7, 10, 13, 60, 100, 641, 1000, 4097, 86400, 146_097, 1_000_000_007, -10];
    let ends = [i64::from(i32::MAX), -i64::from(i32::MAX), i64::from(i32::MIN), -8, -1, 1, 0];
    let drawn: Vec<i64> = (0..6).map(|_| i64::from(rng.next_u64() as i32)).collect();
    for literal in literals.into_iter().chain(ends).chain(drawn) {
        for op in ["divui", "divsi", "remui", "remsi"] {
            for (arguments, dividend) in [
                ("i16", "%x = arith.extui %a : i16 to i32"),
                ("i16", "%x = arith.extsi %a : i16 to i32"),
                ("i32", "%mask = arith.constant 1023 : i32\n  %x = arith.andi %a, %mask : i32"),
                ("i32", "%none = arith.constant 0 : i32\n  %x = arith.addi %a, %none : i32"),
                // By zero it is as large as can be.
                ("i32", "%some = arith.constant 100 : i32\n  %x = arith.divui %some, %a : i32"),
            ] {
                let is_short = arguments == "i16";
                let next =
                    if is_short { "arith.trunci %y : i32 to i16" } else { "arith.addi %y, %zero : i32" };
                let text = format!(
                    "func.func @f(%first: {arguments}, %n: index) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %c = arith.constant {literal} : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first, %last = %zero) -> ({arguments}, i32) {{
    {dividend}
    %y = arith.{op} %x, %c : i32
    %next = {next}
    scf.yield %next, %y : {arguments}, i32
  }}
  return %r#1 : i32
}}
"
                );
                // One program of every dividend of 16 bits for each is enough.
                let most = if is_short && [7, -10, 641].contains(&literal) { 1 << 16 } else { 60 };
                let values: Vec<u64> = match is_short && most > 60 {
                    true => (0..most).collect(),
                    false => (0..most).map(|_| truncate(rng.next_u64() >> rng.below(64), 32)).collect(),
                };
                let values =
                    [values, vec![0, 1, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_ffff]].concat();
                let source = read(&text);
                for (wide_products, products) in [(false, 0), (true, 0), (false, 5)] {
                    let division = DivisionUnits { wide_products, products, composed: Vec::new() };
                    let options = CompileOptions { division, ..CompileOptions::default() };
                    let compiled = compile(&source, &options).unwrap_or_else(|d| panic!("{}", d[0].message));
                    let ordinary = literal != 0 && literal != i64::from(i32::MIN);
                    // Of a loop that divides by a number too, a divider is the bound.
                    let other = dividend.contains("divui");
                    if ordinary && (wide_products || products > 0 && !other) {
                        let own = usize::from(other);
                        assert!(count(&compiled.lowered.graph, &DIVISIONS) <= own, "{text}");
                    }
                    let plain = compiled.plain.program();
                    for &value in &values {
                        let value = truncate(value, if is_short { 16 } else { 32 });
                        let arguments = [value, 1];
                        assert_eq!(
                            results(&source, &arguments),
                            results(&plain, &arguments),
                            "{text}{value:x}"
                        );
                    }
                }
            }
        }
    }
}

/// Divisions that are rounded down or up where no unit does that, by zero and with the smallest numbers too.
#[test]
fn quotients_are_rounded_without_units_for_it() {
    let kinds = [OpKind::Floordivsi, OpKind::Ceildivsi, OpKind::Ceildivui];
    let division = DivisionUnits { composed: kinds.to_vec(), ..DivisionUnits::default() };
    let options = CompileOptions { division, ..CompileOptions::default() };
    let mut rng = Rng::new(37);
    for (kind, ty, bits) in kinds.into_iter().flat_map(|kind| {
        [("i8", 8), ("i32", 32), ("i64", 64), ("index", 32)].map(|(ty, bits)| (kind, ty, bits))
    }) {
        let text = format!(
            "func.func @f(%a: {ty}, %b: {ty}) -> {ty} {{\n  %r = {} %a, %b : {ty}\n  return %r : {ty}\n}}\n",
            kind.mnemonic()
        );
        let source = read(&text);
        let compiled = compile(&source, &options).unwrap_or_else(|d| panic!("{}", d[0].message));
        assert_eq!(count(&compiled.lowered.graph, &kinds), 0, "{text}");
        let plain = compiled.plain.program();
        let mut some = || truncate(rng.next_u64() >> rng.below(64), bits);
        let mut pairs: Vec<[u64; 2]> = (0..300).map(|_| [some(), some()]).collect();
        match bits {
            8 => pairs = (0..1 << 16).map(|n| [n & 255, n >> 8]).collect(),
            _ => {
                let ends = [0, 1, 2, truncate(u64::MAX, bits), 1 << (bits - 1), (1 << (bits - 1)) - 1];
                pairs.extend(ends.into_iter().flat_map(|a| ends.map(|b| [a, b])));
            }
        }
        for pair in pairs {
            assert_eq!(results(&source, &pair), results(&plain, &pair), "{text}{pair:x?}");
        }
    }
}

#[test]
fn numbers_that_are_put_together_come_apart_again() {
    let make = |out: &str, what: &str| {
        format!(
            "func.func @f(%a: i32, %b: i32, %c: i8) -> {out} {{
  %k8 = arith.constant 8 : i64
  %k32 = arith.constant 32 : i64
  %low = arith.constant 4294967295 : i64
  %wa = arith.extui %a : i32 to i64
  %wb = arith.extui %b : i32 to i64
  %wc = arith.extui %c : i8 to i64
  %ub = arith.shli %wb, %k32 : i64
  %uc = arith.shli %wc, %k32 : i64
  %ab = arith.ori %wa, %ub : i64
  %ac = arith.ori %uc, %wa : i64
{what}
  return %r : {out}
}}"
        )
    };
    // What is taken out, and how many ops of 64 bits are left.
    for (out, what, left) in [
        ("i32", "%r = arith.trunci %ab : i64 to i32", 0),
        ("i32", "%s = arith.shrui %ab, %k32 : i64\n %r = arith.trunci %s : i64 to i32", 0),
        ("i1", "%s = arith.shrui %ac, %k32 : i64\n %r = arith.trunci %s : i64 to i1", 0),
        ("i32", "%s = arith.shrui %ac, %k32 : i64\n %r = arith.trunci %s : i64 to i32", 0),
        ("i64", "%r = arith.shrui %ac, %k32 : i64", 0),
        ("i32", "%m = arith.andi %ab, %low : i64\n %r = arith.trunci %m : i64 to i32", 0),
        // These are of both.
        ("i32", "%s = arith.shrui %ab, %k8 : i64\n %r = arith.trunci %s : i64 to i32", 3),
        ("i64", "%s = arith.shrui %ab, %k8 : i64\n %r = arith.addi %s, %ac : i64", 6),
    ] {
        let text = make(out, what);
        let (program, graph) = lowered(&text);
        let wide = [OpKind::Shli, OpKind::Shrui, OpKind::Ori, OpKind::Andi, OpKind::Addi];
        assert_eq!(count(&graph, &wide), left, "{what}");
        let mut rng = Rng::new(1);
        for _ in 0..50 {
            let given = [rng.next_u64() & 0xffff_ffff, rng.next_u64() & 0xffff_ffff, rng.next_u64() & 0xff];
            assert_eq!(results(&program, &given), results(&read(&text), &given), "{what} of {given:?}");
        }
    }
}

#[test]
fn what_is_kept_of_an_index_takes_no_wide_word() {
    for (cast, kept) in [("index_cast", 32), ("index_castui", 32), ("index_cast", 16), ("index_castui", 8)] {
        let text = format!(
            "func.func @f(%a: index, %b: index) -> i{kept} {{
  %d = arith.subi %a, %b : index
  %w = arith.{cast} %d : index to i64
  %r = arith.trunci %w : i64 to i{kept}
  return %r : i{kept}
}}"
        );
        let (program, graph) = lowered(&text);
        let is_wide = |n: usize| graph.nodes[n].results.iter().any(|v| graph.value(*v).ty == Type::Int(64));
        assert!(!(0..graph.nodes.len()).any(is_wide), "{text}");
        let mut rng = Rng::new(7);
        for _ in 0..50 {
            let given = [rng.next_u64() & 0xffff_ffff, rng.next_u64() & 0xffff_ffff];
            assert_eq!(results(&program, &given), results(&read(&text), &given), "{text} of {given:?}");
        }
    }
}
