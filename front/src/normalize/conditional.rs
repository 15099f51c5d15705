//! What is added on a condition, added always: `c ? s + k : s` is `s + (c ? k : 0)`.
//!
//! A choice between a number with and without something added is two ops on the way to the next iteration, the sum and the
//! choice, and where an `scf.if` gives it a branch more. With the amount chosen beside it, it is the sum alone. It holds for `addi` and
//! `subi`, `xori` and `ori`, where 0 changes nothing, for `andi` with all ones and `muli` with 1. Both sides may add: `c ? s + a : s - b`.
//!
//! Floats are left alone: what changes nothing there, -0.0, makes one NaN of another.

use super::motion::defining;
use super::round::{ops_of, Arrival};
use crate::edit::{self, InsertionPoint, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueId, ValueType};
use crate::passes::Aim;
use loom_base::truncate;
use loom_dfg::{Op, OpKind, Type};
use std::collections::BTreeMap;

/// A choice between what is made of one number on either side.
pub(super) struct Conditional {
    of: OpId,
    result: usize,
    condition: ValueId,
    base: ValueId,
    kind: OpKind,
    /// What is put to it where the condition holds, and where it does not.
    amounts: [Amount; 2],
    /// The ops of both sides, with their blocks.
    made_by: Vec<(OpId, BlockId)>,
    ty: Type,
    /// Whether no sum overflows.
    nsw: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Amount {
    /// What changes nothing.
    None,
    By(ValueId),
    Literal(i64),
    /// 0 minus a value.
    Minus(ValueId),
}

/// What a side puts to the number, and by which op.
struct Put {
    by: ValueId,
    op: OpId,
    kind: OpKind,
    is_subtracted: bool,
}

impl Conditional {
    /// A result of a `select` or an `scf.if` that is one. For room only where that takes no op more.
    pub fn new(
        func: &Func,
        uses: &[u32],
        parents: &Parents,
        (of, result): (OpId, usize),
        aim: Aim,
    ) -> Option<Conditional> {
        let record = func.op(of);
        let given = match record.kind {
            Kind::Scalar(Op::Plain(OpKind::Select)) => [record.operands[1], record.operands[2]],
            Kind::If => {
                let ends = edit::sides(func, of)?.map(|side| func.terminator(side));
                let given = |end: Option<OpId>| func.op(end?).operands.get(result).copied();
                [given(ends[0])?, given(ends[1])?]
            }
            _ => return None,
        };
        let ty = func.ty(func.result(of, result)).scalar()?;
        let operands = defining(func, given[0]).map_or(&[][..], |op| &func.op(op).operands);
        let mut bases = given.iter().rev().chain(operands).copied();
        bases.find_map(|base| {
            let [yes, no] = given.map(|value| side(func, uses, value, base));
            let sides = [yes?, no?];
            let puts = || sides.iter().flatten();
            let is_there = |value| record.kind != Kind::If || parents.is_outside(func, value, of);
            if !puts().map(|put| put.by).chain([base]).all(is_there) {
                return None;
            }
            let (kind, amounts) = amounts(func, &sides, aim)?;
            // A literal and what changes nothing are two where an immediate is one.
            let is_literal = |amount: &Amount| matches!(amount, Amount::Literal(_));
            let is_bit = amounts == [Amount::Literal(1), Amount::None];
            let is_more = amounts.iter().any(is_literal) && amounts.contains(&Amount::None) && !is_bit;
            // How wide index is the fabric says.
            if kind == OpKind::Andi && ty == Type::Index || is_more && aim == Aim::Room {
                return None;
            }
            let made_by = puts().map(|put| Some((put.op, parents.block(put.op)?))).collect::<Option<_>>()?;
            let as_before = |put: &Put| put.is_subtracted == (kind == OpKind::Subi);
            let nsw = puts().all(|put| func.op(put.op).nsw && as_before(put));
            let condition = record.operands[0];
            Some(Conditional { of, result, condition, base, kind, amounts, made_by, ty, nsw })
        })
    }

    /// When it would be there.
    pub fn arrival(&self, arrivals: &BTreeMap<ValueId, Arrival>) -> Arrival {
        let of = |value| Arrival::of(value, arrivals);
        let amount = |amount: Amount| match amount {
            Amount::By(value) => of(value),
            Amount::Minus(value) => of(value).then(Arrival::EARLY, 1),
            Amount::None | Amount::Literal(_) => Arrival::EARLY,
        };
        let [yes, no] = self.amounts.map(amount);
        let chosen = of(self.condition).then(yes, 0).then(no, 1);
        of(self.base).then(chosen, ops_of(self.kind))
    }

