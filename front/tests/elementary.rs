//! The formulas of elementary functions: how far they are from the truth, what they make of corners, and that a program has them.
//!
//! `cargo test -p loom-front --test elementary --release -- --ignored` measures all 2^32 inputs of each (`make exhaust`).

mod host;

use host::{computed, Host};
use loom_base::{Rng, Source};
use loom_dfg::eval::eval_arith;
use loom_dfg::{float, FloatPredicate, Op, OpKind, Predicate, Type};
use loom_front::compile::{compile, CompileOptions};
use loom_front::elementary::{self, formula, units, Calculator, CASTS, EXACT, KINDS};
use loom_front::interp::{Argument, Machine, MachineOptions};
use loom_front::ir::Program;
use loom_front::parse;
use loom_testkit::differential::agreed;
use loom_testkit::programs::{Call, RandomArgument};
use rayon::prelude::*;
use std::f32::consts::{FRAC_PI_2, PI};
use std::fmt::Write;

/// What the largest errors were measured over.
const ALL: &str = "all 2^32";
const ONE_SIGN: &str = "all of one sign";
const SOME: &str = "each 29th";
const DRAWN: &str = "millions drawn";

/// The largest error in ulps, rounded up, and over which inputs it was found.
const LARGEST: [(OpKind, f64, &str); 20] = [
    (OpKind::Exp, 0.55, ALL),
    (OpKind::Exp2, 0.55, SOME),
    (OpKind::Expm1, 0.72, SOME),
    (OpKind::Log, 0.57, ONE_SIGN),
    (OpKind::Log2, 0.60, ONE_SIGN),
    (OpKind::Log10, 0.62, ONE_SIGN),
    (OpKind::Log1p, 0.58, SOME),
    (OpKind::Powf, 0.56, DRAWN),
    (OpKind::Cbrt, 0.59, SOME),
    (OpKind::Sin, 0.64, SOME),
    (OpKind::Cos, 0.64, SOME),
    (OpKind::Tan, 0.69, SOME),
    (OpKind::Asin, 0.56, SOME),
    (OpKind::Acos, 0.55, SOME),
    (OpKind::Atan, 0.56, ONE_SIGN),
    (OpKind::Atan2, 0.56, DRAWN),
    (OpKind::Sinh, 0.61, SOME),
    (OpKind::Cosh, 0.55, SOME),
    (OpKind::Tanh, 0.83, ONE_SIGN),
    (OpKind::Erf, 0.80, SOME),
];

/// The true value, in double, whose own error is nothing beside an ulp of single precision.
fn truth(kind: OpKind, x: f64, y: f64) -> f64 {
    match kind {
        OpKind::Exp => libm::exp(x),
        OpKind::Exp2 => libm::exp2(x),
        OpKind::Expm1 => libm::expm1(x),
        OpKind::Log => libm::log(x),
        OpKind::Log2 => libm::log2(x),
        OpKind::Log10 => libm::log10(x),
        OpKind::Log1p => libm::log1p(x),
        OpKind::Powf => libm::pow(x, y),
        OpKind::Cbrt => libm::cbrt(x),
        OpKind::Sin => libm::sin(x),
        OpKind::Cos => libm::cos(x),
        OpKind::Tan => libm::tan(x),
        OpKind::Asin => libm::asin(x),
        OpKind::Acos => libm::acos(x),
        OpKind::Atan => libm::atan(x),
        OpKind::Atan2 => libm::atan2(x, y),
        OpKind::Sinh => libm::sinh(x),
        OpKind::Cosh => libm::cosh(x),
        OpKind::Tanh => libm::tanh(x),
        OpKind::Erf => libm::erf(x),
        kind => panic!("{kind:?}"),
    }
}

fn of_f32(kind: OpKind, operands: &[f32]) -> f32 {
    let operands: Vec<(u64, Type)> = operands.iter().map(|x| (x.to_bits().into(), Type::F32)).collect();
    f32::from_bits(formula(&mut Host, (kind, Type::F32, Type::F32), &operands).expect("a formula").0 as u32)
}

