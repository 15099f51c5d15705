//! Quotients by a literal as a product and a shift, where the numbers are small enough for the words there are.
//!
//! What is multiplied with is 2^p over the divisor, rounded up (Granlund and Montgomery, 1994) or, with the dividend raised by
//! one, down (Robison, 2005). Over all dividends that there may be the error stays below what changes a quotient, which is what the search for p
//! asks, and the product within its words: so every quotient is exact. Nothing here looks at the program but for how large a number may be.

use super::sign;
use crate::edit::{self, Parents};
use crate::ir::{Func, Kind, OpId, ValueDef, ValueId};
use loom_base::truncate;
use loom_dfg::{OpKind, Type};

/// Operations that are looked through for how large a number may be.
const DEPTH: usize = 6;

/// A product and a shift in the place of a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Magic {
    /// What is multiplied with.
    pub factor: u64,
    /// By how much the product is shifted down.
    pub shift: u32,
    /// Whether the dividend is one more.
    pub raised: bool,
}

impl Magic {
    /// That of a divisor, for dividends of 0 to `most` and products below 2^`bits`. With `signed` the dividend may as well be negative, as
    /// far as `-most`; the product shifted down is then one less than the quotient.
    pub fn find(divisor: u64, most: u64, bits: u32, signed: bool) -> Option<Magic> {
        let (divisor, most) = (u128::from(divisor), u128::from(most));
        let up = |shift: u32| {
            let factor = (1u128 << shift) / divisor + 1;
            let error = factor * divisor - (1 << shift);
            let fits = error.checked_mul(most)? < 1 << shift && factor.checked_mul(most)? < 1 << bits;
            fits.then_some(Magic { factor: factor.try_into().ok()?, shift, raised: false })
        };
        let down = |shift: u32| {
            let factor = (1u128 << shift) / divisor;
            let error = (1 << shift) - factor * divisor;
            let fits = error > 0
                && error.checked_mul(most + 1)? <= 1 << shift
                && factor.checked_mul(most + 1)? < 1 << bits;
            fits.then_some(Magic { factor: factor.try_into().ok()?, shift, raised: true })
        };
        let found = (0..bits).find_map(up);
        found.or_else(|| (0..bits).find_map(down).filter(|_| !signed))
    }
}

/// The largest number that a value may be, without a sign, where `at` stands.
pub(super) fn most(func: &Func, parents: &Parents, value: ValueId, at: OpId, index_width: u32) -> u64 {
    let own = most_by_definition(func, value, index_width, DEPTH);
    let width = func.ty(value).scalar().map_or(64, |ty| ty.width(index_width));
    match sign::is_not_negative(func, parents, value, at) {
        true => own.min(truncate(u64::MAX, width) >> 1),
        false => own,
    }
}

fn most_by_definition(func: &Func, value: ValueId, index_width: u32, depth: usize) -> u64 {
    let width = func.ty(value).scalar().map_or(64, |ty| ty.width(index_width));
    let all = truncate(u64::MAX, width);
    if let Some(bits) = edit::constant(func, value) {
        return truncate(bits, width);
    }
    let ValueDef::Result { op, .. } = func.value(value).def else { return all };
    let Kind::Scalar(scalar) = func.op(op).kind else { return all };
    let Some(depth) = depth.checked_sub(1) else { return all };
    let operands = &func.op(op).operands;
    let of = |k: usize| most_by_definition(func, operands[k], index_width, depth);
    let literal = |k: usize| edit::constant(func, operands[k]).map(|bits| truncate(bits, width));
    // All bits below the highest of a number, which ones of less set at most.
    let filled = |n: u64| if n == 0 { 0 } else { u64::MAX >> n.leading_zeros() };
    let known = match scalar.kind() {
        OpKind::Extui | OpKind::IndexCastui => of(0),
        OpKind::Trunci => of(0),
        OpKind::Andi | OpKind::Minui => of(0).min(of(1)),
        OpKind::Ori | OpKind::Xori => filled(of(0) | of(1)),
        OpKind::Maxui => of(0).max(of(1)),
        OpKind::Select => of(1).max(of(2)),
        OpKind::Addi => of(0).saturating_add(of(1)),
        OpKind::Muli => of(0).saturating_mul(of(1)),
        OpKind::Shrui => of(0).checked_shr(literal(1).map_or(0, |n| n.min(63) as u32)).unwrap_or(0),
        // By zero it has all bits.
        OpKind::Divui => literal(1).filter(|&n| n > 0).map_or(all, |n| of(0) / n),
        OpKind::Remui => literal(1).filter(|&n| n > 0).map_or(all, |n| of(0).min(n - 1)),
        _ => all,
    };
    // A sum or product of more than that may be anything.
    known.min(all)
}

