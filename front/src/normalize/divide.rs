//! Divisions by cheaper ops, and those that a fabric has no unit for by others.
//!
//! A quotient by a literal is a product and a shift, where the numbers are small enough for the words there are. Products in 64 bits
//! for divisions of 32 are for fabrics that have them and for speed: there may be fewer such units than dividers. Without them
//! the upper word of such a product is put together of four products of halves, in innermost loops that divide by nothing else: a divider would
//! hold all of such a loop up, for as many cycles as there are bits.
//!
//! What is multiplied with is 2^p over the divisor, rounded up (Granlund and Montgomery, 1994) or, with the dividend raised by
//! one, down (Robison, 2005). Over all dividends that there may be the error stays below what changes a quotient, which is what the search for p
//! asks, and the product within its words: so every quotient is exact. Nothing here looks at the program but for how large a number may be.

use super::intervals::NumberInterval;
use super::rewrite::Rewrite;
use super::round::Round;
use crate::edit::{self, Parents};
use crate::ir::{Func, Kind, OpId, ValueId};
use crate::passes::{Aim, PassTarget};
use loom_base::sign_extend;
use loom_dfg::{Op, OpKind, Predicate, Type};
use std::collections::BTreeSet;

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

/// Whether numbers of 32 bits are multiplied in 64.
fn has_wide_products(target: &PassTarget, ty: Type) -> bool {
    target.division.wide_products && target.aim == Aim::Speed && ty == Type::I32
}

/// The divisions by literals that products of halves may stand for: those of innermost loops, and of those with loops in ifs alone what their next
/// iteration waits for, that hold no other op which takes a cycle for each bit, as long as there are units for all products of a loop.
pub(super) fn in_halves(func: &Func, ops: &[OpId], parents: &Parents, target: &PassTarget) -> BTreeSet<OpId> {
    if target.aim == Aim::Room {
        return BTreeSet::new();
    }
    let kind = |op: OpId| match func.op(op).kind {
        Kind::Scalar(op) => Some(op.kind()),
        _ => None,
    };
    let is_loop = |op: &OpId| func.op(*op).kind.is_loop();
    let around = |op: OpId| parents.around(op).into_iter().find(is_loop);
    // Loops with a loop in each iteration, and in some.
    let inner = || ops.iter().filter(|op| is_loop(op));
    let nests: BTreeSet<OpId> =
        inner().filter_map(|&op| parents.around(op).first().copied()).filter(is_loop).collect();
    let others: BTreeSet<OpId> = inner().filter_map(|&op| around(op)).collect();
    let products = |op: OpId| {
        let ty = func.ty(func.result(op, 0)).scalar()?;
        let by = edit::constant(func, *func.op(op).operands.get(1)?)?;
        let fits = ty.is_integral() && ty.width(target.index_width) == 32 && by != 0;
        match kind(op)? {
            OpKind::Divui | OpKind::Divsi if fits => Some(if has_wide_products(target, ty) { 1 } else { 4 }),
            OpKind::Remui | OpKind::Remsi if fits => Some(if has_wide_products(target, ty) { 2 } else { 5 }),
            _ => None,
        }
    };
    let digits = ops.iter().filter(|&&op| kind(op).is_some_and(OpKind::is_iterative));
    let (mut made, mut other) = (Vec::new(), nests);
    for &op in digits {
        match (around(op), products(op)) {
            (Some(at), Some(count)) => made.push((op, at, count)),
            (Some(at), None) => _ = other.insert(at),
            (None, _) => {}
        }
    }
    // An iteration with a loop in it mostly takes longer than a divider, unless the loop seldom runs and the next iteration waits.
    let waits =
        |at, op| Round::new(func, at).is_some_and(|round| round.leads_back(func.result(op, 0)).is_some());
    made.retain(|&(op, at, _)| !other.contains(&at) && (!others.contains(&at) || waits(at, op)));
    let own = ops.iter().filter(|&&op| kind(op) == Some(OpKind::Muli)).count();
    let mut left = target.division.products.saturating_sub(own);
    let mut in_halves = BTreeSet::new();
    for at in made.iter().map(|m| m.1).collect::<BTreeSet<OpId>>() {
        let of_loop = || made.iter().filter(|m| m.1 == at);
        let needed: usize = of_loop().map(|m| m.2).sum();
        if needed <= left {
            left -= needed;
            in_halves.extend(of_loop().map(|m| m.0));
        }
    }
    in_halves
}

