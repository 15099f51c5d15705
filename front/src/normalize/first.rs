//! What an access of a loop is in the first iteration: the same op before the loop, where numbers of the loop are what they begin with.

use super::guard::first_test;
use crate::edit::{self, InsertionPoint, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueDef, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// Most ops that a subscript is computed by: they are written once more, before the loop.
const MOST_OPS: usize = 32;

/// The ops of a loop by which values are computed from some numbers of it and from what is outside of it, where these are few.
pub(super) fn computed_by(
    func: &Func,
    parents: &Parents,
    of: OpId,
    from: &[ValueId],
    values: &[ValueId],
) -> Option<BTreeSet<OpId>> {
    let (mut todo, mut ops) = (values.to_vec(), BTreeSet::new());
    while let Some(value) = todo.pop() {
        if from.contains(&value) || parents.is_outside(func, value, of) {
            continue;
        }
        let ValueDef::Result { op, .. } = func.value(value).def else { return None };
        if !matches!(func.op(op).kind, Kind::Scalar(_) | Kind::Constant(_)) {
            return None;
        }
        if ops.insert(op) {
            todo.extend(&func.op(op).operands);
        }
        if ops.len() > MOST_OPS {
            return None;
        }
    }
    Some(ops)
}

/// Makes loads before a loop what they are in its first iteration, in which `first` says what numbers are that they are computed from: under
/// its first test, unless it surely runs.
pub(super) fn first_loads(
    func: &mut Func,
    (of, around): (OpId, BlockId),
    loads: &[OpId],
    mut first: BTreeMap<ValueId, ValueId>,
    runs: bool,
) -> Vec<ValueId> {
    let parents = Parents::new(func);
    let from: Vec<ValueId> = first.keys().copied().collect();
    let by = |&load: &OpId| {
        computed_by(func, &parents, of, &from, func.op(load).address()).expect("it was taken so")
    };
    let ops: BTreeSet<OpId> = loads.iter().flat_map(by).collect();
    let inside = edit::walk_inside(func, of);
    let mut at = InsertionPoint::new(func, of);
    for old in inside.into_iter().filter(|op| ops.contains(op)) {
        let record = at.func.op(old).clone();
        let operands: Vec<ValueId> =
            record.operands.iter().map(|v| first.get(v).copied().unwrap_or(*v)).collect();
        let ty = at.func.ty(record.results[0]).clone();
        let new = at.op(record.kind, &operands, &[ty]);
        first.insert(record.results[0], at.func.result(new, 0));
    }
    let mut made = Vec::new();
    for &old in loads {
        let address = at.func.op(old).address().iter();
        let address: Vec<ValueId> = address.map(|v| first.get(v).copied().unwrap_or(*v)).collect();
        let ty = at.func.ty(at.func.result(old, 0)).clone();
        let load = at.func.create_op(Kind::Load, &address, &[ty]);
        let (copies, span) = (at.func.op(of).copies.clone(), at.func.op(old).span.clone());
        let record = at.func.op_mut(load);
        (record.copies, record.span) = (copies, span);
        made.push(load);
    }
    let values: Vec<ValueId> = made.iter().map(|&load| at.func.result(load, 0)).collect();
    if runs || made.is_empty() {
        at.made.extend(made);
        at.put(around);
        return values;
    }
    let test = first_test(&mut at);
    let types: Vec<_> = values.iter().map(|&v| at.func.ty(v).clone()).collect();
    let guard = at.op(Kind::If, &[test], &types);
    let none: Vec<OpId> =
        types.iter().map(|ty| at.func.create_op(Kind::Poison, &[], std::slice::from_ref(ty))).collect();
    for ops in [made, none] {
        let region = at.func.add_region();
        let block = at.func.add_block(region);
        let values: Vec<ValueId> = ops.iter().map(|&op| at.func.result(op, 0)).collect();
        at.func.blocks[block.0 as usize].ops = ops;
        at.func.push_op(block, Kind::Yield, &values, &[]);
        at.func.op_mut(guard).regions.push(region);
    }
    let values = at.func.op(guard).results.clone();
    at.put(around);
    values
}
