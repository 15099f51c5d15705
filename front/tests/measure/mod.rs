//! How far formulas in single precision are from the truth, and how many ops formulas have.

use crate::host::Host;
use loom_base::Rng;
use loom_dfg::{Op, OpKind, Type};
use loom_front::elementary::{self, formula, Calculator};
use rayon::prelude::*;

/// What the largest errors were measured over.
const ALL: &str = "all 2^32";
const ONE_SIGN: &str = "all of one sign";
const SOME: &str = "each 29th";
const DRAWN: &str = "millions drawn";

/// The largest error in ulps, rounded up, and over which inputs it was found.
pub const LARGEST: [(OpKind, f64, &str); 20] = [
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
pub fn truth(kind: OpKind, x: f64, y: f64) -> f64 {
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

pub fn of_f32(kind: OpKind, operands: &[f32]) -> f32 {
    let operands: Vec<(u64, Type)> = operands.iter().map(|x| (x.to_bits().into(), Type::F32)).collect();
    f32::from_bits(formula(&mut Host, (kind, Type::F32, Type::F32), &operands).expect("a formula").0 as u32)
}

/// The distance of a result from the true value in ulps at that. Infinite where one is a NaN or an infinity and the other is not,
/// where the NaN is not the canonical one, and where a sign is wrong.
pub fn ulps(got: f32, truth: f64) -> f64 {
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
pub fn largest(kind: OpKind, step: usize) -> (f64, [f32; 2]) {
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

/// How many ops an elementary function, or an exact op, has in a type.
pub fn ops(kind: OpKind, ty: Type) -> usize {
    let mut count = Count::default();
    formula(&mut count, (kind, ty, ty), &vec![(); elementary::operands(kind)]).expect("a formula");
    count.0
}
