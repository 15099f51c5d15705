//! Which numbers are surely not negative.

use crate::edit::{self, Parents};
use crate::ir::{Func, Kind, OpId, ValueDef, ValueId};
use loom_dfg::{Op, OpKind, Predicate};

/// Operations that are looked through.
const DEPTH: usize = 6;

/// Whether a value is proved not to be negative where `at` stands.
pub fn is_not_negative(func: &Func, parents: &Parents, value: ValueId, at: OpId) -> bool {
    by_definition(func, parents, value, DEPTH) || by_guard(func, parents, value, at)
}

fn by_definition(func: &Func, parents: &Parents, value: ValueId, depth: usize) -> bool {
    if let Some(n) = edit::constant_int(func, value) {
        return n >= 0;
    }
    let op = match func.value(value).def {
        ValueDef::Result { op, .. } if depth > 0 => func.op(op),
        ValueDef::Result { .. } => return false,
        ValueDef::Argument { block, index } => return index == 0 && counts_up(func, parents, block, depth),
    };
    let Kind::Scalar(scalar) = op.kind else { return false };
    let holds = |k: usize| by_definition(func, parents, op.operands[k], depth - 1);
    let above = |k: usize, least: i64| edit::constant_int(func, op.operands[k]).is_some_and(|n| n >= least);
    let width = |v: ValueId| func.ty(v).scalar().map_or(0, |t| t.width(32));
    match scalar.kind() {
        OpKind::Extui => true,
        OpKind::IndexCastui => {
            width(value) > width(op.operands[0]) || (width(value) == width(op.operands[0]) && holds(0))
        }
        OpKind::IndexCast | OpKind::Extsi => width(value) >= width(op.operands[0]) && holds(0),
        OpKind::Andi | OpKind::Minui | OpKind::Maxsi => holds(0) || holds(1),
        OpKind::Remui => holds(1) && above(1, 1),
        OpKind::Ori | OpKind::Xori | OpKind::Minsi => holds(0) && holds(1),
        OpKind::Select => holds(1) && holds(2),
        OpKind::Divui => above(1, 2) || (above(1, 1) && holds(0)),
        OpKind::Shrui => above(1, 1),
        OpKind::Shrsi => holds(0),
        _ => false,
    }
}

/// Whether a block is the body of a loop that counts upwards from a number that is not negative.
fn counts_up(func: &Func, parents: &Parents, block: crate::ir::BlockId, depth: usize) -> bool {
    let Some(op) = parents.op(block).map(|op| func.op(op)) else { return false };
    let upwards = Kind::COUNT_UP;
    let by = op.operands.get(2).and_then(|&step| edit::constant_int(func, step));
    op.kind == upwards && by.is_some_and(|n| n > 0) && depth > 0 && {
        by_definition(func, parents, op.operands[0], depth - 1)
    }
}

/// Whether a branch around `at` is taken only when a value is not negative.
fn by_guard(func: &Func, parents: &Parents, value: ValueId, at: OpId) -> bool {
    let mut inner = at;
    parents.around(at).into_iter().any(|around| {
        let inside = parents.block(std::mem::replace(&mut inner, around));
        let op = func.op(around);
        let taken = op.regions.first().and_then(|&r| func.entry(r)) == inside;
        if op.kind != Kind::If {
            return false;
        }
        let ValueDef::Result { op: test, .. } = func.value(op.operands[0]).def else { return false };
        let test = func.op(test);
        let Kind::Scalar(Op::Cmpi(predicate)) = test.kind else { return false };
        let literal = |k: usize| edit::constant_int(func, test.operands[k]);
        let (left, right) = (test.operands[0] == value, test.operands[1] == value);
        match (predicate, taken) {
            (Predicate::Sgt, true) | (Predicate::Sle, false) => left && literal(1).is_some_and(|n| n >= -1),
            (Predicate::Sge, true) | (Predicate::Slt, false) => left && literal(1).is_some_and(|n| n >= 0),
            (Predicate::Slt, true) | (Predicate::Sge, false) => right && literal(0).is_some_and(|n| n >= -1),
            (Predicate::Sle, true) | (Predicate::Sgt, false) => right && literal(0).is_some_and(|n| n >= 0),
            _ => false,
        }
    })
}
