//! Which loops surely run: the proof that lets a body be driven by `after_cond` (D1, first column).

use crate::edit;
use crate::ir::{self, Func, Kind, OpId, ValueDef};
use loom_dfg::{ContCond, Op};

/// Whether a for loop runs at least once each time it is reached: its bounds are constants that say so, or the
/// then-side it stands in is guarded by its own first comparison.
pub fn surely_runs(func: &Func, op: OpId, path: &[(OpId, usize)]) -> bool {
    let record = func.op(op);
    let Kind::For { cond, .. } = record.kind else { return false };
    let (lower, upper) = (record.operands[0], record.operands[1]);
    if let (Some(l), Some(u)) = (edit::constant_int(func, lower), edit::constant_int(func, upper)) {
        return cond.holds(l, u);
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
        guarded(predicate, side == 1, (a, b), cond, (lower, upper), &same)
    })
}

/// Whether `predicate(a, b)` (or its contrary) is `cond(lower, upper)`.
fn guarded(
    predicate: loom_dfg::Predicate,
    negated: bool,
    (a, b): (ir::ValueId, ir::ValueId),
    cond: ContCond,
    (lower, upper): (ir::ValueId, ir::ValueId),
    same: &dyn Fn(ir::ValueId, ir::ValueId) -> bool,
) -> bool {
    use loom_dfg::Predicate as P;
    let mut p = predicate;
    if negated {
        p = match p {
            P::Slt => P::Sge,
            P::Sle => P::Sgt,
            P::Sgt => P::Sle,
            P::Sge => P::Slt,
            P::Eq => P::Ne,
            _ => return false,
        };
    }
    if same(a, upper) && same(b, lower) {
        p = match p {
            P::Slt => P::Sgt,
            P::Sle => P::Sge,
            P::Sgt => P::Slt,
            P::Sge => P::Sle,
            P::Ne => P::Ne,
            _ => return false,
        };
    } else if !(same(a, lower) && same(b, upper)) {
        return false;
    }
    let implied: &[ContCond] = match p {
        P::Slt => &[ContCond::Lt, ContCond::Le, ContCond::Ne],
        P::Sle => &[ContCond::Le],
        P::Sgt => &[ContCond::Gt, ContCond::Ge, ContCond::Ne],
        P::Sge => &[ContCond::Ge],
        P::Ne => &[ContCond::Ne],
        _ => &[],
    };
    implied.contains(&cond)
}