    /// Writes it in front of the choice, and takes that out.
    pub fn write(&self, func: &mut Func, block: BlockId) {
        let old = func.result(self.of, self.result);
        let sides = (func.op(self.of).kind == Kind::If).then(|| edit::sides(func, self.of)).flatten();
        let mut at = InsertionPoint::new(func, self.of);
        let amount = self.amount(&mut at);
        let sum =
            at.op(Kind::Scalar(Op::Plain(self.kind)), &[self.base, amount], &[ValueType::Scalar(self.ty)]);
        at.func.op_mut(sum).nsw = self.nsw;
        at.put(block);
        let sum = func.result(sum, 0);
        edit::replace_uses(func, old, sum);
        match sides {
            // The branch may give more than this one.
            Some(sides) => sides.map(|side| func.terminator(side)).into_iter().flatten().for_each(|end| {
                func.op_mut(end).operands[self.result] = self.base;
            }),
            None => edit::erase(func, block, self.of),
        }
        self.made_by.iter().for_each(|&(op, block)| edit::erase(func, block, op));
    }

    fn amount(&self, at: &mut InsertionPoint) -> ValueId {
        let neutral = edit::neutral(self.kind, self.ty);
        if self.amounts == [Amount::Literal(1), Amount::None] && neutral == 0 && self.ty != Type::I1 {
            let is_index = self.ty == Type::Index;
            let ty = if is_index { Type::I32 } else { self.ty };
            let bit = at.scalar(Op::Plain(OpKind::Extui), &[self.condition], ty);
            return match is_index {
                true => at.scalar(Op::Plain(OpKind::IndexCastui), &[bit], self.ty),
                false => bit,
            };
        }
        let [yes, no] = self.amounts.map(|amount| match amount {
            Amount::None => at.constant(neutral, self.ty),
            Amount::Literal(n) => at.constant(truncate(n as u64, self.ty.width(64)), self.ty),
            Amount::By(value) => value,
            Amount::Minus(value) => {
                let zero = at.constant(0, self.ty);
                at.scalar(Op::Plain(OpKind::Subi), &[zero, value], self.ty)
            }
        });
        at.scalar(Op::Plain(OpKind::Select), &[self.condition, yes, no], self.ty)
    }
}

/// What a side puts to a number: nothing where it gives that, or what one op does that nobody else uses.
fn side(func: &Func, uses: &[u32], value: ValueId, base: ValueId) -> Option<Option<Put>> {
    if value == base {
        return Some(None);
    }
    let op = defining(func, value).filter(|_| uses[value.0 as usize] == 1)?;
    let kind = family(func, op)?;
    let record = func.op(op);
    let &[left, right] = &record.operands[..] else { return None };
    let is_subtracted = record.kind == Kind::Scalar(Op::Plain(OpKind::Subi));
    let by = match (left == base, right == base) {
        (true, _) => right,
        (false, true) if !is_subtracted => left,
        _ => return None,
    };
    Some(Some(Put { by, op, kind, is_subtracted }))
}

/// The op that both sides have in common, and what it is given on each. For room nothing is negated but literals.
fn amounts(func: &Func, sides: &[Option<Put>; 2], aim: Aim) -> Option<(OpKind, [Amount; 2])> {
    let puts = || sides.iter().flatten();
    let kind = puts().next()?.kind;
    if puts().any(|put| put.kind != kind) {
        return None;
    }
    let literal = |by| edit::constant_int(func, by).map_or(Amount::By(by), Amount::Literal);
    let amount = |side: &Option<Put>| side.as_ref().map_or(Amount::None, |put| literal(put.by));
    let mut amounts = [amount(&sides[0]), amount(&sides[1])];
    if puts().all(|put| !put.is_subtracted) {
        return Some((kind, amounts));
    }
    if puts().all(|put| put.is_subtracted) {
        return Some((OpKind::Subi, amounts));
    }
    // One of each: a literal is turned round sooner than anything else.
    let minus = usize::from(sides[1].as_ref().is_some_and(|put| put.is_subtracted));
    let is_literal = |k: usize| matches!(amounts[k], Amount::Literal(_));
    let (kind, k) = match is_literal(1 - minus) && !is_literal(minus) {
        true => (OpKind::Subi, 1 - minus),
        false => (kind, minus),
    };
    amounts[k] = match amounts[k] {
        Amount::Literal(n) => Amount::Literal(n.checked_neg()?),
        Amount::By(value) if aim == Aim::Speed => Amount::Minus(value),
        _ => return None,
    };
    Some((kind, amounts))
}

/// What an op of integers is one of a tree of.
pub(super) fn family(func: &Func, op: OpId) -> Option<OpKind> {
    let Kind::Scalar(Op::Plain(kind)) = func.op(op).kind else { return None };
    match kind {
        OpKind::Addi | OpKind::Subi => Some(OpKind::Addi),
        OpKind::Xori | OpKind::Andi | OpKind::Ori | OpKind::Muli => Some(kind),
        _ => None,
    }
}
