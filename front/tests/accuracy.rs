//! How far the formulas in double precision are from the truth, and the page that says so of all types.
//!
//! As a test, some thousand inputs of each function. With `--ignored` millions, and all 2^32 in single precision, or each so many that
//! `--each` says; `--page` names the file that is written then (`make exhaust`).

mod arbiter;
mod host;
mod measure;

use arbiter::Arbiter;
use host::Host;
use loom_base::Rng;
use loom_dfg::{float, OpKind, Type};
use loom_front::elementary::{self, formula, KINDS};
use measure::ops;
use rayon::prelude::*;
use std::f64::consts::{FRAC_PI_4, LN_2};
use std::fmt::Write;

/// The largest error in ulps in double precision, rounded up.
const LARGEST: [(OpKind, f64); 20] = [
    (OpKind::Exp, 0.77),
    (OpKind::Exp2, 0.85),
    (OpKind::Expm1, 0.79),
    (OpKind::Log, 0.85),
    (OpKind::Log2, 0.77),
    (OpKind::Log10, 0.71),
    (OpKind::Log1p, 0.88),
    (OpKind::Powf, 0.93),
    (OpKind::Cbrt, 0.78),
    (OpKind::Sin, 0.87),
    (OpKind::Cos, 0.90),
    (OpKind::Tan, 0.95),
    (OpKind::Asin, 0.65),
    (OpKind::Acos, 0.79),
    (OpKind::Atan, 0.87),
    (OpKind::Atan2, 0.76),
    (OpKind::Sinh, 0.77),
    (OpKind::Cosh, 0.91),
    (OpKind::Tanh, 0.74),
    (OpKind::Erf, 0.83),
];

/// A largest error, at which operands, and over how many inputs.
#[derive(Clone, Copy)]
struct Found {
    error: f64,
    at: [f64; 2],
    inputs: u64,
}

impl Found {
    const NONE: Found = Found { error: 0.0, at: [0.0; 2], inputs: 0 };

    fn with(self, other: Found) -> Found {
        let inputs = self.inputs + other.inputs;
        Found { inputs, ..if other.error > self.error { other } else { self } }
    }
}

fn of_f64(kind: OpKind, operands: [f64; 2]) -> f64 {
    let operands = operands.map(|x| (x.to_bits(), Type::F64));
    let of = &operands[..elementary::operands(kind)];
    f64::from_bits(formula(&mut Host, (kind, Type::F64, Type::F64), of).expect("a formula").0)
}

/// Zeros, infinities, NaNs, subnormals, where results leave the range, where formulas change, and the double that is nearest to a
/// multiple of pi/2 for its size.
fn corners() -> Vec<f64> {
    let (inf, least, most) = (f64::INFINITY, f64::from_bits(1), f64::MAX);
    let kinds = [0.0, inf, f64::NAN, least, 1e-310, f64::MIN_POSITIVE, most, 1e300, 1e22];
    let nearest = 6_381_956_970_095_103.0 * libm::exp2(797.0);
    let ends =
        [708.3, 708.5, 709.78, 709.79, 710.47, 710.48, 745.1, 745.14, 1022.5, 1023.9, 1024.0, 1074.5, 1075.1];
    let changes =
        [0.25, 0.4375, 0.5, 0.6875, 0.75, 1.0, 1.25, 2.0, 3.0, 1.5, 6.0, 18.7, 19.1, 27.0, 36.7, 37.5];
    let odd = [9_007_199_254_740_991.0, 4_503_599_627_370_495.5, 1e-9];
    let all = kinds.into_iter().chain([nearest]).chain(ends).chain(changes).chain(odd);
    let near = all.flat_map(|x| [x, libm::nextafter(x, inf), libm::nextafter(x, 0.0)]);
    near.flat_map(|x| [x, -x]).collect()
}

/// A number between two, not both of a sign that matters.
fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * ((rng.next_u64() >> 11) as f64 * libm::exp2(-53.0))
}