/// The distance of a result from the true value in ulps at that. Infinite where one is a NaN or an infinity and the other is not,
/// where the NaN is not the canonical one, and where a sign is wrong.
fn ulps(got: f32, truth: f64) -> f64 {
    let nearest = truth as f32;
    if nearest.is_nan() || got.is_nan() {
        let canonical = got.to_bits() == f32::NAN.to_bits();
        return if nearest.is_nan() && canonical { 0.0 } else { f64::INFINITY };
    }
    if got.is_sign_negative() != nearest.is_sign_negative() || got.is_infinite() != nearest.is_infinite() {
        return f64::INFINITY;
    }
    if got.is_infinite() {
        return 0.0;
    }
    let exponent = (nearest.to_bits() >> 23 & 255).max(1) as i32;
    (f64::from(got) - truth).abs() / libm::scalbn(1.0, exponent - 150)
}

/// The largest distance over each so many of a function's inputs, and where; of functions of two over as many that are drawn, most of
/// them so that the result is no corner.
fn largest(kind: OpKind, step: usize) -> (f64, [f32; 2]) {
    let one = |operands: [f32; 2]| {
        let got = of_f32(kind, &operands[..elementary::operands(kind)]);
        (ulps(got, truth(kind, operands[0].into(), operands[1].into())), operands)
    };
    let worse = |a: (f64, [f32; 2]), b: (f64, [f32; 2])| if b.0 > a.0 { b } else { a };
    let parts = (0..1u64 << 12).into_par_iter().map(|part| match elementary::operands(kind) {
        1 => {
            let first = (part << 20).next_multiple_of(step as u64);
            let inputs = (first..(part + 1) << 20).step_by(step);
            inputs.map(|n| one([f32::from_bits(n as u32), 0.0])).fold((0.0, [0.0; 2]), worse)
        }
        _ => {
            let mut rng = Rng::new(part);
            (0..(1 << 20) / step).map(|_| one(drawn(kind, &mut rng))).fold((0.0, [0.0; 2]), worse)
        }
    });
    parts.reduce(|| (0.0, [0.0; 2]), worse)
}

/// Operands of a function of two: any, and those of which the result is no corner.
fn drawn(kind: OpKind, rng: &mut Rng) -> [f32; 2] {
    let [a, b] = [rng.next_u64() as u32, rng.next_u64() as u32];
    let [x, y] = [a, b].map(f32::from_bits);
    if rng.chance(10) {
        return [x, y];
    }
    if kind == OpKind::Atan2 {
        return [x, x * libm::scalbnf(b as i32 as f32, -28)];
    }
    let near_one = 1.0 + libm::scalbnf(a as i32 as f32, -32 - (b % 24) as i32);
    let base = if rng.chance(50) { near_one } else { x.abs() };
    let exponent = f64::from(b as i32) / 2f64.powi(31) * 155.0 / libm::log2(base.into());
    [base, exponent as f32]
}

#[test]
fn the_host_computes_what_the_ops_do() {
    let mut rng = Rng::new(3);
    for (op, operands, result) in elementary::all().into_iter().flat_map(units) {
        let predicates: Vec<Op> = match op {
            Op::Cmpi(_) => [Predicate::Eq, Predicate::Ne, Predicate::Slt].map(Op::Cmpi).to_vec(),
            Op::Cmpf(_) => FloatPredicate::all().map(Op::Cmpf).collect(),
            op => vec![op],
        };
        for n in 0..400 {
            let bits: Vec<u64> = operands.iter().map(|ty| bits(&mut rng, *ty)).collect();
            let op = predicates[n % predicates.len()];
            let values: Vec<(u64, Type)> = bits.iter().copied().zip(operands.iter().copied()).collect();
            let want = eval_arith(op, &operands, result, 32, &bits);
            assert_eq!(computed(op, &values, result), want, "{op:?} {values:x?} {result}");
        }
    }
}

