//! Numbers that were put together into one word and are taken apart again: small structs that C functions return by value are such
//! words, and when the function becomes part of its caller the ways in and out meet.
//!
//! [`bits`] follows some bits of a word back through shifts, `or`, masks and casts to the number they are of.

use crate::edit::{self, made_by};
use crate::ir::{Func, ValueId};
use loom_base::truncate;
use loom_dfg::{Op, OpKind};

/// Ops that are followed, one behind the other, at most.
const DEPTH: usize = 8;

/// Some bits of a value: `width` from `low` on.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    pub value: ValueId,
    pub low: u32,
    pub width: u32,
}

/// What some bits are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Zero,
    /// So many low bits of a number, and zeros above them.
    Number(ValueId, u32),
}

/// What some bits are, where that is more than one step away.
pub(super) fn bits(func: &Func, index_width: u32, of: Bits) -> Option<Found> {
    let found = Trace { func, index_width }.follow(of, DEPTH)?;
    (!matches!(found, Found::Number(value, _) if value == of.value)).then_some(found)
}

struct Trace<'f> {
    func: &'f Func,
    index_width: u32,
}

impl Trace<'_> {
    fn width(&self, value: ValueId) -> Option<u32> {
        Some(self.func.ty(value).scalar()?.width(self.index_width))
    }

    fn literal(&self, value: ValueId) -> Option<u64> {
        Some(truncate(edit::constant(self.func, value)?, self.width(value)?))
    }

    /// An amount of a shift, which is within the word.
    fn amount(&self, value: ValueId, word: ValueId) -> Option<u32> {
        let amount = u32::try_from(self.literal(value)?).ok()?;
        (amount < self.width(word)?).then_some(amount)
    }

    fn follow(&self, of: Bits, depth: usize) -> Option<Found> {
        let Bits { value, low, width } = of;
        if let Some(literal) = self.literal(value) {
            return (truncate(literal >> low, width) == 0).then_some(Found::Zero);
        }
        let further = depth.checked_sub(1).and_then(|depth| self.step(of, depth));
        further.or((low == 0).then_some(Found::Number(value, width)))
    }

    fn step(&self, Bits { value, low, width }: Bits, depth: usize) -> Option<Found> {
        let (Op::Plain(kind), from) = made_by(self.func, value)? else { return None };
        let at = |value, low| self.follow(Bits { value, low, width }, depth);
        match (kind, from) {
            (OpKind::Extui, &[x]) => match self.width(x)? {
                inner if low >= inner => Some(Found::Zero),
                inner if low + width <= inner => at(x, low),
                inner => self.follow(Bits { value: x, low, width: inner - low }, depth),
            },
            (OpKind::Trunci, &[x]) => at(x, low),
            (OpKind::Shli, &[x, by]) => match self.amount(by, value)? {
                by if low >= by => at(x, low - by),
                by if low + width <= by => Some(Found::Zero),
                _ => None,
            },
            (OpKind::Shrui, &[x, by]) => {
                let (by, all) = (self.amount(by, value)?, self.width(value)?);
                match all.saturating_sub(by + low) {
                    0 => Some(Found::Zero),
                    left => self.follow(Bits { value: x, low: low + by, width: width.min(left) }, depth),
                }
            }
            (OpKind::Ori, &[a, b]) => match (at(a, low), at(b, low)) {
                (Some(Found::Zero), other) | (other, Some(Found::Zero)) => other,
                _ => None,
            },
            (OpKind::Andi, &[x, mask]) => {
                let mask = truncate(self.literal(mask)? >> low, width);
                match mask {
                    0 => Some(Found::Zero),
                    mask if mask == truncate(u64::MAX, width) => at(x, low),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
