//! The formulas of elementary functions: how far they are from the truth, what they make of corners, and that a program has them.
//!
//! `make exhaust` measures all 2^32 inputs of each in single precision, and millions of doubles: `tests/accuracy`.

use crate::host::{computed, Host};
use crate::measure::{largest, of_f32, ops, truth, ulps, LARGEST};
use loom_base::{Rng, Source};
use loom_dfg::eval::eval_arith;
use loom_dfg::{float, FloatPredicate, Op, OpKind, Predicate, Type};
use loom_front::compile::{compile, CompileOptions};
use loom_front::elementary::{self, formula, units, CASTS, EXACT, KINDS};
use loom_front::interp::{Argument, Machine, MachineOptions};
use loom_front::ir::Program;
use loom_front::parse;
use loom_testkit::differential::agreed;
use loom_testkit::programs::{Call, RandomArgument};
use rayon::prelude::*;
use std::f32::consts::{FRAC_PI_2, PI};
use std::fmt::Write;

#[test]
fn the_host_computes_what_the_ops_do() {
    let mut rng = Rng::new(3);
    let straight = elementary::all().into_iter().filter(|op| op.0 != OpKind::Remf);
    for (op, operands, result) in straight.flat_map(units) {
        let predicates: Vec<Op> = match op {
            Op::Cmpi(_) => {
                [Predicate::Eq, Predicate::Ne, Predicate::Slt, Predicate::Ult].map(Op::Cmpi).to_vec()
            }
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
            let want = match formula(&mut Host, wanted, &values) {
                Some((bits, _)) => bits,
                // The one with a loop, which is exact.
                None => eval_arith(Op::Plain(kind), &[ty, ty], ty, 32, &operands),
            };
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
    for (kind, ty) in [(OpKind::Fma, Type::F64), (OpKind::Addf, Type::F32)] {
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

/// Bit by bit, of pairs of corners and of numbers that are drawn: any, and those of which one goes into the other few times.
#[test]
fn remainders_are_exact() {
    for ty in elementary::TYPES {
        let wanted = (OpKind::Remf, ty, ty);
        let options = CompileOptions { expanded: vec![wanted], ..CompileOptions::default() };
        let compiled = compile(&program(wanted), &options).expect("a graph");
        let edges = edges(ty);
        (0..64u64).into_par_iter().for_each(|part| {
            let mut rng = Rng::new(part);
            let mut machine = Machine::new(&compiled.source, MachineOptions::default());
            for _ in 0..40 {
                let mut draw = || match rng.below(3) {
                    0 => edges[rng.below(edges.len())],
                    _ => bits(&mut rng, ty),
                };
                let x = draw();
                let y =
                    if x % 3 == 0 { (x ^ x >> 7).wrapping_sub(draw() >> (ty.width(32) / 2)) } else { draw() };
                let operands = [x, loom_base::truncate(y, ty.width(32))];
                let want = eval_arith(Op::Plain(OpKind::Remf), &[ty, ty], ty, 32, &operands);
                let got = machine.call("f", &operands.map(Argument::Scalar)).expect("it runs");
                assert_eq!(got, [want], "{ty}: {operands:x?}");
            }
        });
    }
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

#[test]
fn the_page_has_the_table() {
    let mut exact = "| op | ops |\n|---|---|\n".to_string();
    for kind in EXACT {
        let _ = writeln!(exact, "| `{}` | {} |", kind.mnemonic(), ops(kind, Type::F32));
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/lowering.md");
    let page = std::fs::read_to_string(page).expect("the page");
    assert!(page.contains(&exact), "put this into docs/lowering.md:\n{exact}");
}
