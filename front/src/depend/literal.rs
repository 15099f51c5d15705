//! Numbers that were made of others and a literal: divided, masked.

use crate::edit;
use crate::ir::{Func, ValueId};
use loom_dfg::{Op, OpKind};

/// The op of two operands that gives a value, where the second is a literal.
pub(super) fn with_literal(func: &Func, value: ValueId) -> Option<(OpKind, ValueId, i64)> {
    let (Op::Plain(kind), &[of, by]) = edit::made_by(func, value)? else { return None };
    Some((kind, of, edit::constant_int(func, by)?))
}

/// A number that was divided by a literal.
pub(super) struct Quotient {
    pub of: ValueId,
    pub by: i64,
    /// The least that may be left.
    pub least: i64,
}

impl Quotient {
    pub fn new(func: &Func, value: ValueId) -> Option<Quotient> {
        let (kind, of, literal) = with_literal(func, value)?;
        let (by, least) = match kind {
            // Towards zero.
            OpKind::Divsi => (literal, literal.checked_neg()?.checked_add(1)?),
            OpKind::Floordivsi => (literal, 0),
            OpKind::Shrsi if (0..31).contains(&literal) => (1 << literal, 0),
            _ => return None,
        };
        (2..1 << 31).contains(&by).then_some(Quotient { of, by, least })
    }
}

/// The greatest value of a number that a mask or a remainder keeps small.
pub(crate) fn masked(func: &Func, value: ValueId) -> Option<i64> {
    let (kind, _, literal) = with_literal(func, value)?;
    match kind {
        OpKind::Andi if literal >= 0 => Some(literal),
        OpKind::Remui if literal > 0 => Some(literal - 1),
        _ => None,
    }
}
