//! How a while moves a number that it carries: what counting asks of it ([`super::counted`], [`super::two_ends`]).

use super::intervals::NumberInterval;
use crate::edit::{self, Parents};
use crate::ir::{Func, Kind, OpId, ValueDef, ValueId};
use loom_dfg::{Op, OpKind, Signedness, StepOp};

/// The sum that is tested in the place of the counter.
#[derive(Clone, Copy)]
pub(super) struct Ahead {
    /// The operation.
    pub sum: OpId,
    /// The carried value, and what it adds.
    pub of: ValueId,
    pub by: ValueId,
    /// That as a number, where it is constant.
    pub amount: Option<i64>,
    pub nsw: bool,
}

pub(super) fn defining(func: &Func, value: ValueId) -> Option<OpId> {
    match func.value(value).def {
        ValueDef::Result { op, .. } => Some(op),
        ValueDef::Argument { .. } => None,
    }
}

/// How far a number moves.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum MotionStep {
    /// A literal, as a signed number.
    By(i64),
    /// A value from outside, which is added.
    Plus(ValueId),
    /// One that is taken away.
    Minus(ValueId),
}

impl MotionStep {
    /// The numbers that are added, if this is what a value may be.
    pub fn interval(self, of: impl Fn(ValueId) -> NumberInterval) -> NumberInterval {
        match self {
            MotionStep::By(amount) => NumberInterval::new(amount.into(), amount.into()),
            MotionStep::Plus(value) => of(value),
            MotionStep::Minus(value) => NumberInterval::new(0, 0).minus(of(value)),
        }
    }
}

/// How the after-region moves a number.
pub(super) struct Motion {
    pub step_op: StepOp,
    pub step: MotionStep,
    /// The operation that moves it.
    pub by: OpId,
    /// Which numbers the operation is for; none where it is the same for both.
    pub numbers: Option<Signedness>,
    pub nsw: bool,
}

pub(super) fn motion(
    func: &Func,
    parents: &Parents,
    op: OpId,
    at: usize,
    ahead: Option<Ahead>,
) -> Option<Motion> {
    use Signedness::{Signed, Unsigned};
    let [before, after] = [0, 1].map(|r| func.entry(func.op(op).regions[r]));
    let (before, after) = (before?, after?);
    let condition = func.op(func.terminator(before)?);
    let counter = func.block(before).arguments[at];
    let next = func.op(func.terminator(after)?).operands[at];
    if let (Some(ahead), ValueDef::Argument { block, index }) = (ahead, func.value(next).def) {
        // The sum that was tested, handed on.
        let is_sum = block == after && condition.operands[1 + index] == func.result(ahead.sum, 0);
        let step = ahead.amount.map_or(MotionStep::Plus(ahead.by), MotionStep::By);
        let by = ahead.sum;
        return is_sum.then_some(Motion { step_op: StepOp::Add, step, by, numbers: None, nsw: ahead.nsw });
    }
    let by = defining(func, next)?;
    if parents.block(by) != Some(after) {
        return None;
    }
    let update = func.op(by);
    let Kind::Scalar(Op::Plain(kind)) = update.kind else { return None };
    // The after-region's view of the counter.
    let is_counter = |v: ValueId| match func.value(v).def {
        ValueDef::Argument { block, index } => block == after && condition.operands[1 + index] == counter,
        ValueDef::Result { .. } => false,
    };
    let step = match (kind, is_counter(update.operands[0]), update.operands.get(1).map(|&v| is_counter(v))) {
        (_, true, Some(false)) => update.operands[1],
        (OpKind::Addi | OpKind::Muli, false, Some(true)) => update.operands[0],
        _ => return None,
    };
    let amount = match edit::constant_int(func, step) {
        Some(amount) => MotionStep::By(amount),
        None if parents.is_outside(func, step, op) => MotionStep::Plus(step),
        None => return None,
    };
    let (step_op, numbers, step) = match (kind, amount) {
        (OpKind::Addi, by) => (StepOp::Add, None, by),
        // Every stream adds, and few take away.
        (OpKind::Subi, MotionStep::By(amount)) => {
            (StepOp::Add, None, MotionStep::By(negative(func, step, amount)?))
        }
        (OpKind::Subi, _) => (StepOp::Add, None, MotionStep::Minus(step)),
        // What it multiplies by or divides by without knowing is no shape of a loop.
        (_, MotionStep::Plus(_) | MotionStep::Minus(_)) => return None,
        (OpKind::Muli, by) => (StepOp::Mul, None, by),
        (OpKind::Divsi, by) => (StepOp::Div, Some(Signed), by),
        (OpKind::Divui, by) => (StepOp::Div, Some(Unsigned), by),
        (OpKind::Shli, by) => (StepOp::Shl, None, by),
        (OpKind::Shrsi, by) => (StepOp::Shr, Some(Signed), by),
        (OpKind::Shrui, by) => (StepOp::Shr, Some(Unsigned), by),
        _ => return None,
    };
    Some(Motion { step_op, step, by, numbers, nsw: update.nsw })
}

/// The negative of a literal, where its type has it.
fn negative(func: &Func, literal: ValueId, amount: i64) -> Option<i64> {
    let width = func.ty(literal).scalar()?.width(64);
    (amount != i64::MIN >> (64 - width)).then_some(-amount)
}
