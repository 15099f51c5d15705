//! Less to map, the same meaning: constants folded and gathered at the top, common and dead ops gone, invariant ops
//! and iteration arguments out of loops, ifs without effects turned into selects.
//!
//! Every op that goes is one fewer on the fabric. Only ops of the table and views move or merge; accesses, fences and loops
//! stay where they are, in their order.

use super::{common, nested};
use crate::depend::has_rows;
use crate::edit::{self, Changes, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueDef, ValueId};
use crate::passes::Aim;
use loom_base::{sign_extend, truncate};
use loom_dfg::{Op, OpKind, Type};
use std::collections::BTreeMap;

/// Ops of both sides of an if that becomes selects, at most: they run every time then, and what waits for a select waits for all of
/// them. The branches that bring values to the sides are gone.
fn most_speculated(aim: Aim) -> usize {
    match aim {
        Aim::Speed => 8,
        Aim::Room => 64,
    }
}

/// Runs everything until nothing changes.
pub fn run(func: &mut Func, index_width: u32, aim: Aim) {
    loop {
        let mut changed = gather_constants(func, index_width);
        changed |= gather_views(func);
        changed |= fold(func, index_width);
        changed |= choose_known_sides(func);
        changed |= nested::run(func);
        changed |= speculate(func, most_speculated(aim));
        changed |= drop_invariant_arguments(func);
        changed |= hoist(func);
        changed |= common::merge(func);
        changed |= common::raise(func);
        changed |= edit::drop_unused(func, &pure_ops(func));
        if !changed {
            return;
        }
    }
}

/// One operation for each literal, at the top of the function. Index literals are written as the signed number
/// that the fabric's index holds.
fn gather_constants(func: &mut Func, index_width: u32) -> bool {
    let Some(top) = func.body.and_then(|b| func.entry(b)) else { return false };
    let mut known: BTreeMap<(u64, Type), ValueId> = BTreeMap::new();
    let mut changes = Changes::default();
    let mut gathered = Vec::new();
    let mut merged = false;
    for op in edit::walk(func) {
        let bits = match func.op(op).kind {
            Kind::Constant(bits) => bits,
            Kind::Poison => 0,
            _ => continue,
        };
        let value = func.result(op, 0);
        let Some(ty) = func.ty(value).scalar() else { continue };
        let low = truncate(bits, index_width);
        let fits = low == bits || sign_extend(low, index_width) as u64 == bits;
        let bits = if ty == Type::Index && fits { sign_extend(low, index_width) as u64 } else { bits };
        changes.erase(op);
        if let Some(&first) = known.get(&(bits, ty)) {
            changes.replace(value, first);
            merged = true;
            continue;
        }
        known.insert((bits, ty), value);
        func.op_mut(op).kind = Kind::Constant(bits);
        gathered.push(op);
    }
    let before = func.block(top).ops.clone();
    changes.apply(func);
    func.blocks[top.0 as usize].ops.splice(0..0, gathered);
    merged || func.block(top).ops != before
}

/// Ops on literals become literals; ops that change nothing become their operand.
fn fold(func: &mut Func, index_width: u32) -> bool {
    let mut changed = false;
    let uses = edit::use_counts(func);
    let mut changes = Changes::default();
    for op in edit::walk(func) {
        changes.resolve(func, op);
        let record = func.op(op);
        let Kind::Scalar(scalar) = record.kind else { continue };
        let literals: Vec<Option<u64>> = record.operands.iter().map(|&v| edit::constant(func, v)).collect();
        if let Some(values) = literals.iter().copied().collect::<Option<Vec<u64>>>() {
            let Some(bits) = edit::computed(func, op, index_width, &values) else { continue };
            let record = func.op_mut(op);
            record.kind = Kind::Constant(bits);
            record.operands.clear();
            changed = true;
            continue;
        }
        if let Some(same) = identity(func, op, scalar, &literals, index_width) {
            let result = func.result(op, 0);
            if uses[result.0 as usize] > 0 {
                changes.replace(result, same);
            }
        }
    }
    changed | changes.apply(func)
}

