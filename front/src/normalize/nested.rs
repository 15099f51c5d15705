//! An if at the end of an if, where both give the same otherwise, becomes an if behind it:
//!
//! ```text
//! r = if c { A; s = if q { B; yield x } else { yield y }; yield s } else { yield y }
//! becomes
//! p = if c { A; yield q } else { yield false };  r = if p { B; yield x } else { yield y }
//! ```
//!
//! What B uses and what it changes passes one branch and one choice instead of two. `if (l == 0 || root[l] != r) continue;` leaves such
//! ifs in a loop, around everything that the loop carries. What of A is used in B passes a choice more, so it is done where that is fewer
//! ops. B waits for that choice, too, so it is only done where B computes: accesses would come later.

use super::ifconvert::is_plain;
use crate::edit::{self, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueDef, ValueId};

/// Moves such ifs out, inner ones first.
pub fn run(func: &mut Func) -> bool {
    let mut changed = false;
    for op in edit::walk(func).into_iter().rev() {
        while let Some(nested) = find(func, op) {
            move_out(func, op, nested);
            changed = true;
        }
    }
    changed
}

/// An if that ends a side of another one.
struct Nested {
    inner: OpId,
    /// Which side of the outer one it is in, and which of its own gives what the outer one gives otherwise.
    side: usize,
    skip: usize,
    /// What is made before it in its side, and used in it.
    used: Vec<ValueId>,
}

fn find(func: &Func, outer: OpId) -> Option<Nested> {
    let blocks = edit::sides(func, outer)?;
    (0..2).find_map(|side| {
        let otherwise = yields_alone(func, blocks[1 - side])?;
        let (&end, ops) = func.block(blocks[side]).ops.split_last()?;
        let inner = *ops.last()?;
        let inner_blocks = edit::sides(func, inner)?;
        let given = &func.op(end).operands;
        let result = |v: &ValueId| func.op(inner).results.iter().position(|r| r == v);
        let skip = (0..2).find(|&skip| {
            let Some(kept) = yields_alone(func, inner_blocks[skip]) else { return false };
            given.iter().zip(otherwise).all(|(v, other)| result(v).is_none_or(|k| kept[k] == *other))
        })?;
        if !is_plain(func, inner) {
            return None;
        }
        let (used, outside) = taken(func, blocks[side], inner)?;
        let both = given.iter().filter(|v| result(v).is_some()).count() + outside;
        (both > used.len() + 1).then_some(Nested { inner, side, skip, used })
    })
}

/// What a side gives that does nothing else.
fn yields_alone(func: &Func, block: BlockId) -> Option<&[ValueId]> {
    match func.block(block).ops[..] {
        [only] => Some(&func.op(only).operands),
        _ => None,
    }
}

/// Values of a block that an if in it uses inside, and how many from outside of the block. `None` where one of the block is no number.
fn taken(func: &Func, block: BlockId, inner: OpId) -> Option<(Vec<ValueId>, usize)> {
    let of_block = |v: &ValueId| match func.value(*v).def {
        ValueDef::Result { op, .. } => func.block(block).ops.contains(&op),
        ValueDef::Argument { block: of, .. } => of == block,
    };
    let used = edit::used_from_outside(func, &func.op(inner).regions);
    let (here, outside): (Vec<ValueId>, Vec<ValueId>) = used.into_iter().partition(of_block);
    let is_number = |&v: &ValueId| func.ty(v).scalar().is_some() && edit::constant(func, v).is_none();
    let outside = outside.into_iter().filter(|&v| edit::constant(func, v).is_none()).count();
    here.iter().all(is_number).then_some((here, outside))
}

fn move_out(func: &mut Func, outer: OpId, nested: Nested) {
    let Nested { inner, side, skip, used } = nested;
    let around = Parents::new(func).block(outer).expect("an if stands in a block");
    let blocks = edit::sides(func, outer).expect("it has two sides");
    let ends = blocks.map(|b| func.terminator(b).expect("a side ends with a yield"));
    edit::erase(func, blocks[side], inner);
    // What was the inner one's is given behind the outer one, which gives the same on both sides.
    for k in 0..func.op(ends[side]).operands.len() {
        let [given, other] = [side, 1 - side].map(|s| func.op(ends[s]).operands[k]);
        if !func.op(inner).results.contains(&given) {
            continue;
        }
        func.op_mut(ends[side]).operands[k] = other;
        edit::replace_uses(func, func.op(outer).results[k], given);
    }
    let condition = func.op(inner).operands[0];
    let otherwise = u64::from(skip == 0);
    let choose = |func: &mut Func, value: ValueId, otherwise: Option<u64>| {
        let ty = func.ty(value).clone();
        let kind = otherwise.map_or(Kind::Poison, Kind::Constant);
        let other = func.create_op(kind, &[], std::slice::from_ref(&ty));
        edit::insert_before(func, around, outer, other);
        let other = func.result(other, 0);
        func.op_mut(ends[side]).operands.push(value);
        func.op_mut(ends[1 - side]).operands.push(other);
        func.add_result(outer, ty)
    };
    let asked = choose(func, condition, Some(otherwise));
    for value in used {
        let given = choose(func, value, None);
        for op in edit::walk_inside(func, inner) {
            func.op_mut(op).operands.iter_mut().filter(|v| **v == value).for_each(|v| *v = given);
        }
    }
    func.op_mut(inner).operands[0] = asked;
    edit::insert_after(func, around, outer, inner);
}