/// Bits of a type: any, few, many, or a corner of it.
fn bits(rng: &mut Rng, ty: Type) -> u64 {
    let any = rng.next_u64();
    let bits = match rng.below(5) {
        0 => any >> rng.below(64),
        1 => u64::MAX << rng.below(64),
        2 if ty.is_float() => float::from_f64(ty, any as i64 as f64 * libm::exp2(-(rng.below(90) as f64))),
        3 if ty.is_float() => float::from_f64(ty, [0.0, -0.0, f64::INFINITY, f64::NAN][rng.below(4)]),
        _ => any,
    };
    loom_base::truncate(bits, ty.width(32))
}

#[test]
fn results_are_as_near_as_the_page_says() {
    assert_eq!(LARGEST.map(|(kind, ..)| kind), KINDS);
    for (kind, bound, _) in LARGEST {
        let (found, at) = largest(kind, 4099);
        assert!(found <= bound, "{kind:?} of {at:?} is {found} ulps away");
        assert!(found > bound - 0.2, "{kind:?} is only {found} ulps away at most");
    }
}

/// A minute for each function and more.
#[test]
#[ignore = "2^32 inputs of each function; make exhaust"]
fn results_of_all_inputs_are_as_near_as_the_page_says() {
    for (kind, bound, _) in LARGEST {
        let (found, at) = largest(kind, 1);
        println!("{kind:?}: {found:.4} ulps at {at:?}");
        assert!(found <= bound && found > bound - 0.03, "{kind:?} of {at:?} is {found} ulps away");
    }
}

#[test]
fn all_halves_are_as_near() {
    for ty in [Type::Bf16, Type::F16] {
        for (kind, ..) in LARGEST.into_iter().filter(|(kind, ..)| elementary::operands(*kind) == 1) {
            for bits in 0..1u64 << 16 {
                let got = formula(&mut Host, (kind, ty, ty), &[(bits, ty)]).expect("a formula").0;
                let truth = truth(kind, float::to_f64(ty, bits), 0.0);
                let nearest = float::from_f64(ty, truth);
                let step = got.abs_diff(nearest);
                // The next one only where the true value lies in the middle of both.
                let middle = (float::to_f64(ty, got) + float::to_f64(ty, nearest)) / 2.0;
                let is_near = (truth - middle).abs() <= truth.abs() * libm::exp2(-22.0);
                assert!(step == 0 || step == 1 && is_near, "{kind:?} {ty} {bits:#x}: {got:#x}");
            }
        }
    }
}

