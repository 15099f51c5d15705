//! A guard around a nest of loops with the same bounds: when the outermost runs, all of them surely run, and what they
//! capture needs one op a level instead of two (D1). Whether that is fewer ops in all is the caller's to try.

use crate::edit::{self, Changes, InsertionPoint, Parents};
use crate::ir::{Func, Kind, OpId, ValueId, ValueType};
use crate::predicate;
use loom_dfg::{Op, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Guards every outermost loop that holds another one with its own bounds; gives how many.
pub fn run(func: &mut Func) -> usize {
    let parents = Parents::new(func);
    let bounds = |func: &Func, op: OpId| match func.op(op).kind {
        Kind::For { counter, cond } => {
            Some((counter, cond, func.op(op).operands[0], func.op(op).operands[1]))
        }
        _ => None,
    };
    let is_nest = |op: OpId| {
        let Some(own) = bounds(func, op) else { return false };
        let known = [own.2, own.3].iter().all(|&v| edit::constant(func, v).is_some());
        !known && edit::walk_inside(func, op).iter().any(|&o| bounds(func, o) == Some(own))
    };
    let nests: BTreeSet<OpId> = edit::walk(func).into_iter().filter(|&op| is_nest(op)).collect();
    let outermost = |op: &OpId| !parents.around(*op).iter().any(|o| nests.contains(o));
    let chosen: Vec<OpId> = nests.iter().copied().filter(outermost).collect();
    let mut changes = Changes::default();
    let guards: BTreeMap<OpId, OpId> = chosen.iter().map(|&op| (op, guard(func, op, &mut changes))).collect();
    // Users first: the yields below must keep the loops' own results.
    changes.apply(func);
    for op in func.blocks.iter_mut().flat_map(|b| &mut b.ops) {
        *op = guards.get(op).copied().unwrap_or(*op);
    }
    for (&op, &new) in &guards {
        let inits = func.op(op).operands[3..].to_vec();
        for (ops, values) in [(vec![op], func.op(op).results.clone()), (Vec::new(), inits)] {
            let region = func.add_region();
            let inner = func.add_block(region);
            func.blocks[inner.0 as usize].ops = ops;
            func.push_op(inner, Kind::Yield, &values, &[]);
            func.op_mut(new).regions.push(region);
        }
    }
    chosen.len()
}

/// Writes the first test of the counting loop that stands at a place: whether it has an iteration.
pub(super) fn first_test(at: &mut InsertionPoint) -> ValueId {
    let record = at.func.op(at.before);
    let Kind::For { counter, cond } = record.kind else {
        unreachable!("only a loop that counts is known by its bounds")
    };
    let bounds = [record.operands[0], record.operands[1]];
    at.scalar(Op::Cmpi(predicate::of_loop(counter, cond)), &bounds, Type::I1)
}

/// The if around a loop, without its regions; it will have the loop's users.
fn guard(func: &mut Func, op: OpId, changes: &mut Changes) -> OpId {
    let record = func.op(op).clone();
    let mut at = InsertionPoint::new(func, op);
    let runs = first_test(&mut at);
    changes.insert_before(op, at.made);
    let types: Vec<ValueType> = record.results.iter().map(|&r| func.ty(r).clone()).collect();
    let new = func.create_op(Kind::If, &[runs], &types);
    func.op_mut(new).span = record.span.clone();
    for (k, &old) in record.results.iter().enumerate() {
        changes.replace(old, func.result(new, k));
    }
    new
}