/// Operands: any bits, some of where the function is neither a corner nor nothing, and some of where it or its formula changes.
fn drawn(kind: OpKind, rng: &mut Rng) -> [f64; 2] {
    let is_log = matches!(kind, OpKind::Log | OpKind::Log2 | OpKind::Log10);
    let (low, high) = match kind {
        OpKind::Exp | OpKind::Expm1 | OpKind::Sinh | OpKind::Cosh => (-750.0, 750.0),
        OpKind::Exp2 => (-1080.0, 1030.0),
        OpKind::Log | OpKind::Log2 | OpKind::Log10 => (0.0, 10.0),
        OpKind::Log1p => (-1.0, 5.0),
        OpKind::Asin | OpKind::Acos => (-1.0, 1.0),
        OpKind::Tanh => (-20.0, 20.0),
        OpKind::Erf => (-6.0, 6.0),
        _ => (-10.0, 10.0),
    };
    let about = if is_log { 1.0 } else { 0.0 };
    let way = rng.below(5);
    let x = match way {
        0 => f64::from_bits(rng.next_u64()),
        1 => between(rng, low, high),
        2 => about + between(rng, -1.0, 1.0),
        3 => {
            let size = libm::exp2(-(rng.below(60) as f64));
            about + between(rng, -size, size)
        }
        _ => {
            let step = [0.5, 0.25, LN_2 / 2.0, FRAC_PI_4][rng.below(4)];
            let size = libm::exp2(-(rng.below(53) as f64));
            (rng.below(41) as f64 - 20.0) * step * (1.0 + between(rng, -size, size))
        }
    };
    let y = match (kind, way) {
        (OpKind::Atan2 | OpKind::Powf, 0) => f64::from_bits(rng.next_u64()),
        (OpKind::Atan2, 1) => x * between(rng, -3.0, 3.0),
        (OpKind::Atan2, 2) => x / between(rng, -3.0, 3.0),
        (OpKind::Atan2, _) => between(rng, -1.0, 1.0),
        (OpKind::Powf, _) => between(rng, -1080.0, 1030.0) / libm::log2(x.abs()),
        _ => 0.0,
    };
    [x, y]
}

/// The largest error over corners and so many inputs that are drawn.
fn in_double(kind: OpKind, count: u64) -> Found {
    let measured = |arbiter: &mut Arbiter, at: [f64; 2]| {
        let error = arbiter.distance(kind, at, of_f64(kind, at));
        Found { error, at, inputs: 1 }
    };
    let corners = corners();
    let second = if elementary::operands(kind) == 2 { &corners[..] } else { &[0.0] };
    let at_corners = corners.par_iter().map_init(Arbiter::default, |arbiter, &x| {
        second.iter().map(|&y| measured(arbiter, [x, y])).fold(Found::NONE, Found::with)
    });
    let parts = (0..64u64).into_par_iter().map_init(Arbiter::default, |arbiter, part| {
        let mut rng = Rng::new(part);
        (0..count / 64).map(|_| measured(arbiter, drawn(kind, &mut rng))).fold(Found::NONE, Found::with)
    });
    at_corners.reduce(|| Found::NONE, Found::with).with(parts.reduce(|| Found::NONE, Found::with))
}

/// The largest error over all inputs of 16 bits.
fn in_half(kind: OpKind, ty: Type) -> Found {
    let measured = |bits: u64| {
        let got = formula(&mut Host, (kind, ty, ty), &[(bits, ty)]).expect("a formula").0;
        let at = float::to_f64(ty, bits);
        let truth = measure::truth(kind, at, 0.0);
        let nearest = float::from_f64(ty, truth);
        let places = f64::from(ty.fraction_bits());
        // An ulp, by the number's own exponent; where the nearest is no finite number, there is no distance.
        let next = float::to_f64(ty, nearest & !((1 << ty.fraction_bits()) - 1));
        let ulp = (next.abs() * libm::exp2(-places)).max(float::to_f64(ty, 1));
        let error = if got == nearest { 0.0 } else { f64::INFINITY };
        let distance = (float::to_f64(ty, got) - truth).abs() / ulp;
        Found { error: if distance.is_finite() { distance } else { error }, at: [at, 0.0], inputs: 1 }
    };
    (0..1 << 16).into_par_iter().map(measured).reduce(|| Found::NONE, Found::with)
}