/// How far from zero a signed number may be.
pub(super) fn furthest(func: &Func, value: ValueId, index_width: u32) -> u64 {
    let width = func.ty(value).scalar().map_or(64, |ty| ty.width(index_width));
    let extended = match func.value(value).def {
        ValueDef::Result { op, .. } => match func.op(op).kind {
            Kind::Scalar(scalar) if scalar.kind() == OpKind::Extsi => {
                func.ty(func.op(op).operands[0]).scalar().map(|ty: Type| ty.width(index_width))
            }
            _ => None,
        },
        ValueDef::Argument { .. } => None,
    };
    1 << (extended.unwrap_or(width) - 1)
}

#[cfg(test)]
mod tests {
    use super::Magic;

    fn quotient(magic: Magic, n: i128) -> i128 {
        ((n + i128::from(magic.raised)) * i128::from(magic.factor)) >> magic.shift
    }

    #[test]
    fn each_small_dividend_has_its_quotient() {
        for divisor in (3..1000).chain([1023, 4097, 32767, 40000, 65535, 65536]) {
            let d = i128::from(divisor);
            for (most, bits) in [(255, 32), (65535, 32), (65535, 64)] {
                let Some(magic) = Magic::find(divisor, most, bits, false) else { continue };
                for n in 0..=i128::from(most) {
                    assert_eq!(quotient(magic, n), n / d, "{n} / {divisor}: {magic:?}");
                }
            }
            let Some(magic) = Magic::find(divisor, 1 << 15, 31, true) else { continue };
            for n in -(1 << 15)..1 << 15 {
                assert_eq!(quotient(magic, n) + i128::from(n < 0), n / d, "{n} / {divisor}: {magic:?}");
            }
        }
    }

    /// Where quotients change, which is where an error would show first.
    #[test]
    fn each_divisor_of_32_bits_has_a_product_of_64() {
        let near = |k: u32| [(1u64 << k) - 1, (1 << k) + 1];
        let divisors = (2..31).flat_map(near).chain([3, 5, 7, 10, 60, 641, 1_000_000_007, (1 << 31) - 1]);
        for divisor in divisors.chain([(1 << 31) + 1, u64::from(u32::MAX)]).filter(|&d| d > 2) {
            let d = i128::from(divisor);
            let magic = Magic::find(divisor, u32::MAX.into(), 64, false).expect("one for each");
            let last = i128::from(u32::MAX) / d;
            for q in [0, 1, 2, last / 3, last / 2, last - 1, last] {
                for n in [q * d - 1, q * d, q * d + d - 1].map(|n| n.clamp(0, u32::MAX.into())) {
                    assert_eq!(quotient(magic, n), n / d, "{n} / {divisor}: {magic:?}");
                }
            }
            if divisor >= 1 << 31 {
                continue;
            }
            let magic = Magic::find(divisor, 1 << 31, 63, true).expect("one for each");
            let last = (1i128 << 31) / d;
            for q in [-last, -last / 2, -1, 0, 1, last / 2, last] {
                for n in [q * d - 1, q * d, q * d + 1].map(|n| n.clamp(-1 << 31, (1 << 31) - 1)) {
                    assert_eq!(quotient(magic, n) + i128::from(n < 0), n / d, "{n} / {divisor}: {magic:?}");
                }
            }
        }
    }
}