#[test]
fn corners_are_as_the_standard_recommends() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let (least, most) = (f32::from_bits(1), f32::MAX);
    let cases: &[(OpKind, &[(f32, f32)])] = &[
        (
            OpKind::Exp,
            &[
                (0.0, 1.0),
                (-0.0, 1.0),
                (inf, inf),
                (-inf, 0.0),
                (nan, nan),
                (most, inf),
                (-most, 0.0),
                (least, 1.0),
            ],
        ),
        (
            OpKind::Exp2,
            &[
                (0.0, 1.0),
                (-149.0, least),
                (-151.0, 0.0),
                (127.0, 2f32.powi(127)),
                (128.0, inf),
                (inf, inf),
                (-inf, 0.0),
                (nan, nan),
            ],
        ),
        (
            OpKind::Log,
            &[
                (1.0, 0.0),
                (0.0, -inf),
                (-0.0, -inf),
                (-1.0, nan),
                (-inf, nan),
                (inf, inf),
                (nan, nan),
                (-least, nan),
            ],
        ),
        (
            OpKind::Log2,
            &[(1.0, 0.0), (least, -149.0), (8.0, 3.0), (0.0, -inf), (-1.0, nan), (inf, inf), (nan, nan)],
        ),
        (OpKind::Log10, &[(1.0, 0.0), (1000.0, 3.0), (0.0, -inf), (-1.0, nan), (inf, inf), (nan, nan)]),
        (
            OpKind::Tanh,
            &[(0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0), (nan, nan), (least, least), (-most, -1.0)],
        ),
        (OpKind::Sin, &[(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan), (nan, nan), (-least, -least)]),
        (OpKind::Tan, &[(0.0, 0.0), (-0.0, -0.0), (inf, nan), (nan, nan), (-least, -least)]),
        (
            OpKind::Asin,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, FRAC_PI_2),
                (-1.0, -FRAC_PI_2),
                (1.0000001, nan),
                (inf, nan),
                (nan, nan),
                (least, least),
            ],
        ),
        (
            OpKind::Acos,
            &[(1.0, 0.0), (-1.0, PI), (0.0, FRAC_PI_2), (-1.0000001, nan), (inf, nan), (nan, nan)],
        ),
        (
            OpKind::Atan,
            &[(0.0, 0.0), (-0.0, -0.0), (inf, FRAC_PI_2), (-inf, -FRAC_PI_2), (nan, nan), (-least, -least)],
        ),
        (
            OpKind::Sinh,
            &[(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf), (nan, nan), (least, least), (-most, -inf)],
        ),
        (OpKind::Cosh, &[(0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, inf), (nan, nan), (-most, inf)]),
        (
            OpKind::Expm1,
            &[(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -1.0), (nan, nan), (least, least), (-most, -1.0)],
        ),
        (
            OpKind::Log1p,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (-1.0, -inf),
                (-1.0000001, nan),
                (inf, inf),
                (nan, nan),
                (-least, -least),
            ],
        ),
        (OpKind::Erf, &[(0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0), (nan, nan), (-most, -1.0)]),
        (
            OpKind::Cbrt,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (inf, inf),
                (-inf, -inf),
                (nan, nan),
                (-27.0, -3.0),
                (2f32.powi(-147), 2f32.powi(-49)),
            ],
        ),
        (OpKind::Cos, &[(0.0, 1.0), (-0.0, 1.0), (inf, nan), (-inf, nan), (nan, nan), (-least, 1.0)]),
    ];
    for (kind, cases) in cases {
        for &(x, want) in *cases {
            let got = of_f32(*kind, &[x]);
            assert_eq!(got.to_bits(), want.to_bits(), "{kind:?} of {x:e}: {got:e}");
            let negative_nan = f32::from_bits(nan.to_bits() | 1 << 31 | 5);
            assert_eq!(of_f32(*kind, &[negative_nan]).to_bits(), nan.to_bits(), "{kind:?}");
        }
    }
    let corners = [
        0.0,
        1.0,
        0.5,
        2.0,
        3.0,
        1.5,
        least,
        most,
        inf,
        nan,
        0.99999994,
        16_777_215.0,
        16_777_216.0,
        8_388_607.5,
    ];
    let corners: Vec<f32> = corners.into_iter().flat_map(|x| [x, -x]).collect();
    for &x in &corners {
        for &y in &corners {
            for kind in [OpKind::Powf, OpKind::Atan2] {
                let (got, want) = (of_f32(kind, &[x, y]), truth(kind, x.into(), y.into()));
                assert!(ulps(got, want) < 0.6, "{kind:?} of {x:e} and {y:e}: {got:e}, not {want:e}");
            }
        }
    }
}

/// A function of one op.
fn program((kind, from, to): (OpKind, Type, Type)) -> Program {
    let name = kind.mnemonic();
    let count = elementary::operands(kind);
    let parameters: Vec<String> = (0..count).map(|i| format!("%a{i}: {from}")).collect();
    let operands: Vec<String> = (0..count).map(|i| format!("%a{i}")).collect();
    let (parameters, operands) = (parameters.join(", "), operands.join(", "));
    let types = if from == to { format!("{to}") } else { format!("{from} to {to}") };
    let text = format!(
        "func.func @f({parameters}) -> {to} {{\n  %r = {name} {operands} : {types}\n  return %r : {to}\n}}\n"
    );
    parse(&Source::new("f.scf.mlir", text)).expect("a program")
}

