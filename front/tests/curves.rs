//! How far the units of elementary functions (`loom_dfg::curves`) are from the truth: all inputs of 16 bits, and a slice of those in
//! single precision, of two operands drawn ones, against the library's doubles, the worst of them again by arithmetic of some 200 bits; with `--ignored`
//! all 2^32 (`make exhaust`). The page says what is found here.

use crate::arbiter::Arbiter;
use crate::measure;
use loom_base::Rng;
use loom_dfg::curves;
use loom_dfg::op::Form;
use loom_dfg::{float, OpKind, Type};
use rayon::prelude::*;
use std::fmt::Write;

/// The largest error in ulps, rounded up, in `bf16`, `f16` and `f32`, and over which inputs of the last it was found.
const LARGEST: [(OpKind, [f64; 3], &str); 12] = [
    (OpKind::Exp, [0.63, 0.56, 0.55], "each 101st"),
    (OpKind::Exp2, [0.61, 0.56, 0.55], "each 101st"),
    (OpKind::Log, [0.51, 0.56, 0.60], "each 101st"),
    (OpKind::Log2, [0.52, 0.55, 0.59], "each 101st"),
    (OpKind::Log10, [0.51, 0.53, 0.54], "each 101st"),
    (OpKind::Sin, [0.57, 0.60, 0.65], "each 1009th"),
    (OpKind::Cos, [0.56, 0.62, 0.66], "each 1009th"),
    (OpKind::Tan, [0.60, 0.64, 0.63], "each 1009th"),
    (OpKind::Atan, [0.53, 0.58, 0.60], "each 101st"),
    (OpKind::Tanh, [0.58, 0.59, 0.61], "each 101st"),
    (OpKind::Erf, [0.56, 0.59, 0.61], "each 101st"),
    (OpKind::Cbrt, [0.52, 0.53, 0.62], "each 101st"),
];

/// The same of functions of two operands, over a million drawn pairs in each type and all pairs of corners.
const LARGEST_OF_PAIRS: [(OpKind, [f64; 3]); 1] = [(OpKind::Atan2, [0.63, 0.68, 0.65])];

/// Operands; a function of one has the first alone.
type Operands = [u64; 2];

fn of_operands(kind: OpKind, ty: Type, operands: Operands) -> u64 {
    match kind.form() {
        Form::Elementary(op) => curves::value(op, ty, operands[0]),
        Form::FloatBinary(op) => curves::value_of_two(op, ty, operands),
        form => panic!("{form:?}"),
    }
    .expect("a unit")
}

fn unit(kind: OpKind, ty: Type, bits: u64) -> u64 {
    of_operands(kind, ty, [bits, 0])
}

fn truth(kind: OpKind, ty: Type, operands: Operands) -> f64 {
    let [x, y] = operands.map(|bits| float::to_f64(ty, bits));
    measure::truth(kind, x, y)
}

/// The distance of a result from the true value, in ulps at the nearest float. Infinite where one is no number and the other is, or where
/// a sign is wrong; where the nearest is infinite, so has the result to be, and the other way round.
fn ulps(ty: Type, got: u64, truth: f64) -> f64 {
    let nearest = float::from_f64(ty, truth);
    if got == nearest && (!truth.is_finite() || truth == 0.0) {
        return 0.0;
    }
    let [value, at] = [got, nearest].map(|bits| float::to_f64(ty, bits));
    if !value.is_finite() || !at.is_finite() || value.is_sign_negative() != at.is_sign_negative() {
        return if got == nearest { 0.0 } else { f64::INFINITY };
    }
    let places = ty.fraction_bits();
    let power = float::to_f64(ty, nearest & !((1 << places) - 1)).abs();
    let ulp = (power * libm::exp2(-f64::from(places))).max(float::to_f64(ty, 1));
    (value - truth).abs() / ulp
}

/// The largest error and the operands' bits.
type Found = (f64, Operands);

const NONE: Found = (0.0, [0; 2]);

fn worse(a: Found, b: Found) -> Found {
    if b.0 > a.0 || b.0.is_nan() {
        b
    } else {
        a
    }
}

fn error(kind: OpKind, ty: Type, operands: Operands) -> Found {
    (ulps(ty, of_operands(kind, ty, operands), truth(kind, ty, operands)), operands)
}