impl Rewrite<'_> {
    /// A division in 64 bits of two natural numbers of 32 bits: there it takes half as long.
    pub(super) fn narrow_division(&mut self, kind: OpKind) -> Option<ValueId> {
        let is_below = |most: u128| {
            let is_small = |of: NumberInterval| of.is_not_negative() && of.furthest() < most;
            self.known.iter().all(|of| of.is_some_and(is_small))
        };
        let (is_positive, is_natural) = (is_below(1 << 31), is_below(1 << 32));
        let &[a, b] = &self.operands[..] else { return None };
        let extended = match kind {
            _ if self.ty != Type::Int(64) => return None,
            // By zero a quotient is all ones, in 64 bits too.
            OpKind::Divsi | OpKind::Divui | OpKind::Remsi | OpKind::Remui if is_positive => OpKind::Extsi,
            OpKind::Divui | OpKind::Remui if is_natural => OpKind::Extui,
            _ => return None,
        };
        let [a, b] = [a, b].map(|v| self.at.scalar(Op::Plain(OpKind::Trunci), &[v], Type::I32));
        let narrow = self.at.scalar(Op::Plain(kind), &[a, b], Type::I32);
        let wide = self.at.scalar(Op::Plain(extended), &[narrow], Type::Int(64));
        if (kind, extended) != (OpKind::Divui, OpKind::Extui) {
            return Some(wide);
        }
        let zero = self.number(0, Type::I32);
        let by_zero = self.at.scalar(Op::Cmpi(Predicate::Eq), &[b, zero], Type::I1);
        let ones = self.number(u64::MAX, Type::Int(64));
        Some(self.make(OpKind::Select, &[by_zero, ones, wide]))
    }

    /// A signed division by a power of two. Towards zero, a negative dividend is first raised by one less than the divisor.
    pub(super) fn signed_division(&mut self, kind: OpKind) -> Option<ValueId> {
        let (a, k) = (self.operands[0], self.power(1)?);
        let mask = (1 << k) - 1;
        let width = u64::from(self.width(self.ty));
        let positive = self.is_natural();
        match kind {
            OpKind::Floordivsi => return Some(self.by(OpKind::Shrsi, a, k)),
            OpKind::Divsi if positive => return Some(self.by(OpKind::Shrsi, a, k)),
            OpKind::Remsi if positive => return Some(self.by(OpKind::Andi, a, mask)),
            OpKind::Ceildivsi => {
                let down = self.by(OpKind::Shrsi, a, k);
                let rest = self.by(OpKind::Andi, a, mask);
                let zero = self.number(0, self.ty);
                let above = self.at.scalar(Op::Cmpi(Predicate::Ne), &[rest, zero], Type::I1);
                let up = self.by(OpKind::Addi, down, 1);
                return Some(self.make(OpKind::Select, &[above, up, down]));
            }
            _ => {}
        }
        // One less than the divisor where the dividend is negative.
        let sign = self.by(OpKind::Shrsi, a, width - 1);
        let raise = self.by(OpKind::Shrui, sign, width - k);
        let raised = self.make(OpKind::Addi, &[a, raise]);
        Some(match kind {
            OpKind::Divsi => self.by(OpKind::Shrsi, raised, k),
            _ => {
                let rest = self.by(OpKind::Andi, raised, mask);
                self.make(OpKind::Subi, &[rest, raise])
            }
        })
    }

    /// A quotient or remainder by a literal as a product and a shift.
    pub(super) fn by_product(&mut self, kind: OpKind) -> Option<ValueId> {
        let width = self.width(self.ty);
        let (dividend, literal) = (self.operands[0], self.literal(1)?);
        let is_signed = match kind {
            OpKind::Divui | OpKind::Remui => false,
            OpKind::Divsi | OpKind::Remsi => true,
            _ => return None,
        };
        let is_negative = is_signed && literal >> (width - 1) == 1;
        let divisor = if is_negative { sign_extend(literal, width).unsigned_abs() } else { literal };
        let zero = self.number(0, self.ty);
        match divisor {
            0 => return None,
            1 if matches!(kind, OpKind::Remsi | OpKind::Remui) => return Some(zero),
            1 if is_negative => return Some(self.make(OpKind::Subi, &[zero, dividend])),
            1 => return Some(dividend),
            _ if is_negative && divisor.is_power_of_two() => {
                self.operands[1] = self.number(divisor, self.ty);
                let value = self.signed_division(kind)?;
                return Some(match kind {
                    OpKind::Remsi => value,
                    _ => self.make(OpKind::Subi, &[zero, value]),
                });
            }
            _ => {}
        }
        let is_natural = self.is_natural();
        let may_be_negative = is_signed && !is_natural;
        let most = match self.known[0] {
            Some(known) if may_be_negative || is_natural => known.furthest() as u64,
            _ if may_be_negative => 1 << (width - 1),
            _ => self.ones(),
        };
        let find = |bits| Magic::find(divisor, most, bits - u32::from(may_be_negative), may_be_negative);
        let mut quotient = match find(width) {
            Some(magic) => self.shifted_product(dividend, magic, self.ty, may_be_negative),
            None if has_wide_products(self.target, self.ty) => {
                self.shifted_product(dividend, find(64)?, Type::Int(64), may_be_negative)
            }
            None if self.by_halves => self.high_product(dividend, find(64)?, may_be_negative),
            None => return None,
        };
        if may_be_negative {
            // One more for a negative dividend: its sign is -1.
            let sign = self.by(OpKind::Shrsi, dividend, u64::from(width) - 1);
            let order = if is_negative { [sign, quotient] } else { [quotient, sign] };
            quotient = self.make(OpKind::Subi, &order);
        } else if is_negative {
            quotient = self.make(OpKind::Subi, &[zero, quotient]);
        }
        if matches!(kind, OpKind::Divui | OpKind::Divsi) {
            return Some(quotient);
        }
        let whole = self.by(OpKind::Muli, quotient, literal);
        Some(self.make(OpKind::Subi, &[dividend, whole]))
    }

    /// A dividend times a factor, in words of a type, shifted down.
    fn shifted_product(&mut self, dividend: ValueId, magic: Magic, ty: Type, is_signed: bool) -> ValueId {
        let [extend, shift] = match is_signed {
            true => [OpKind::Extsi, OpKind::Shrsi],
            false => [OpKind::Extui, OpKind::Shrui],
        };
        let own = std::mem::replace(&mut self.ty, ty);
        let mut value = dividend;
        if ty != own {
            value = self.make(extend, &[value]);
        }
        if magic.raised {
            value = self.by(OpKind::Addi, value, 1);
        }
        value = self.by(OpKind::Muli, value, magic.factor);
        value = self.by(shift, value, magic.shift.into());
        self.ty = own;
        if ty != own {
            value = self.make(OpKind::Trunci, &[value]);
        }
        value
    }

    /// The quotient of a dividend of 32 bits from the upper word of its product with a factor: that of a signed one is less by the factor
    /// where the dividend is negative.
    fn high_product(&mut self, dividend: ValueId, magic: Magic, is_signed: bool) -> ValueId {
        // Shifts by less than a word are made up for in the factor.
        let factor = magic.factor << 32u32.saturating_sub(magic.shift);
        let shift = u64::from(magic.shift.saturating_sub(32));
        let upper = self.upper_word(dividend, factor, magic.raised);
        if !is_signed {
            return self.by(OpKind::Shrui, upper, shift);
        }
        let sign = self.by(OpKind::Shrsi, dividend, 31);
        let less = self.by(OpKind::Andi, sign, factor);
        let upper = self.make(OpKind::Subi, &[upper, less]);
        self.by(OpKind::Shrsi, upper, shift)
    }

    /// The upper word of the product of two unsigned numbers of 32 bits, the first one more where `raised`. No sum of what two halves
    /// make and a carry leaves a word: (2^16 - 1)^2 + 2 (2^16 - 1) is 2^32 - 1.
    fn upper_word(&mut self, number: ValueId, factor: u64, raised: bool) -> ValueId {
        let half = (1 << 16) - 1;
        let ends = [self.by(OpKind::Andi, number, half), self.by(OpKind::Shrui, number, 16)];
        let [[low, middle], [other, high]] = [factor & half, factor >> 16].map(|part| {
            let [first, second] = ends.map(|end| self.by(OpKind::Muli, end, part));
            let first = if raised { self.by(OpKind::Addi, first, part) } else { first };
            [first, second]
        });
        let carry = self.by(OpKind::Shrui, low, 16);
        let middle = self.make(OpKind::Addi, &[middle, carry]);
        let rest = self.by(OpKind::Andi, middle, half);
        let other = self.make(OpKind::Addi, &[other, rest]);
        let carries = [middle, other].map(|sum| self.by(OpKind::Shrui, sum, 16));
        carries.into_iter().fold(high, |sum, carry| self.make(OpKind::Addi, &[sum, carry]))
    }

    /// A quotient that is rounded down or up, where no unit does that: the one towards zero, or one next to it where something is left.
    pub(super) fn rounded(&mut self, kind: OpKind) -> Option<ValueId> {
        let &[a, b] = &self.operands[..] else { return None };
        if !self.target.division.composed.contains(&kind) {
            return None;
        }
        let division = if kind == OpKind::Ceildivui { OpKind::Divui } else { OpKind::Divsi };
        let (zero, bit) = (self.number(0, self.ty), Type::I1);
        let quotient = self.make(division, &[a, b]);
        let whole = self.make(OpKind::Muli, &[quotient, b]);
        let rest = self.make(OpKind::Subi, &[a, whole]);
        // By zero all of the dividend is left, and the quotient is as it is.
        let mut moves = [rest, b].map(|v| self.at.scalar(Op::Cmpi(Predicate::Ne), &[v, zero], bit)).to_vec();
        if kind != OpKind::Ceildivui {
            // Of unequal signs the exact quotient is below the one towards zero.
            let signs = self.make(OpKind::Xori, &[rest, b]);
            let below = if kind == OpKind::Floordivsi { Predicate::Slt } else { Predicate::Sge };
            moves.push(self.at.scalar(Op::Cmpi(below), &[signs, zero], bit));
        }
        let and = |r: &mut Self, a, b| r.at.scalar(Op::Plain(OpKind::Andi), &[a, b], bit);
        let moves = moves.into_iter().reduce(|a, b| and(self, a, b))?;
        let next = if kind == OpKind::Floordivsi { OpKind::Subi } else { OpKind::Addi };
        let next = self.by(next, quotient, 1);
        Some(self.at.scalar(Op::Plain(OpKind::Select), &[moves, next, quotient], self.ty))
    }
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