#[test]
fn programs_compute_the_formulas_in_all_models() {
    let mut rng = Rng::new(5);
    for wanted in elementary::all() {
        let (kind, ty, _) = wanted;
        let options = CompileOptions { expanded: elementary::all(), ..CompileOptions::default() };
        let compiled = compile(&program(wanted), &options).expect("a graph");
        // A cast may have another of the kind, of other types, in its formula.
        let left = compiled.lowered.graph.nodes.iter().any(|n| n.op.kind() == kind);
        assert!(!left || CASTS.contains(&wanted), "{wanted:?} is still in the graph");
        let draw = |rng: &mut Rng| (0..elementary::operands(kind)).map(|_| bits(rng, ty)).collect::<Vec<_>>();
        let mut calls = Vec::new();
        for _ in 0..40 {
            let operands = draw(&mut rng);
            let values: Vec<(u64, Type)> = operands.iter().map(|&bits| (bits, ty)).collect();
            let want = formula(&mut Host, wanted, &values).expect("a formula").0;
            let mut machine = Machine::new(&compiled.source, MachineOptions::default());
            let given: Vec<Argument> = operands.iter().map(|&bits| Argument::Scalar(bits)).collect();
            assert_eq!(machine.call("f", &given).expect("it runs"), [want], "{wanted:?} {values:x?}");
            calls.push(Call { arguments: operands.into_iter().map(RandomArgument::Scalar).collect() });
        }
        calls.truncate(6);
        agreed(&loom_front::print(&compiled.source), Vec::new(), calls);
    }
}

#[test]
fn only_what_is_asked_for_is_expanded() {
    for wanted in elementary::all() {
        let others = elementary::all().into_iter().filter(|&other| other != wanted).collect();
        let options = CompileOptions { expanded: others, ..CompileOptions::default() };
        let compiled = compile(&program(wanted), &options).expect("a graph");
        assert_eq!(compiled.lowered.graph.nodes.len(), 1, "{wanted:?}");
    }
    for (kind, ty) in [(OpKind::Exp, Type::F64), (OpKind::Fma, Type::F64), (OpKind::Addf, Type::F32)] {
        assert!(units((kind, ty, ty)).is_empty());
    }
}

/// Numbers at which something changes: around whole numbers and halves of all sizes, the ends of integers, the least and the
/// largest numbers, infinities, and NaNs of either sign with other bits than the canonical one's.
fn edges(ty: Type) -> Vec<u64> {
    if !ty.is_float() {
        let ends = (0..64).flat_map(|n| [1u64 << n, u64::MAX << n]);
        let near = ends.flat_map(|end| [end.wrapping_sub(1), end, end.wrapping_add(1)]);
        return near.map(|bits| loom_base::truncate(bits, ty.width(32))).collect();
    }
    let sizes = (-3..70).map(|n| libm::exp2(n.into()));
    let numbers = sizes.flat_map(|n| [n, n + 0.5, n - 0.5, n + 1.0, n - 1.0, n + 1.5, n * 1.5]);
    let corners =
        [0.0, 0.49, 0.51, 65504.0, 65519.0, 65520.0, 1e-8, 3e38, 1e308, 1e-310, f64::INFINITY, f64::NAN];
    let numbers = numbers.chain(corners).map(|value| float::from_f64(ty, value));
    let near = numbers.flat_map(|bits| [bits.wrapping_sub(1), bits, bits + 1]);
    let sign = 1u64 << (ty.width(32) - 1);
    near.map(|bits| bits & (sign - 1)).flat_map(|bits| [bits, bits | sign]).collect()
}

