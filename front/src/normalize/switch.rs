//! `scf.index_switch` becomes a chain of `scf.if`, the last else being the default.

use crate::edit::{self, Cursor, Parents};
use crate::ir::{Func, Kind, OpId, RegionId, ValueId, ValueType};
use loom_dfg::{Op, Predicate, Type};

/// Rewrites every switch, inner ones first.
pub fn run(func: &mut Func) {
    let switches: Vec<OpId> = edit::walk(func)
        .into_iter()
        .filter(|&op| matches!(func.op(op).kind, Kind::IndexSwitch { .. }))
        .collect();
    for op in switches.into_iter().rev() {
        rewrite(func, op);
    }
}

fn rewrite(func: &mut Func, op: OpId) {
    let Some(block) = Parents::new(func).block(op) else { return };
    let record = func.op(op).clone();
    let Kind::IndexSwitch { cases } = record.kind else { return };
    let flag = record.operands[0];
    let types: Vec<ValueType> = record.results.iter().map(|&r| func.ty(r).clone()).collect();
    let mut at = Cursor { func, block, before: op };
    let conditions: Vec<ValueId> = cases
        .iter()
        .map(|&case| {
            let literal = at.constant(case as u64, Type::Index);
            at.scalar(Op::Cmpi(Predicate::Eq), &[flag, literal], Type::I1)
        })
        .collect();
    // From the last case outwards, so that each if finds its else-region made.
    let default = record.regions[0];
    let mut otherwise = default;
    let mut outer = None;
    for (condition, &region) in conditions.iter().zip(&record.regions[1..]).rev() {
        let chain = func.create_op(Kind::If, &[*condition], &types);
        let span = record.span.clone();
        func.op_mut(chain).span = span;
        func.op_mut(chain).regions = vec![region, otherwise];
        otherwise = region_around(func, chain);
        outer = Some(chain);
    }
    let results: Vec<ValueId> = match outer {
        Some(chain) => {
            edit::insert_before(func, block, op, chain);
            func.op(chain).results.clone()
        }
        None => {
            // No cases: the default region alone.
            let inner = func.entry(default).expect("a verified region has a block");
            let mut ops = func.block(inner).ops.clone();
            let end = ops.pop().expect("a verified block has a terminator");
            for o in ops {
                edit::insert_before(func, block, op, o);
            }
            func.op(end).operands.clone()
        }
    };
    for (&old, &new) in record.results.iter().zip(&results) {
        edit::replace_uses(func, old, new);
    }
    edit::erase(func, block, op);
}

/// A region that holds one operation and yields its results.
fn region_around(func: &mut Func, op: OpId) -> RegionId {
    let region = func.add_region();
    let block = func.add_block(region);
    func.blocks[block.0 as usize].ops.push(op);
    let results = func.op(op).results.clone();
    func.push_op(block, Kind::Yield, &results, &[]);
    region
}