/// The operand that an op gives back unchanged.
fn identity(
    func: &Func,
    op: OpId,
    scalar: Op,
    literals: &[Option<u64>],
    index_width: u32,
) -> Option<ValueId> {
    let operands = &func.op(op).operands;
    let ty = func.ty(func.result(op, 0)).scalar()?;
    match scalar.kind() {
        OpKind::Addi | OpKind::Ori | OpKind::Xori if literals[0] == Some(0) => Some(operands[1]),
        OpKind::Addi
        | OpKind::Subi
        | OpKind::Ori
        | OpKind::Xori
        | OpKind::Shli
        | OpKind::Shrsi
        | OpKind::Shrui
            if literals[1] == Some(0) =>
        {
            Some(operands[0])
        }
        OpKind::Muli if literals[0] == Some(1) => Some(operands[1]),
        OpKind::Muli | OpKind::Divsi | OpKind::Divui if literals[1] == Some(1) && ty != Type::I1 => {
            Some(operands[0])
        }
        OpKind::Select if operands[1] == operands[2] => Some(operands[1]),
        OpKind::Select => literals[0].map(|c| if c & 1 == 1 { operands[1] } else { operands[2] }),
        // To index and back, where index holds the whole number.
        OpKind::IndexCast => {
            let (Op::Plain(OpKind::IndexCast), &[from]) = edit::made_by(func, operands[0])? else {
                return None;
            };
            let from_ty = func.ty(from).scalar()?;
            (from_ty == ty && ty != Type::Index && ty.width(index_width) <= index_width).then_some(from)
        }
        _ => None,
    }
}

/// An if on a literal becomes its side.
fn choose_known_sides(func: &mut Func) -> bool {
    let mut changes = Changes::default();
    for op in edit::walk(func) {
        if func.op(op).kind != Kind::If {
            continue;
        }
        let cond = changes.now(func.op(op).operands[0]);
        let Some(cond) = edit::constant(func, cond) else { continue };
        let side = if cond & 1 == 1 { 0 } else { 1 };
        let inner = func.op(op).regions.get(side).and_then(|&r| func.entry(r));
        let mut ops = inner.map(|b| func.block(b).ops.clone()).unwrap_or_default();
        let yielded = ops.pop().map(|end| func.op(end).operands.clone()).unwrap_or_default();
        changes.inline(func, op, &ops, &yielded);
    }
    changes.apply(func)
}

/// An if whose sides only compute, without division, becomes its ops and a select for each result.
fn speculate(func: &mut Func, most: usize) -> bool {
    let mut changes = Changes::default();
    for op in edit::walk(func).into_iter().rev() {
        let record = func.op(op);
        if record.kind != Kind::If || record.results.is_empty() {
            continue;
        }
        if record.results.iter().any(|&r| func.ty(r).scalar().is_none()) {
            continue;
        }
        let sides: Vec<Vec<OpId>> =
            record.regions.iter().filter_map(|&r| func.entry(r)).map(|b| changes.ops(func, b)).collect();
        let bodies: Vec<&[OpId]> = sides.iter().map(|s| &s[..s.len().saturating_sub(1)]).collect();
        let count: usize = bodies.iter().map(|b| b.len()).sum();
        if sides.len() != 2
            || count > most
            || bodies.iter().any(|b| b.iter().any(|&o| !func.op(o).kind.is_free()))
        {
            continue;
        }
        let mut all: Vec<OpId> = bodies.concat();
        let yields: Vec<Vec<ValueId>> =
            sides.iter().map(|s| s.last().map_or(Vec::new(), |&y| func.op(y).operands.clone())).collect();
        let cond = record.operands[0];
        let results = record.results.clone();
        let mut values = Vec::new();
        for (k, &result) in results.iter().enumerate() {
            let ty = func.ty(result).clone();
            let name = func.value(result).name.clone();
            let select = Kind::Scalar(Op::Plain(OpKind::Select));
            let select = func.create_op(select, &[cond, yields[0][k], yields[1][k]], &[ty]);
            let span = func.op(op).span.clone();
            func.op_mut(select).span = span;
            let value = func.result(select, 0);
            func.values[value.0 as usize].name = name;
            values.push(value);
            all.push(select);
        }
        changes.inline(func, op, &all, &values);
    }
    changes.apply(func)
}

/// An iteration argument that is yielded as it came is its init.
fn drop_invariant_arguments(func: &mut Func) -> bool {
    let mut changes = Changes::default();
    let mut parents = None;
    for op in edit::walk(func) {
        match func.op(op).kind {
            Kind::For { .. } => drop_invariants_of_for(func, op, &mut changes),
            Kind::While => {
                let parents = parents.get_or_insert_with(|| Parents::new(func));
                drop_invariants_of_while(func, parents, op, &mut changes);
            }
            _ => {}
        }
    }
    changes.apply(func)
}

