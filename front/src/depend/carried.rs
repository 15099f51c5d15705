//! How far an iteration moves a number that its loop carries: `w` of `if (a[r] > t) a[w++] = a[r]` by 0 or 1.
//!
//! So after as many iterations as the counter's distance from its start says, the number is no further from its own. That is what keeps
//! what is written behind what is read.

use crate::edit;
use crate::ir::{Func, Kind, OpId, ValueDef, ValueId};
use loom_dfg::{Op, OpKind, Type};

/// Ops that are looked through.
const DEPTH: u32 = 12;

/// A number that a counted loop carries, and the least and the most that an iteration adds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Carried {
    /// The loop.
    pub of: OpId,
    /// What it begins with.
    pub first: ValueId,
    pub least: i64,
    pub most: i64,
}

impl Carried {
    /// That of a value; `around` are the operations around its use. Sums are taken as they are written only where they do not wrap: `nsw`, or
    /// counted from 0 upwards by one at most, in words that no count of iterations leaves.
    pub fn new(func: &Func, value: ValueId, around: &[OpId]) -> Option<Carried> {
        let ValueDef::Argument { block, index } = func.value(value).def else { return None };
        let at = index.checked_sub(1)?;
        let is_body = |of: &&OpId| {
            let record = func.op(**of);
            matches!(record.kind, Kind::For { .. }) && func.entry(record.regions[0]) == Some(block)
        };
        let &of = around.iter().find(is_body)?;
        let next = *func.op(func.terminator(block)?).operands.get(at)?;
        let first = *func.op(of).operands.get(3 + at)?;
        let moved = moved(func, next, value, DEPTH)?;
        let is_wide = func.ty(value).scalar()?.width(32) >= 32;
        let is_count = edit::constant_int(func, first) == Some(0) && moved.least >= 0 && moved.most <= 1;
        (moved.is_exact || is_wide && is_count).then_some(Carried {
            of,
            first,
            least: moved.least,
            most: moved.most,
        })
    }
}

/// By how much a value is more than another one.
#[derive(Clone, Copy)]
struct Moved {
    least: i64,
    most: i64,
    /// Whether no sum wraps.
    is_exact: bool,
}

impl Moved {
    /// By one or the other.
    fn or(self, other: Moved) -> Moved {
        Moved {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            is_exact: self.is_exact && other.is_exact,
        }
    }
}

fn moved(func: &Func, value: ValueId, from: ValueId, depth: u32) -> Option<Moved> {
    if value == from {
        return Some(Moved { least: 0, most: 0, is_exact: true });
    }
    let ValueDef::Result { op, index } = func.value(value).def else { return None };
    let record = func.op(op);
    let depth = depth.checked_sub(1)?;
    let either = |a, b| Some(moved(func, a, from, depth)?.or(moved(func, b, from, depth)?));
    if let Some((Op::Plain(kind @ (OpKind::Addi | OpKind::Subi)), &[left, right])) =
        edit::made_by(func, value)
    {
        let turned = || (kind == OpKind::Addi).then(|| Some((right, amount(func, left, depth)?))).flatten();
        let (of, by) = amount(func, right, depth).map(|by| (left, by)).or_else(turned)?;
        let (least, most) = match kind {
            OpKind::Addi => (by.least, by.most),
            _ => (by.most.checked_neg()?, by.least.checked_neg()?),
        };
        let so_far = moved(func, of, from, depth)?;
        return Some(Moved {
            least: so_far.least.checked_add(least)?,
            most: so_far.most.checked_add(most)?,
            is_exact: so_far.is_exact && record.nsw,
        });
    }
    match record.kind {
        Kind::Scalar(Op::Plain(OpKind::Select)) => either(record.operands[1], record.operands[2]),
        Kind::If => {
            let [yes, no] = edit::sides(func, op)?.map(|side| func.terminator(side));
            let given = |end| func.op(end).operands.get(index).copied();
            either(given(yes?)?, given(no?)?)
        }
        _ => None,
    }
}

/// By how much a value is more than 0: a literal, or a choice between such.
fn amount(func: &Func, value: ValueId, depth: u32) -> Option<Moved> {
    let between = |least, most| Some(Moved { least, most, is_exact: true });
    if let Some(literal) = edit::constant_int(func, value) {
        return between(literal, literal);
    }
    let depth = depth.checked_sub(1)?;
    match edit::made_by(func, value)? {
        (Op::Plain(OpKind::Extui), &[bit]) if func.ty(bit).scalar() == Some(Type::I1) => between(0, 1),
        (Op::Plain(OpKind::IndexCastui), &[bit]) => amount(func, bit, depth).filter(|by| by.least >= 0),
        (Op::Plain(OpKind::Select), &[_, yes, no]) => {
            Some(amount(func, yes, depth)?.or(amount(func, no, depth)?))
        }
        _ => None,
    }
}
