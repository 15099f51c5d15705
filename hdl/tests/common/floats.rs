//! Operands that floats are tested with.

use loom_base::{truncate, Rng};
use loom_dfg::float::canonical_nan;
use loom_dfg::Type;

pub const FLOATS: [Type; 4] = [Type::F16, Type::Bf16, Type::F32, Type::F64];

/// Fraction bits, and the exponent field of 1.0.
pub fn shape(ty: Type) -> (u32, u64) {
    match ty {
        Type::F16 => (10, 15),
        Type::Bf16 => (7, 127),
        Type::F32 => (23, 127),
        _ => (52, 1023),
    }
}

/// Zeros, subnormals, the ends of the normal numbers, ones and their neighbours, numbers around which integers and halves
/// end, infinities, NaNs of all kinds; all of both signs.
pub fn edges(ty: Type) -> Vec<u64> {
    let (fraction, bias) = shape(ty);
    let at = |field: u64, low: u64| field << fraction | low;
    let all = (1u64 << fraction) - 1;
    let infinity = at(2 * bias + 1, 0);
    let point = bias + u64::from(fraction);
    let mut values = vec![0, 1, 2, 3, all >> 1, all, at(1, 0), at(1, 1), at(1, all), at(2, 0), at(2, 1)];
    values.extend([at(bias - 2, all), at(bias - 1, 0), at(bias - 1, 1), at(bias - 1, all)]);
    values.extend([at(bias, 0), at(bias, 1), at(bias, all), at(bias + 1, 0), at(bias, 1 << (fraction - 1))]);
    values.extend([at(bias - u64::from(fraction) - 1, 0), at(bias - u64::from(fraction) - 2, 1)]);
    // 2 to the 0, 1, ... bits of the fraction, with and without a half; the first above have neither.
    values.extend([
        at(point.min(2 * bias), 0),
        at((point - 1).min(2 * bias), 1),
        at(point.min(2 * bias), all),
    ]);
    values.extend([at(2 * bias, 0), at(2 * bias, all - 1), at(2 * bias, all), infinity]);
    values.extend([infinity | 1, infinity | all, canonical_nan(ty), canonical_nan(ty) | 1]);
    let sign = 1 << (ty.width(32) - 1);
    values.iter().flat_map(|&v| [v, v | sign]).collect()
}

/// Any bits, or bits with long runs in the fraction and an exponent in a narrow range.
pub fn random(rng: &mut Rng, ty: Type, around: u64) -> u64 {
    let (fraction, bias) = shape(ty);
    let width = ty.width(32);
    if rng.chance(15) {
        return truncate(rng.next_u64(), width);
    }
    let spread = 2 * u64::from(fraction) + 6;
    let field = (around + rng.next_u64() % spread).saturating_sub(spread / 2).min(2 * bias + 1);
    let low = match rng.below(4) {
        0 => rng.next_u64() & rng.next_u64() & rng.next_u64(),
        1 => rng.next_u64() | rng.next_u64() | rng.next_u64(),
        2 => u64::MAX << rng.below(64),
        _ => rng.next_u64(),
    };
    truncate(rng.next_u64(), 1) << (width - 1) | field << fraction | truncate(low, fraction)
}

/// Pairs of one type: all edges by all edges, then random ones around one exponent each.
pub fn pairs(rng: &mut Rng, ty: Type, count: usize) -> Vec<Vec<u64>> {
    let edges = edges(ty);
    let mut all: Vec<Vec<u64>> = edges.iter().flat_map(|&a| edges.iter().map(move |&b| vec![a, b])).collect();
    let (_, bias) = shape(ty);
    for round in 0..count {
        let first = rng.next_u64() % (2 * bias + 2);
        // Sums want like exponents, products want those whose sum is near an end of the range or the middle.
        let second = match round % 4 {
            0 => bias.saturating_sub(first),
            1 => (3 * bias).saturating_sub(first).min(2 * bias),
            _ => first,
        };
        all.push(vec![random(rng, ty, first), random(rng, ty, second)]);
    }
    all
}