/// The table of `docs/lowering.md`.
fn table() -> String {
    let mut table =
        "| op | ops, `f32` | largest error in ulps | inputs | ops, `f64` | largest error in ulps |\n\
                     |---|---|---|---|---|---|\n"
            .to_string();
    for ((kind, single, inputs), (_, double)) in measure::LARGEST.into_iter().zip(LARGEST) {
        let [of_single, of_double] = [Type::F32, Type::F64].map(|ty| ops(kind, ty));
        let name = kind.mnemonic();
        let _ = writeln!(
            table,
            "| `{name}` | {of_single} | {single:.2} | {inputs} | {of_double} | {double:.2} |"
        );
    }
    table
}

/// What was found, as the page has it.
fn page(rows: &[(OpKind, Type, Found, f64)]) -> String {
    let mut page = "# Errors of elementary functions\n\n\
                    `make exhaust` writes this page; `docs/lowering.md` says what it means. Errors are distances from the true value in ulps at \
                    that, and 0.5 is what rounding alone may cost.\n\n\
                    | op | type | ops | largest error | at | inputs |\n|---|---|---|---|---|---|\n"
        .to_string();
    for &(kind, ty, Found { error, at, inputs }, _) in rows {
        let at = match elementary::operands(kind) {
            1 => format!("{:e}", at[0]),
            _ => format!("{:e}, {:e}", at[0], at[1]),
        };
        let (name, ops) = (kind.mnemonic(), ops(kind, ty));
        let _ = writeln!(page, "| `{name}` | `{ty}` | {ops} | {error:.4} | {at} | {inputs} |");
    }
    page
}

/// A slice of what is measured with `--ignored`.
fn slices() {
    for (kind, bound) in LARGEST {
        let Found { error, at, .. } = in_double(kind, 4096);
        assert!(error <= bound, "{kind:?} of {at:?} is {error} ulps away");
        assert!(error > bound - 0.3, "{kind:?} is only {error} ulps away at most");
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| args.iter().position(|a| a == name).and_then(|at| args.get(at + 1));
    assert!(LARGEST.map(|(kind, _)| kind) == KINDS, "the list is that of the functions");
    if !args.iter().any(|a| a == "--ignored") {
        let lowering = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/lowering.md");
        let lowering = std::fs::read_to_string(lowering).expect("the page");
        assert!(lowering.contains(&table()), "put this into docs/lowering.md:\n{}", table());
        return slices();
    }
    let step: usize = after("--each").map_or(1, |n| n.parse().expect("a number"));
    let count: u64 = after("--drawn").map_or(4 << 20, |n| n.parse().expect("a number"));
    let mut rows = Vec::new();
    for ((kind, single, _), (_, double)) in measure::LARGEST.into_iter().zip(LARGEST) {
        if elementary::operands(kind) == 1 {
            rows.extend([Type::Bf16, Type::F16].map(|ty| (kind, ty, in_half(kind, ty), 0.55)));
        }
        let (error, at) = measure::largest(kind, step);
        let inputs = (1u64 << 32).div_ceil(step as u64);
        rows.push((kind, Type::F32, Found { error, at: at.map(f64::from), inputs }, single));
        rows.push((kind, Type::F64, in_double(kind, count), double));
    }
    if let Some(path) = after("--page") {
        std::fs::write(path, page(&rows)).expect("the page is written");
    }
    print!("{}", page(&rows));
    for (kind, ty, Found { error, at, .. }, bound) in rows {
        assert!(
            error <= bound && error > bound - 0.2,
            "{kind:?} {ty} of {at:?} is {error} ulps away, not {bound}"
        );
    }
}
