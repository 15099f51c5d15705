//! Less to map, the same meaning: constants folded and gathered at the top, common and dead ops gone, invariant ops
//! and iteration arguments out of loops, ifs without effects turned into selects.
//!
//! Every op that goes is one fewer on the fabric. Only ops of the table move or merge; accesses, fences and loops
//! stay where they are, in their order.

use crate::edit::{self, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueDef, ValueId, ValueType};
use loom_base::{sign_extend, truncate};
use loom_dfg::eval::eval_arith;
use loom_dfg::{Op, OpKind, Type};
use std::collections::BTreeMap;

/// Ops of both sides of an if that becomes a select, at most: they run every time then.
const SPECULATED: usize = 8;

/// Runs everything until nothing changes.
pub fn run(func: &mut Func, index_width: u32) {
    loop {
        let mut changed = gather_constants(func, index_width);
        changed |= fold(func, index_width);
        changed |= choose_known_sides(func);
        changed |= speculate(func);
        changed |= drop_invariant_arguments(func);
        changed |= hoist(func);
        changed |= merge_common(func);
        changed |= drop_dead(func);
        if !changed {
            return;
        }
    }
}

/// One operation for each literal, at the top of the function. Index literals are written as the signed number
/// that the fabric's index holds.
fn gather_constants(func: &mut Func, index_width: u32) -> bool {
    let Some(top) = func.body.and_then(|b| func.entry(b)) else { return false };
    let parents = Parents::new(func);
    let mut known: BTreeMap<(u64, Type), ValueId> = BTreeMap::new();
    let mut changed = false;
    let mut place = 0;
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
        let Some(block) = parents.block(op) else { continue };
        if let Some(&first) = known.get(&(bits, ty)) {
            edit::replace_uses(func, value, first);
            edit::erase(func, block, op);
            changed = true;
            continue;
        }
        known.insert((bits, ty), value);
        func.op_mut(op).kind = Kind::Constant(bits);
        if func.block(top).ops.get(place) != Some(&op) {
            edit::erase(func, block, op);
            func.blocks[top.0 as usize].ops.insert(place, op);
            changed = true;
        }
        place += 1;
    }
    changed
}

fn scalar_of(func: &Func, value: ValueId) -> Option<(OpId, Op)> {
    match func.value(value).def {
        ValueDef::Result { op, .. } => match func.op(op).kind {
            Kind::Scalar(scalar) => Some((op, scalar)),
            _ => None,
        },
        ValueDef::Argument { .. } => None,
    }
}

/// Ops on literals become literals; ops that change nothing become their operand.
fn fold(func: &mut Func, index_width: u32) -> bool {
    let mut changed = false;
    for op in edit::walk(func) {
        let record = func.op(op);
        let Kind::Scalar(scalar) = record.kind else { continue };
        let Some(ty) = func.ty(record.results[0]).scalar() else { continue };
        let literals: Vec<Option<u64>> = record.operands.iter().map(|&v| edit::constant(func, v)).collect();
        let types: Vec<Type> = record.operands.iter().filter_map(|&v| func.ty(v).scalar()).collect();
        if let Some(values) = literals.iter().copied().collect::<Option<Vec<u64>>>() {
            let bits = eval_arith(scalar, &types, ty, index_width, &values);
            let bits = if ty == Type::Index { sign_extend(bits, index_width) as u64 } else { bits };
            let record = func.op_mut(op);
            record.kind = Kind::Constant(bits);
            record.operands.clear();
            changed = true;
            continue;
        }
        if let Some(same) = identity(func, op, scalar, &literals, index_width) {
            let result = func.result(op, 0);
            if edit::use_counts(func)[result.0 as usize] > 0 {
                edit::replace_uses(func, result, same);
                changed = true;
            }
        }
    }
    changed
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
            let (inner, Op::Plain(OpKind::IndexCast)) = scalar_of(func, operands[0])? else { return None };
            let from = func.op(inner).operands[0];
            let from_ty = func.ty(from).scalar()?;
            (from_ty == ty && ty != Type::Index && ty.width(index_width) <= index_width).then_some(from)
        }
        _ => None,
    }
}

