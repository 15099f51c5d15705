//! Accesses that both sides of an if make become one: a store that both end with stands behind the if and takes what the
//! side in question yields, a load that both begin with stands before it.
//!
//! `if (c) a[i] = x; else a[i] = y;` needs two stores and, for each, the address brought to its side. One store of
//! `c ? x : y` does the same: it is the last effect of the if either way, and nothing of the sides stands behind it but what
//! only computes. A load before which neither side does anything else reads the same word before the if. No access is made
//! that was not made, none overtakes another, and a store waits for the side that was taken alone, unless
//! `simplify` finds that the sides are cheap enough to run both. Equal addresses are equal expressions of values from
//! outside, computed by ops that may run at any time.
//!
//! For room the words may be two of one array: a store takes the subscripts that the side yields, a load those that a select
//! gives, of expressions that may run at any time. One access takes one lane.

use crate::edit::{self, InsertionPoint, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueDef, ValueId};
use crate::passes::Aim;
use loom_dfg::{Op, OpKind};

/// Ops that an address is computed by, one behind the other, at most.
const DEPTH: usize = 6;

/// Merges accesses, innermost ifs first: what comes out of one may be what its side of the next ends with.
pub fn run(func: &mut Func, aim: Aim) {
    for op in edit::walk(func).into_iter().rev() {
        while let Some(twins) = twins(func, op, aim) {
            merge(func, op, &twins);
        }
    }
}

/// Whether some accesses could be merged.
pub fn is_needed(func: &Func, aim: Aim) -> bool {
    edit::walk(func).into_iter().any(|op| twins(func, op, aim).is_some())
}

/// An access of each side, to one word or, for room, one array.
struct Twins {
    sides: [BlockId; 2],
    accesses: [OpId; 2],
}

fn twins(func: &Func, op: OpId, aim: Aim) -> Option<Twins> {
    let sides = edit::sides(func, op)?;
    let pair = |find: fn(&Func, BlockId) -> Option<OpId>| {
        let accesses = [find(func, sides[0])?, find(func, sides[1])?];
        let [a, b] = accesses.map(|o| func.op(o));
        if a.copies != b.copies || a.address().len() != b.address().len() {
            return None;
        }
        let may_choose = aim == Aim::Room && a.address().first() == b.address().first();
        let meets = |(&x, &y): (&ValueId, &ValueId)| {
            let known = |value, side| a.kind == Kind::Store || may_move(func, side, value, DEPTH);
            same(func, x, y, DEPTH) || may_choose && known(x, sides[0]) && known(y, sides[1])
        };
        a.address().iter().zip(b.address()).all(meets).then_some(Twins { sides, accesses })
    };
    pair(first).or_else(|| pair(last))
}

/// What only computes, ifs that an access has left among it.
pub(super) fn is_plain(func: &Func, op: OpId) -> bool {
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
    x.kind.is_free()
        && depth > 0
        && x.kind == y.kind
        && func.ty(a) == func.ty(b)
        && x.operands.len() == y.operands.len()
        && x.operands.iter().zip(&y.operands).all(|(&p, &q)| same(func, p, q, depth - 1))
}

/// Whether a value is from outside of a side, or is computed in it by ops that may run at any time.
fn may_move(func: &Func, side: BlockId, value: ValueId, depth: usize) -> bool {
    let inside = definition(func, value).filter(|op| func.block(side).ops.contains(op));
    let Some(op) = inside.map(|op| func.op(op)) else { return true };
    op.kind.is_free() && depth > 0 && op.operands.iter().all(|&v| may_move(func, side, v, depth - 1))
}

/// One access in the place of two.
fn merge(func: &mut Func, op: OpId, twins: &Twins) {
    let parents = Parents::new(func);
    let around = parents.block(op).expect("an if stands in a block");
    let [kept, other] = twins.accesses;
    let is_store = func.op(kept).kind == Kind::Store;
    let pairs = twins.accesses.map(|o| func.op(o).address().to_vec());
    let equal: Vec<bool> = pairs[0].iter().zip(&pairs[1]).map(|(&x, &y)| same(func, x, y, DEPTH)).collect();
    // The address as it is known outside; ops of it that stay behind unused are dropped later.
    let condition = func.op(op).operands[0];
    let mut at = InsertionPoint::new(func, op);
    let mut address: Vec<ValueId> = Vec::new();
    for (i, &is_equal) in equal.iter().enumerate() {
        let value = match (is_equal, is_store) {
            (true, _) => outside(&mut at, &parents, pairs[0][i]),
            // The sides yield it.
            (false, true) => pairs[0][i],
            (false, false) => {
                let [x, y] = [0, 1].map(|side| outside(&mut at, &parents, pairs[side][i]));
                let ty = at.func.ty(x).clone();
                let chosen = at.op(Kind::Scalar(Op::Plain(OpKind::Select)), &[condition, x, y], &[ty]);
                at.func.result(chosen, 0)
            }
        };
        address.push(value);
    }
    at.put(around);
    edit::erase(func, twins.sides[0], kept);
    edit::erase(func, twins.sides[1], other);
    if !is_store {
        edit::replace_uses(func, func.result(other, 0), func.result(kept, 0));
        func.op_mut(kept).operands = address;
        edit::insert_before(func, around, op, kept);
        return;
    }
    let stored = twins.accesses.map(|o| func.op(o).operands[0]);
    let value = match stored {
        [a, b] if a == b => a,
        _ => yielded(func, op, twins.sides, stored),
    };
    for (i, _) in equal.iter().enumerate().filter(|(_, is_equal)| !**is_equal) {
        address[i] = yielded(func, op, twins.sides, [pairs[0][i], pairs[1][i]]);
    }
    func.op_mut(kept).operands = [&[value], &address[..]].concat();
    edit::insert_after(func, around, op, kept);
}

/// A result more: what each side yields.
fn yielded(func: &mut Func, op: OpId, sides: [BlockId; 2], values: [ValueId; 2]) -> ValueId {
    for (side, value) in sides.into_iter().zip(values) {
        let end = func.terminator(side).expect("a side ends with a yield");
        func.op_mut(end).operands.push(value);
    }
    let ty = func.ty(values[0]).clone();
    func.add_result(op, ty)
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
