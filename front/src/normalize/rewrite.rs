//! One op that others may take the place of: what both the rules for all ops ([`super::reduce`]) and those for divisions
//! ([`super::divide`]) ask of it, and write it with.

use super::intervals::NumberInterval;
use crate::edit::{self, InsertionPoint};
use crate::ir::{OpId, ValueId};
use crate::passes::PassTarget;
use loom_base::{sign_extend, truncate};
use loom_dfg::{Op, OpKind, Type};

/// One op of the table, with what may stand in its place before it.
pub(super) struct Rewrite<'f> {
    pub(super) at: InsertionPoint<'f>,
    /// Where the first operands of an op in a function with divisions lie.
    pub(super) known: [Option<NumberInterval>; 2],
    pub(super) op: OpId,
    pub(super) operands: Vec<ValueId>,
    /// Of the operands; of a choice, its condition's.
    pub(super) ty: Type,
    pub(super) target: &'f PassTarget,
    /// How often each value is used.
    pub(super) uses: &'f [u32],
    /// Whether there are units for the products of halves that stand for this division.
    pub(super) by_halves: bool,
}

impl Rewrite<'_> {
    pub(super) fn width(&self, ty: Type) -> u32 {
        ty.width(self.target.index_width)
    }

    /// The bits of an operand that is a literal.
    pub(super) fn literal(&self, k: usize) -> Option<u64> {
        let value = *self.operands.get(k)?;
        let ty = self.at.func.ty(value).scalar()?;
        Some(truncate(edit::constant(self.at.func, value)?, self.width(ty)))
    }

    /// Whether the first operand is proved not to be negative where the op stands.
    pub(super) fn is_natural(&self) -> bool {
        self.known[0].is_some_and(NumberInterval::is_not_negative)
    }

    pub(super) fn ones(&self) -> u64 {
        truncate(u64::MAX, self.width(self.ty))
    }

    /// The exponent of an operand that is a power of two above 1; the least signed number is none.
    pub(super) fn power(&self, k: usize) -> Option<u64> {
        let n = self.literal(k)?;
        let fits = n.is_power_of_two() && n > 1 && n.trailing_zeros() + 1 < self.width(self.ty);
        fits.then(|| n.trailing_zeros().into())
    }

    pub(super) fn number(&mut self, bits: u64, ty: Type) -> ValueId {
        let bits = if ty == Type::Index { sign_extend(bits, self.target.index_width) as u64 } else { bits };
        self.at.constant(bits, ty)
    }

    pub(super) fn make(&mut self, kind: OpKind, operands: &[ValueId]) -> ValueId {
        self.at.scalar(Op::Plain(kind), operands, self.ty)
    }

    /// An op with a literal of the operands' type.
    pub(super) fn by(&mut self, kind: OpKind, value: ValueId, bits: u64) -> ValueId {
        let literal = self.number(bits, self.ty);
        self.make(kind, &[value, literal])
    }

    pub(super) fn not(&mut self, value: ValueId) -> ValueId {
        let all = self.at.constant(1, Type::I1);
        self.at.scalar(Op::Plain(OpKind::Xori), &[value, all], Type::I1)
    }
}
