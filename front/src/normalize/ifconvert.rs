//! Accesses that both sides of an if make become one: a store that both end with stands behind the if and takes what the
//! side in question yields, a load that both begin with stands before it.
//!
//! `if (c) a[i] = x; else a[i] = y;` needs two stores and, for each, the address brought to its side. One store of
//! `c ? x : y` does the same: it is the last effect of the if either way, and nothing of the sides stands behind it but what
//! only computes. A load before which neither side does anything else reads the same word before the if. No access is made
//! that was not made, none overtakes another, and a store waits for the side that was taken alone, unless
//! `simplify` finds that the sides are cheap enough to run both. Equal addresses are equal expressions of values from
//! outside, computed by ops that may run at any time.

use crate::edit::{self, InsertionPoint, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueDef, ValueId};

/// Ops that an address is computed by, one behind the other, at most.
const DEPTH: usize = 6;

/// Merges accesses, innermost ifs first: what comes out of one may be what its side of the next ends with.
pub fn run(func: &mut Func) {
    for op in edit::walk(func).into_iter().rev() {
        while let Some(twins) = twins(func, op) {
            merge(func, op, &twins);
        }
    }
}

/// Whether some accesses could be merged.
pub fn is_needed(func: &Func) -> bool {
    edit::walk(func).into_iter().any(|op| twins(func, op).is_some())
}

/// An access of each side, to one word.
struct Twins {
    sides: [BlockId; 2],
    accesses: [OpId; 2],
}

fn twins(func: &Func, op: OpId) -> Option<Twins> {
    let record = func.op(op);
    let &[yes, no] = &record.regions[..] else { return None };
    if record.kind != Kind::If {
        return None;
    }
    let sides = [func.entry(yes)?, func.entry(no)?];
    let pair = |find: fn(&Func, BlockId) -> Option<OpId>| {
        let accesses = [find(func, sides[0])?, find(func, sides[1])?];
        let [a, b] = accesses.map(|o| func.op(o));
        let one_word = a.copies == b.copies
            && a.address().len() == b.address().len()
            && a.address().iter().zip(b.address()).all(|(&x, &y)| same(func, x, y, DEPTH));
        one_word.then_some(Twins { sides, accesses })
    };
    pair(first).or_else(|| pair(last))
}

/// What only computes, ifs that an access has left among it.
fn is_plain(func: &Func, op: OpId) -> bool {
    match func.op(op).kind {
        Kind::Scalar(_) | Kind::Constant(_) | Kind::Poison | Kind::Yield => true,
        Kind::If => {
            let sides = func.op(op).regions.iter().filter_map(|&r| func.entry(r));
            sides.flat_map(|b| &func.block(b).ops).all(|&o| is_plain(func, o))
        }
        _ => false,
    }
}

/// The load that a side begins with.
fn first(func: &Func, side: BlockId) -> Option<OpId> {
    let op = func.block(side).ops.iter().copied().find(|&o| !is_plain(func, o))?;
    (func.op(op).kind == Kind::Load).then_some(op)
}

/// The store that a side ends with.
fn last(func: &Func, side: BlockId) -> Option<OpId> {
    let (_yield, ops) = func.block(side).ops.split_last()?;
    let op = ops.iter().rev().copied().find(|&o| !is_plain(func, o))?;
    (func.op(op).kind == Kind::Store).then_some(op)
}

fn definition(func: &Func, value: ValueId) -> Option<OpId> {
    match func.value(value).def {
        ValueDef::Result { op, .. } => Some(op),
        ValueDef::Argument { .. } => None,
    }
}

/// Whether two values are one, or are computed alike by ops that may run at any time.
fn same(func: &Func, a: ValueId, b: ValueId, depth: usize) -> bool {
    if a == b {
        return true;
    }
    let (Some(x), Some(y)) = (definition(func, a), definition(func, b)) else { return false };
    let (x, y) = (func.op(x), func.op(y));
    let may_move = match x.kind {
        Kind::Scalar(scalar) => scalar.kind().is_speculatable(),
        Kind::Constant(_) => true,
        _ => false,
    };
    may_move
        && depth > 0
        && x.kind == y.kind
        && func.ty(a) == func.ty(b)
        && x.operands.len() == y.operands.len()
        && x.operands.iter().zip(&y.operands).all(|(&p, &q)| same(func, p, q, depth - 1))
}

/// One access in the place of two.
fn merge(func: &mut Func, op: OpId, twins: &Twins) {
    let parents = Parents::new(func);
    let around = parents.block(op).expect("an if stands in a block");
    let [kept, other] = twins.accesses;
    let is_store = func.op(kept).kind == Kind::Store;
    // The address as it is known outside; ops of it that stay behind unused are dropped later.
    let operands = func.op(kept).address().to_vec();
    let mut at = InsertionPoint::new(func, op);
    let operands: Vec<ValueId> = operands.into_iter().map(|v| outside(&mut at, &parents, v)).collect();
    at.put(around);
    edit::erase(func, twins.sides[0], kept);
    edit::erase(func, twins.sides[1], other);
    if !is_store {
        edit::replace_uses(func, func.result(other, 0), func.result(kept, 0));
        func.op_mut(kept).operands = operands;
        edit::insert_before(func, around, op, kept);
        return;
    }
    let stored = [kept, other].map(|o| func.op(o).operands[0]);
    let value = match stored {
        [a, b] if a == b => a,
        _ => {
            for (side, value) in twins.sides.into_iter().zip(stored) {
                let end = func.terminator(side).expect("a side ends with a yield");
                func.op_mut(end).operands.push(value);
            }
            let ty = func.ty(stored[0]).clone();
            func.add_result(op, ty)
        }
    };
    func.op_mut(kept).operands = [&[value], &operands[..]].concat();
    edit::insert_after(func, around, op, kept);
}

/// A value as it is known outside of the if: what computes it inside is computed there too.
fn outside(at: &mut InsertionPoint, parents: &Parents, value: ValueId) -> ValueId {
    if parents.is_outside(at.func, value, at.before) {
        return value;
    }
    let inside = definition(at.func, value).expect("arguments of blocks are no address");
    let record = at.func.op(inside).clone();
    let operands: Vec<ValueId> = record.operands.iter().map(|&v| outside(at, parents, v)).collect();
    let ty = at.func.ty(value).clone();
    let made = at.op(record.kind, &operands, &[ty]);
    at.func.result(made, 0)
}