/// The largest over each so many of the inputs.
fn largest(kind: OpKind, ty: Type, step: usize) -> Found {
    let part = 1u64 << (ty.width(0) - 8);
    let parts = (0..256u64).into_par_iter().map(|k| {
        let first = (k * part).next_multiple_of(step as u64);
        (first..(k + 1) * part).step_by(step).map(|bits| error(kind, ty, [bits, 0])).fold(NONE, worse)
    });
    parts.reduce(|| NONE, worse)
}

/// Zeros, subnormals, ones, the ends of the range, infinities and NaNs, of both signs.
fn corners(ty: Type) -> Vec<u64> {
    let [one, infinity] = [1.0, f64::INFINITY].map(|x| float::from_f64(ty, x));
    let least = 1 << ty.fraction_bits();
    let all = [0, 1, 2, least - 1, least, one - 1, one, one + 1, infinity - 1, infinity, infinity + 1];
    all.into_iter().flat_map(|bits| [bits, bits | 1 << (ty.width(0) - 1)]).collect()
}

/// Two operands: any, or so near to each other in size that both count.
fn pair(rng: &mut Rng, ty: Type) -> Operands {
    let width = ty.width(0);
    let [x, y] = [0; 2].map(|_| rng.next_u64() >> (64 - width));
    let span = u64::from(2 * ty.fraction_bits() + 16) << ty.fraction_bits();
    match rng.below(2) {
        0 => [x, y],
        _ => [x, x.wrapping_add(y % span).wrapping_sub(span / 2) & ((1 << width) - 1)],
    }
}

/// The largest over all pairs of corners and so many drawn ones.
fn largest_of_pairs(kind: OpKind, ty: Type, count: u64) -> Found {
    let corners = corners(ty);
    let all = corners.iter().flat_map(|&x| corners.iter().map(move |&y| error(kind, ty, [x, y])));
    let parts = (0..64u64).into_par_iter().map(|seed| {
        let mut rng = Rng::new(seed);
        (0..count / 64).map(|_| pair(&mut rng, ty)).map(|pair| error(kind, ty, pair)).fold(NONE, worse)
    });
    worse(all.fold(NONE, worse), parts.reduce(|| NONE, worse))
}

/// The same error by the arbiter of many digits.
fn again(kind: OpKind, ty: Type, operands: Operands) -> f64 {
    // Distances there are in ulps of doubles, from the result as a double.
    let got = float::to_f64(ty, of_operands(kind, ty, operands));
    let wide = Arbiter::default().distance(kind, operands.map(|bits| float::to_f64(ty, bits)), got);
    let truth = truth(kind, ty, operands);
    let nearest = float::from_f64(ty, truth);
    let places = ty.fraction_bits();
    let [power, least] = [nearest & !((1 << places) - 1), 1].map(|bits| float::to_f64(ty, bits).abs());
    let ulp = (power * libm::exp2(-f64::from(places))).max(least);
    let of_double = libm::exp2(f64::from(libm::ilogb(truth)) - 52.0);
    if ulp.is_finite() && truth != 0.0 {
        wide * of_double / ulp
    } else {
        wide
    }
}

fn check(kind: OpKind, ty: Type, bound: f64, step: usize, slack: f64) {
    holds(kind, ty, bound, slack, largest(kind, ty, step));
}

fn holds(kind: OpKind, ty: Type, bound: f64, slack: f64, (error, operands): Found) {
    println!("{kind} {ty}: {error:.4} at {operands:x?}");
    assert!(error <= bound, "{kind} {ty} of {operands:x?} is {error} ulps away");
    assert!(error > bound - slack, "{kind} {ty} is only {error} ulps away at most");
    let exact = again(kind, ty, operands);
    assert!(
        (exact - error).abs() < 1e-3,
        "{kind} {ty} of {operands:x?}: {error} by doubles, {exact} by many digits"
    );
}

#[test]
fn a_million_pairs() {
    for (kind, bounds) in LARGEST_OF_PAIRS {
        for (ty, bound) in curves::TYPES.into_iter().zip(bounds) {
            holds(kind, ty, bound, 0.02, largest_of_pairs(kind, ty, 1 << 20));
        }
    }
}

#[test]
fn all_inputs_of_16_bits() {
    for (kind, [brain, half, _], _) in LARGEST {
        check(kind, Type::Bf16, brain, 1, 0.011);
        check(kind, Type::F16, half, 1, 0.011);
    }
}