/// Bit by bit what the op is, for all operands that are looked at.
#[test]
fn exact_formulas_are_the_ops() {
    let exact = |op: &(OpKind, Type, Type)| EXACT.contains(&op.0) || CASTS.contains(op);
    elementary::all().into_par_iter().filter(exact).for_each(|wanted| {
        let (kind, from, to) = wanted;
        let check = |operands: &[u64]| {
            let values: Vec<(u64, Type)> = operands.iter().map(|&bits| (bits, from)).collect();
            let got = formula(&mut Host, wanted, &values).expect("a formula").0;
            let types = vec![from; operands.len()];
            let want = eval_arith(Op::Plain(kind), &types, to, 32, operands);
            assert_eq!(got, want, "{wanted:?} of {operands:x?}");
        };
        let mut rng = Rng::new(29);
        let edges = edges(from);
        if elementary::operands(kind) == 1 {
            edges.iter().for_each(|&bits| check(&[bits]));
            if from.width(32) == 16 {
                (0..1 << 16).for_each(|bits| check(&[bits]));
            }
        }
        for _ in 0..20_000 {
            let mut operands: Vec<u64> = (0..elementary::operands(kind))
                .map(|_| if rng.chance(30) { edges[rng.below(edges.len())] } else { bits(&mut rng, from) })
                .collect();
            if let ([a, b, c], true) = (&mut operands[..], rng.chance(50)) {
                // What is added is about as large as the product, or is in its last places.
                let product = float::to_f64(from, *a) * float::to_f64(from, *b);
                let part = libm::exp2(-(rng.below(60) as f64)) * if rng.chance(50) { -1.0 } else { 1.0 };
                *c = float::from_f64(from, product * part);
            }
            check(&operands);
        }
    });
}

/// Each 1021st float, of both signs.
#[test]
#[ignore = "millions of inputs of each op; make exhaust"]
fn exact_formulas_are_the_ops_on_all_floats() {
    for kind in EXACT.into_iter().filter(|&kind| elementary::operands(kind) == 1) {
        (0..1u64 << 12).into_par_iter().for_each(|part| {
            for bits in ((part << 20)..(part + 1) << 20).step_by(1021) {
                let got = formula(&mut Host, (kind, Type::F32, Type::F32), &[(bits, Type::F32)]);
                let want = eval_arith(Op::Plain(kind), &[Type::F32], Type::F32, 32, &[bits]);
                assert_eq!(got.expect("a formula").0, want, "{kind:?} {bits:#x}");
            }
        });
    }
}

/// Counts the ops that a formula has units for: bits that are taken for another type need none.
#[derive(Default)]
struct Count(usize);

impl Calculator for Count {
    type Value = ();

    fn literal(&mut self, _: u64, _: Type) {}

    fn op(&mut self, op: Op, _: &[()], _: Type) {
        self.0 += usize::from(!matches!(op.kind(), OpKind::Bitcast | OpKind::Extui));
    }
}

#[test]
fn the_page_has_the_table() {
    let mut table = "| op | ops | largest error in ulps, `f32` | inputs |\n|---|---|---|---|\n".to_string();
    for (kind, bound, inputs) in LARGEST {
        let mut count = Count::default();
        formula(&mut count, (kind, Type::F32, Type::F32), &vec![(); elementary::operands(kind)])
            .expect("a formula");
        let _ = writeln!(table, "| `{}` | {} | {bound:.2} | {inputs} |", kind.mnemonic(), count.0);
    }
    let mut exact = "| op | ops |\n|---|---|\n".to_string();
    for kind in EXACT {
        let mut count = Count::default();
        formula(&mut count, (kind, Type::F32, Type::F32), &vec![(); elementary::operands(kind)]);
        let _ = writeln!(exact, "| `{}` | {} |", kind.mnemonic(), count.0);
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/lowering.md");
    let page = std::fs::read_to_string(page).expect("the page");
    for table in [table, exact] {
        assert!(page.contains(&table), "put this into docs/lowering.md:\n{table}");
    }
}
