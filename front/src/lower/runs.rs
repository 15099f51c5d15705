//! Which loops surely run: the proof that lets a body be driven by `after_cond` (D1, first column).

use crate::edit;
use crate::ir::{self, Func, Kind, OpId, ValueDef};
use crate::predicate;
use loom_dfg::{ContCond, Counter, Op, Predicate};

/// Whether a for loop runs at least once each time it is reached: its bounds are constants that say so, or the
/// then-side it stands in is guarded by its own first comparison.
pub fn surely_runs(func: &Func, op: OpId, path: &[(OpId, usize)]) -> bool {
    let record = func.op(op);
    let Kind::For { counter, cond } = record.kind else { return false };
    let (lower, upper) = (record.operands[0], record.operands[1]);
    if let (Some(l), Some(u)) = (edit::constant_int(func, lower), edit::constant_int(func, upper)) {
        return counter.goes_on(cond, 64, l as u64, u as u64);
    }
    path.iter().any(|&(guard, side)| {
        let guard = func.op(guard);
        let test = match guard.kind {
            Kind::If => match func.value(guard.operands[0]).def {
                ValueDef::Result { op, .. } => func.op(op),
                ValueDef::Argument { .. } => return false,
            },
            _ => return false,
        };
        let Kind::Scalar(Op::Cmpi(predicate)) = test.kind else { return false };
        let (a, b) = (test.operands[0], test.operands[1]);
        let same = |x: ir::ValueId, y: ir::ValueId| {
            let literal = |v| edit::constant_int(func, v);
            x == y || (literal(x).is_some() && literal(x) == literal(y) && func.ty(x) == func.ty(y))
        };
        guarded(predicate, side == 1, (a, b), (counter, cond), (lower, upper), &same)
    })
}

/// Whether `predicate(a, b)` (or its contrary) is `cond(lower, upper)` for the loop's numbers.
fn guarded(
    predicate: Predicate,
    negated: bool,
    (a, b): (ir::ValueId, ir::ValueId),
    (counter, cond): (Counter, ContCond),
    (lower, upper): (ir::ValueId, ir::ValueId),
    same: &dyn Fn(ir::ValueId, ir::ValueId) -> bool,
) -> bool {
    let known = if negated { predicate::opposite(predicate) } else { predicate };
    let known = if same(a, upper) && same(b, lower) {
        predicate::swapped(known)
    } else if same(a, lower) && same(b, upper) {
        known
    } else {
        return false;
    };
    let is = |cond: ContCond| known == predicate::of_loop(counter, cond);
    match cond {
        ContCond::Le => is(ContCond::Le) || is(ContCond::Lt),
        ContCond::Ge => is(ContCond::Ge) || is(ContCond::Gt),
        ContCond::Ne => is(ContCond::Ne) || is(ContCond::Lt) || is(ContCond::Gt),
        ContCond::Lt | ContCond::Gt => is(cond),
    }
}