#[test]
fn a_slice_in_single_precision() {
    for (kind, [.., bound], _) in LARGEST {
        check(kind, Type::F32, bound, 65_537, 0.1);
    }
}

/// Against the arbiter itself: operands of all kinds.
#[test]
fn drawn_operands_by_many_digits() {
    LARGEST.into_par_iter().for_each(|(kind, bounds, _)| {
        let mut rng = Rng::new(1);
        for k in 0..600 {
            let (ty, bound) = (curves::TYPES[k % 3], bounds[k % 3]);
            let near = |rng: &mut Rng| {
                let one = float::from_f64(ty, 1.0);
                let span = one >> 3;
                let sign = (rng.next_u64() & 1) << (ty.width(0) - 1);
                (one - span + rng.next_u64() % (2 * span)) | sign
            };
            let bits = match k % 2 {
                0 => rng.next_u64() >> (64 - ty.width(0)),
                _ => near(&mut rng),
            };
            let operands = [bits, 0];
            let is_number = truth(kind, ty, operands).is_finite();
            let off = if is_number { again(kind, ty, operands) } else { error(kind, ty, operands).0 };
            // A result beyond the largest number has its error told by doubles.
            let off = if off > bound { error(kind, ty, operands).0 } else { off };
            assert!(off <= bound, "{kind} {ty} of {bits:x} is {off} ulps away");
        }
    });
}

/// Values that are floats are the results, and odd functions are odd, bit by bit.
#[test]
fn exact_values_and_signs() {
    for ty in curves::TYPES {
        let bits = |x: f64| float::from_f64(ty, x);
        for n in -14..16 {
            let power = libm::exp2(n.into());
            assert_eq!(unit(OpKind::Exp2, ty, bits(n.into())), bits(power), "2^{n}");
            assert_eq!(unit(OpKind::Log2, ty, bits(power)), bits(n.into()), "log2 of 2^{n}");
        }
        for n in 0..5i32 {
            assert_eq!(unit(OpKind::Cbrt, ty, bits((n * n * n).into())), bits(n.into()), "{ty}");
        }
        let sign = 1 << (ty.width(0) - 1);
        let mut rng = Rng::new(5);
        for _ in 0..2000 {
            let x = rng.next_u64() & (sign - 1);
            if float::is_nan(ty, x) {
                continue;
            }
            for kind in [OpKind::Sin, OpKind::Tan, OpKind::Atan, OpKind::Tanh, OpKind::Erf, OpKind::Cbrt] {
                let (plus, minus) = (unit(kind, ty, x), unit(kind, ty, x | sign));
                assert_eq!(
                    plus ^ minus,
                    if float::is_nan(ty, plus) { 0 } else { sign },
                    "{kind} {ty} of {x:x}"
                );
            }
            assert_eq!(unit(OpKind::Cos, ty, x), unit(OpKind::Cos, ty, x | sign), "{ty} of {x:x}");
        }
    }
}

/// The table of `docs/dfg.md`.
#[test]
fn the_page_says_so() {
    let mut table = "| op | `bf16` | `f16` | `f32` | inputs of `f32` |\n|---|---|---|---|---|\n".to_string();
    for (kind, [brain, half, single], inputs) in LARGEST {
        let _ =
            writeln!(table, "| `{}` | {brain:.2} | {half:.2} | {single:.2} | {inputs} |", kind.mnemonic());
    }
    for (kind, [brain, half, single]) in LARGEST_OF_PAIRS {
        let inputs = "a million pairs, in each type";
        let _ =
            writeln!(table, "| `{}` | {brain:.2} | {half:.2} | {single:.2} | {inputs} |", kind.mnemonic());
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/dfg.md");
    let page = std::fs::read_to_string(page).expect("the page");
    assert!(page.contains(&table), "put this into docs/dfg.md:\n{table}");
    let built =
        OpKind::TABLE.iter().filter(|kind| kind.in_hardware() && !curves::is_built(**kind, Type::F64));
    assert_eq!(built.count(), LARGEST.len() + LARGEST_OF_PAIRS.len());
}

#[test]
#[ignore = "hours: all 2^32 inputs of each (make exhaust)"]
fn all_inputs_in_single_precision() {
    for (kind, [.., bound], _) in LARGEST {
        check(kind, Type::F32, bound, 1, 0.02);
    }
}