/// An if on a literal becomes its side.
fn choose_known_sides(func: &mut Func) -> bool {
    let mut changed = false;
    for op in edit::walk(func) {
        if func.op(op).kind != Kind::If {
            continue;
        }
        let Some(cond) = edit::constant(func, func.op(op).operands[0]) else { continue };
        let Some(block) = Parents::new(func).block(op) else { continue };
        let side = if cond & 1 == 1 { 0 } else { 1 };
        let inner = func.op(op).regions.get(side).and_then(|&r| func.entry(r));
        let mut ops = inner.map(|b| func.block(b).ops.clone()).unwrap_or_default();
        let yielded = ops.pop().map(|end| func.op(end).operands.clone()).unwrap_or_default();
        inline_before(func, block, op, &ops, &yielded);
        changed = true;
    }
    changed
}

/// Puts `ops` in the place of `op` and `values` in the place of its results.
fn inline_before(func: &mut Func, block: BlockId, op: OpId, ops: &[OpId], values: &[ValueId]) {
    for &o in ops {
        edit::insert_before(func, block, op, o);
    }
    for (old, &new) in func.op(op).results.clone().into_iter().zip(values) {
        edit::replace_uses(func, old, new);
    }
    edit::erase(func, block, op);
}

/// An if whose sides only compute, without division, becomes its ops and a select for each result.
fn speculate(func: &mut Func) -> bool {
    let mut changed = false;
    for op in edit::walk(func).into_iter().rev() {
        let record = func.op(op);
        if record.kind != Kind::If || record.results.is_empty() {
            continue;
        }
        if record.results.iter().any(|&r| func.ty(r).scalar().is_none()) {
            continue;
        }
        let sides: Vec<Vec<OpId>> =
            record.regions.iter().filter_map(|&r| func.entry(r)).map(|b| func.block(b).ops.clone()).collect();
        let plain = |&o: &OpId| match func.op(o).kind {
            Kind::Scalar(scalar) => scalar.kind().is_speculatable(),
            Kind::Constant(_) | Kind::Poison => true,
            _ => false,
        };
        let bodies: Vec<&[OpId]> = sides.iter().map(|s| &s[..s.len().saturating_sub(1)]).collect();
        let count: usize = bodies.iter().map(|b| b.len()).sum();
        if sides.len() != 2 || count > SPECULATED || !bodies.iter().all(|b| b.iter().all(plain)) {
            continue;
        }
        let Some(block) = Parents::new(func).block(op) else { continue };
        let moved: Vec<OpId> = bodies.concat();
        let yields: Vec<Vec<ValueId>> =
            sides.iter().map(|s| s.last().map_or(Vec::new(), |&y| func.op(y).operands.clone())).collect();
        let cond = record.operands[0];
        let results = record.results.clone();
        let mut all = moved;
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
        inline_before(func, block, op, &all, &values);
        changed = true;
    }
    changed
}

/// An iteration argument of a for that is yielded as it came is its init.
fn drop_invariant_arguments(func: &mut Func) -> bool {
    let mut changed = false;
    for op in edit::walk(func) {
        if !matches!(func.op(op).kind, Kind::For { .. }) {
            continue;
        }
        let Some(body) = func.entry(func.op(op).regions[0]) else { continue };
        let Some(end) = func.terminator(body) else { continue };
        let mut k = 0;
        while k < func.op(op).results.len() {
            let argument = func.block(body).arguments[k + 1];
            let yielded = func.op(end).operands[k];
            let init = func.op(op).operands[k + 3];
            if yielded != argument && yielded != init {
                k += 1;
                continue;
            }
            // Yielding the init itself makes every round the same too, the first included.
            let result = func.result(op, k);
            edit::replace_uses(func, argument, init);
            edit::replace_uses(func, result, init);
            func.op_mut(end).operands.remove(k);
            func.op_mut(op).operands.remove(k + 3);
            func.op_mut(op).results.remove(k);
            func.blocks[body.0 as usize].arguments.remove(k + 1);
            renumber(func, op, body);
            changed = true;
        }
    }
    changed
}

