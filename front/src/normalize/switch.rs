//! `scf.index_switch` becomes a chain of `scf.if`, the last else being the default.

use crate::edit::{self, Changes};
use crate::ir::{Func, Kind, OpId, Operation, RegionId, ValueId, ValueType};
use loom_dfg::{Op, Predicate, Type};

/// Rewrites every switch, inner ones first.
pub fn run(func: &mut Func) {
    let switches: Vec<OpId> = edit::walk(func)
        .into_iter()
        .filter(|&op| matches!(func.op(op).kind, Kind::IndexSwitch { .. }))
        .collect();
    let mut changes = Changes::default();
    for op in switches.into_iter().rev() {
        rewrite(func, op, &mut changes);
    }
    changes.apply(func);
}

fn rewrite(func: &mut Func, op: OpId, changes: &mut Changes) {
    let record = func.op(op).clone();
    let Kind::IndexSwitch { cases } = record.kind.clone() else { return };
    let flag = record.operands[0];
    let types: Vec<ValueType> = record.results.iter().map(|&r| func.ty(r).clone()).collect();
    // From the last case outwards, so that each if finds its else-region made. Each comparison stands beside its if:
    // brought down from the top they would cost a branch a level each.
    let default = record.regions[0];
    let mut otherwise = default;
    let mut outer = None;
    for (&case, &region) in cases.iter().zip(&record.regions[1..]).rev() {
        let literal =
            create(func, &record, Kind::Constant(case as u64), &[], &[ValueType::Scalar(Type::Index)]);
        let operands = [flag, func.result(literal, 0)];
        let test = Kind::Scalar(Op::Cmpi(Predicate::Eq));
        let test = create(func, &record, test, &operands, &[ValueType::Scalar(Type::I1)]);
        let condition = func.result(test, 0);
        let chain = create(func, &record, Kind::If, &[condition], &types);
        func.op_mut(chain).regions = vec![region, otherwise];
        let ops = [literal, test, chain];
        otherwise = region_of(func, &ops);
        outer = Some(ops);
    }
    match outer {
        Some(ops) => changes.inline(func, op, &ops, &func.op(ops[2]).results),
        None => {
            // No cases: the default region alone.
            let inner = func.entry(default).expect("a verified region has a block");
            let mut ops = func.block(inner).ops.clone();
            let end = ops.pop().expect("a verified block has a terminator");
            changes.inline(func, op, &ops, &func.op(end).operands);
        }
    }
}

/// An operation that no block lists yet, with the switch's place in the source.
fn create(func: &mut Func, from: &Operation, kind: Kind, operands: &[ValueId], types: &[ValueType]) -> OpId {
    let op = func.create_op(kind, operands, types);
    func.op_mut(op).span = from.span.clone();
    op
}

/// A region that holds operations and yields the results of the last.
fn region_of(func: &mut Func, ops: &[OpId; 3]) -> RegionId {
    let region = func.add_region();
    let block = func.add_block(region);
    func.blocks[block.0 as usize].ops.extend(ops);
    let results = func.op(ops[2]).results.clone();
    func.push_op(block, Kind::Yield, &results, &[]);
    region
}
