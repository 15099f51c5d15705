//! Equal ops become one: where one of them is visible to the other, and where one is under a condition.

use crate::edit::{self, Changes, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueId};
use loom_dfg::{Op, Type};
use std::collections::{HashMap, HashSet};

/// Two equal ops, one of them visible to the other, become one.
pub fn merge(func: &mut Func) -> bool {
    let Some(top) = func.body.and_then(|b| func.entry(b)) else { return false };
    let mut merge = Merge::default();
    merge.block(func, top);
    merge.changes.apply(func)
}

type Key = (Op, Vec<ValueId>, Type);

#[derive(Default)]
struct Merge {
    /// The ops that can be seen, by what they compute. Only asked, never iterated.
    known: HashMap<Key, ValueId>,
    changes: Changes,
}

impl Merge {
    fn block(&mut self, func: &mut Func, block: BlockId) {
        let mut own = Vec::new();
        for op in func.block(block).ops.clone() {
            self.changes.resolve(func, op);
            if let Some(key) = key(func, op) {
                let result = func.result(op, 0);
                match self.known.get(&key) {
                    Some(&first) => {
                        self.changes.replace(result, first);
                        self.changes.erase(op);
                    }
                    None => {
                        self.known.insert(key.clone(), result);
                        own.push(key);
                    }
                }
            }
            for region in func.op(op).regions.clone() {
                if let Some(inner) = func.entry(region) {
                    self.block(func, inner);
                }
            }
        }
        // Nobody outside sees what stands in this block.
        for key in own {
            self.known.remove(&key);
        }
    }
}

/// What an op of the table computes, the same for equal ones.
fn key(func: &Func, op: OpId) -> Option<Key> {
    let Kind::Scalar(scalar) = func.op(op).kind else { return None };
    let mut operands = func.op(op).operands.clone();
    if scalar.kind().commutes() {
        operands.sort();
    }
    Some((scalar, operands, func.ty(func.result(op, 0)).scalar()?))
}

/// What both sides of an if compute, or one of them and what follows it, is computed before it.
pub fn raise(func: &mut Func) -> bool {
    let mut parents = Parents::new(func);
    let ifs =
        edit::walk(func).into_iter().rev().filter(|&op| func.op(op).kind == Kind::If).collect::<Vec<_>>();
    let mut changed = false;
    for of in ifs {
        let (Some(around), Some(sides)) = (parents.block(of), edit::sides(func, of)) else { continue };
        let computed = |ops: &[OpId]| ops.iter().filter_map(|&op| key(func, op)).collect::<HashSet<Key>>();
        let behind: Vec<OpId> = func.block(around).ops.iter().copied().skip_while(|&o| o != of).collect();
        let behind = computed(&behind);
        let each = sides.map(|side| computed(&func.block(side).ops));
        let goes_out = |op: OpId, other: &HashSet<Key>| {
            let record = func.op(op);
            matches!(record.kind, Kind::Scalar(scalar) if scalar.kind().is_speculatable())
                && record.operands.iter().all(|&v| parents.is_outside(func, v, of))
                && key(func, op).is_some_and(|key| behind.contains(&key) || other.contains(&key))
        };
        let moved: Vec<(BlockId, OpId)> = (0..2)
            .flat_map(|k| func.block(sides[k]).ops.iter().map(move |&op| (k, op)))
            .filter(|&(k, op)| goes_out(op, &each[1 - k]))
            .map(|(k, op)| (sides[k], op))
            .collect();
        for (side, op) in moved {
            edit::erase(func, side, op);
            edit::insert_before(func, around, of, op);
            parents.place(op, around);
            changed = true;
        }
    }
    changed
}