fn drop_invariants_of_for(func: &mut Func, op: OpId, changes: &mut Changes) {
    let Some(body) = func.entry(func.op(op).regions[0]) else { return };
    let Some(end) = func.terminator(body) else { return };
    let mut kept = Vec::new();
    for k in 0..func.op(op).results.len() {
        let argument = func.block(body).arguments[k + 1];
        let yielded = changes.now(func.op(end).operands[k]);
        let init = changes.now(func.op(op).operands[k + 3]);
        if yielded != argument && yielded != init {
            kept.push(k);
            continue;
        }
        // Yielding the init itself makes every round the same too, the first included.
        changes.replace(argument, init);
        changes.replace(func.result(op, k), init);
    }
    if kept.len() == func.op(op).results.len() {
        return;
    }
    pick(&mut func.op_mut(end).operands, 0, &kept);
    pick(&mut func.op_mut(op).operands, 3, &kept);
    pick(&mut func.op_mut(op).results, 0, &kept);
    pick(&mut func.blocks[body.0 as usize].arguments, 1, &kept);
    renumber(func, op, &[body]);
}

/// What the test of a while hands on from outside is that; and what comes round as it came, or is the init again, is the init.
fn drop_invariants_of_while(func: &mut Func, parents: &Parents, op: OpId, changes: &mut Changes) {
    let [before, after] = [0, 1].map(|r| func.op(op).regions.get(r).and_then(|&r| func.entry(r)));
    let Some((before, after)) = before.zip(after) else { return };
    let Some((ask, end)) = func.terminator(before).zip(func.terminator(after)) else { return };
    let handed: Vec<ValueId> = func.op(ask).operands[1..].iter().map(|&v| changes.now(v)).collect();
    let mut handed_on = Vec::new();
    for (m, &value) in handed.iter().enumerate() {
        if parents.is_outside(func, value, op) {
            changes.replace(func.block(after).arguments[m], value);
            changes.replace(func.result(op, m), value);
        } else {
            handed_on.push(m);
        }
    }
    let mut carried = Vec::new();
    for (k, &argument) in func.block(before).arguments.iter().enumerate() {
        let yielded = changes.now(func.op(end).operands[k]);
        let passed = func.block(after).arguments.iter().position(|&a| a == yielded);
        let (comes, init) = (passed.map_or(yielded, |m| handed[m]), changes.now(func.op(op).operands[k]));
        match comes == argument || comes == init {
            true => changes.replace(argument, init),
            false => carried.push(k),
        }
    }
    if handed_on.len() == handed.len() && carried.len() == func.op(op).operands.len() {
        return;
    }
    pick(&mut func.op_mut(ask).operands, 1, &handed_on);
    pick(&mut func.op_mut(op).results, 0, &handed_on);
    pick(&mut func.blocks[after.0 as usize].arguments, 0, &handed_on);
    pick(&mut func.op_mut(end).operands, 0, &carried);
    pick(&mut func.op_mut(op).operands, 0, &carried);
    pick(&mut func.blocks[before.0 as usize].arguments, 0, &carried);
    renumber(func, op, &[before, after]);
}

/// Leaves those of a list, from `first` on, that are kept.
fn pick(list: &mut Vec<ValueId>, first: usize, kept: &[usize]) {
    let picked: Vec<ValueId> = kept.iter().map(|&k| list[first + k]).collect();
    list.splice(first.., picked);
}

/// Sets the positions that definitions remember after arguments or results went away.
fn renumber(func: &mut Func, op: OpId, blocks: &[BlockId]) {
    for (index, v) in func.op(op).results.clone().into_iter().enumerate() {
        func.values[v.0 as usize].def = ValueDef::Result { op, index };
    }
    for &block in blocks {
        for (index, v) in func.block(block).arguments.clone().into_iter().enumerate() {
            func.values[v.0 as usize].def = ValueDef::Argument { block, index };
        }
    }
}

/// Ops in a loop's body whose operands come from outside move before the loop; innermost loops first, so that an
/// op can go several levels. Divisions too: they give something for every divisor, and a loop that does not turn is rarer than
/// one that turns more than once.
fn hoist(func: &mut Func) -> bool {
    let Some(top) = func.body.and_then(|b| func.entry(b)) else { return false };
    let mut parents = Parents::new(func);
    hoist_in(func, top, &mut parents)
}

