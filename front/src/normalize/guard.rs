//! A guard around a nest of loops with the same bounds: when the outermost runs, all of them surely run, and what they
//! capture needs one op a level instead of two (D1). Whether that is fewer ops in all is the caller's to try.

use crate::edit::{self, Cursor, Parents};
use crate::ir::{Func, Kind, OpId, ValueId, ValueType};
use loom_dfg::{ContCond, Op, Predicate, Type};

/// Guards every outermost loop that holds another one with its own bounds; gives how many.
pub fn run(func: &mut Func) -> usize {
    let parents = Parents::new(func);
    let bounds = |func: &Func, op: OpId| match func.op(op).kind {
        Kind::For { cond, .. } => Some((cond, func.op(op).operands[0], func.op(op).operands[1])),
        _ => None,
    };
    let is_nest = |op: OpId| {
        let Some(own) = bounds(func, op) else { return false };
        let known = [own.1, own.2].iter().all(|&v| edit::constant(func, v).is_some());
        !known && edit::walk_inside(func, op).iter().any(|&o| bounds(func, o) == Some(own))
    };
    let nests: Vec<OpId> = edit::walk(func).into_iter().filter(|&op| is_nest(op)).collect();
    let outermost = |op: &OpId| !parents.around(*op).iter().any(|o| nests.contains(o));
    let chosen: Vec<OpId> = nests.iter().copied().filter(outermost).collect();
    for &op in &chosen {
        guard(func, op);
    }
    chosen.len()
}

fn guard(func: &mut Func, op: OpId) {
    let Some(block) = Parents::new(func).block(op) else { return };
    let record = func.op(op).clone();
    let Kind::For { cond, .. } = record.kind else { return };
    let predicate = match cond {
        ContCond::Lt => Predicate::Slt,
        ContCond::Le => Predicate::Sle,
        ContCond::Gt => Predicate::Sgt,
        ContCond::Ge => Predicate::Sge,
        ContCond::Ne => Predicate::Ne,
    };
    let mut at = Cursor { func, block, before: op };
    let runs = at.scalar(Op::Cmpi(predicate), &record.operands[..2], Type::I1);
    let types: Vec<ValueType> = record.results.iter().map(|&r| func.ty(r).clone()).collect();
    let new = func.create_op(Kind::If, &[runs], &types);
    func.op_mut(new).span = record.span.clone();
    // Users first: the yield below must keep the loop's own results.
    for (k, &old) in record.results.iter().enumerate() {
        let value = func.result(new, k);
        edit::replace_uses(func, old, value);
    }
    edit::insert_before(func, block, op, new);
    edit::erase(func, block, op);
    let inits: Vec<ValueId> = record.operands[3..].to_vec();
    for (ops, values) in [(vec![op], record.results), (Vec::new(), inits)] {
        let region = func.add_region();
        let inner = func.add_block(region);
        func.blocks[inner.0 as usize].ops = ops;
        func.push_op(inner, Kind::Yield, &values, &[]);
        func.op_mut(new).regions.push(region);
    }
}