/// Sets the positions that definitions remember after arguments or results went away.
fn renumber(func: &mut Func, op: OpId, body: BlockId) {
    for (index, v) in func.op(op).results.clone().into_iter().enumerate() {
        func.values[v.0 as usize].def = ValueDef::Result { op, index };
    }
    for (index, v) in func.block(body).arguments.clone().into_iter().enumerate() {
        func.values[v.0 as usize].def = ValueDef::Argument { block: body, index };
    }
}

/// Ops in a loop's body whose operands come from outside move before the loop; innermost loops first, so that an
/// op can go several levels.
fn hoist(func: &mut Func) -> bool {
    let mut changed = false;
    for op in edit::walk(func).into_iter().rev() {
        if !matches!(func.op(op).kind, Kind::For { .. } | Kind::While) {
            continue;
        }
        let mut parents = Parents::new(func);
        let Some(block) = parents.block(op) else { continue };
        for region in func.op(op).regions.clone() {
            let Some(body) = func.entry(region) else { continue };
            for inner in func.block(body).ops.clone() {
                let record = func.op(inner);
                let Kind::Scalar(scalar) = record.kind else { continue };
                if !scalar.kind().is_speculatable()
                    || !record.operands.iter().all(|&v| parents.is_outside(func, v, op))
                {
                    continue;
                }
                edit::erase(func, body, inner);
                edit::insert_before(func, block, op, inner);
                parents = Parents::new(func);
                changed = true;
            }
        }
    }
    changed
}

/// Two equal ops, one of them visible to the other, become one.
fn merge_common(func: &mut Func) -> bool {
    let Some(top) = func.body.and_then(|b| func.entry(b)) else { return false };
    let mut known = Vec::new();
    merge_in(func, top, &mut known)
}

type Key = (Op, Vec<ValueId>, ValueType);

fn merge_in(func: &mut Func, block: BlockId, known: &mut Vec<(Key, ValueId)>) -> bool {
    let mut changed = false;
    let outer = known.len();
    for op in func.block(block).ops.clone() {
        if let Kind::Scalar(scalar) = func.op(op).kind {
            let result = func.result(op, 0);
            let mut operands = func.op(op).operands.clone();
            let commutes = matches!(
                scalar.kind(),
                OpKind::Addi | OpKind::Muli | OpKind::Andi | OpKind::Ori | OpKind::Xori
            );
            if commutes {
                operands.sort();
            }
            let key = (scalar, operands, func.ty(result).clone());
            match known.iter().find(|(k, _)| *k == key).map(|&(_, v)| v) {
                Some(first) => {
                    edit::replace_uses(func, result, first);
                    edit::erase(func, block, op);
                    changed = true;
                }
                None => known.push((key, result)),
            }
        }
        for region in func.op(op).regions.clone() {
            if let Some(inner) = func.entry(region) {
                changed |= merge_in(func, inner, known);
            }
        }
    }
    known.truncate(outer);
    changed
}

/// Ops without effect whose results nobody uses go, loops and ifs without stores included.
fn drop_dead(func: &mut Func) -> bool {
    let mut changed = false;
    loop {
        let uses = edit::use_counts(func);
        let parents = Parents::new(func);
        let dead: Vec<OpId> = edit::walk(func)
            .into_iter()
            .filter(|&op| {
                let record = func.op(op);
                record.results.iter().all(|r| uses[r.0 as usize] == 0) && is_pure(func, op)
            })
            .collect();
        if dead.is_empty() {
            return changed;
        }
        for op in dead {
            if let Some(block) = parents.block(op) {
                edit::erase(func, block, op);
            }
        }
        changed = true;
    }
}

fn is_pure(func: &Func, op: OpId) -> bool {
    match func.op(op).kind {
        Kind::Store
        | Kind::Fence
        | Kind::Call(_)
        | Kind::Return
        | Kind::Yield
        | Kind::Condition
        | Kind::Br
        | Kind::CondBr
        | Kind::Switch { .. }
        | Kind::Assert(_)
        | Kind::Dealloc => false,
        _ => edit::walk_inside(func, op).into_iter().all(|o| match func.op(o).kind {
            Kind::Yield | Kind::Condition => true,
            _ => is_pure(func, o),
        }),
    }
}