/// `parents` is kept right: only ops without regions move.
fn hoist_in(func: &mut Func, block: BlockId, parents: &mut Parents) -> bool {
    let mut changed = false;
    let mut last_first = Vec::new();
    for op in func.block(block).ops.clone().into_iter().rev() {
        let inside: Vec<BlockId> = func.op(op).regions.iter().filter_map(|&r| func.entry(r)).collect();
        for &inner in inside.iter().rev() {
            changed |= hoist_in(func, inner, parents);
        }
        last_first.push(op);
        if !func.op(op).kind.is_loop() {
            continue;
        }
        let mut moved = Vec::new();
        for body in inside {
            let goes_out = |func: &Func, parents: &Parents, inner: OpId| {
                let record = func.op(inner);
                matches!(record.kind, Kind::Scalar(_))
                    && record.operands.iter().all(|&v| parents.is_outside(func, v, op))
            };
            let mut kept = Vec::new();
            for inner in func.block(body).ops.clone() {
                if goes_out(func, parents, inner) {
                    parents.place(inner, block);
                    moved.push(inner);
                } else {
                    kept.push(inner);
                }
            }
            func.blocks[body.0 as usize].ops = kept;
        }
        changed |= !moved.is_empty();
        last_first.extend(moved.into_iter().rev());
    }
    last_first.reverse();
    func.blocks[block.0 as usize].ops = last_first;
    changed
}

/// One operation for each view that shows a whole array in rows, behind what it is made of: accesses of one word then have one
/// address.
fn gather_views(func: &mut Func) -> bool {
    let Some(top) = func.body.and_then(|b| func.entry(b)) else { return false };
    let parents = Parents::new(func);
    let mut changes = Changes::default();
    let (mut first, mut moved): (Vec<OpId>, Vec<OpId>) = (Vec::new(), Vec::new());
    for op in edit::walk(func).into_iter().filter(|&op| func.op(op).kind.is_view()) {
        let (record, view) = (func.op(op), func.result(op, 0));
        let is_at_top = |&v: &ValueId| parents.defining_block(func, v) == Some(top);
        if !has_rows(func, view) || !record.operands.iter().all(is_at_top) {
            continue;
        }
        let is_same = |&&other: &&OpId| {
            let other = func.op(other);
            other.kind == record.kind
                && other.operands == record.operands
                && func.ty(other.results[0]) == func.ty(view)
        };
        match first.iter().find(is_same) {
            Some(&other) => {
                changes.replace(view, func.result(other, 0));
                changes.erase(op);
            }
            None => {
                first.push(op);
                moved.extend((parents.block(op) != Some(top)).then_some(op));
            }
        }
    }
    for &op in &moved {
        edit::erase(func, parents.block(op).expect("it was walked to"), op);
        let made_by = |&v: &ValueId| match func.value(v).def {
            ValueDef::Result { op, .. } => func.block(top).ops.iter().position(|&o| o == op).map(|at| at + 1),
            ValueDef::Argument { .. } => None,
        };
        let at = func.op(op).operands.iter().filter_map(made_by).max().unwrap_or(0);
        func.blocks[top.0 as usize].ops.insert(at, op);
    }
    changes.apply(func) || !moved.is_empty()
}

/// For each op: whether it and all in it have no effect that the graph keeps. An assertion has none: its condition is taken
/// to hold, as `NDEBUG` does. Inner ops first, each looked at once by the one around it.
fn pure_ops(func: &Func) -> Vec<bool> {
    let mut pure = vec![false; func.ops.len()];
    for op in edit::walk(func).into_iter().rev() {
        pure[op.0 as usize] = match func.op(op).kind {
            Kind::Store
            | Kind::Fence
            | Kind::Call(_)
            | Kind::Return
            | Kind::Yield
            | Kind::Condition
            | Kind::Br
            | Kind::CondBr
            | Kind::Switch { .. }
            | Kind::Dealloc => false,
            _ => {
                let blocks = func.op(op).regions.iter().flat_map(|&r| &func.region(r).blocks);
                blocks
                    .flat_map(|&b| &func.block(b).ops)
                    .all(|&o| matches!(func.op(o).kind, Kind::Yield | Kind::Condition) || pure[o.0 as usize])
            }
        };
    }
    pure
}
