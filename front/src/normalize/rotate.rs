//! Loops that are tested at their end are tested at their start where that is known to be the same.
//!
//! `if (0 < n) do { body } while (++i < n)` is what other compilers make of a counting loop. Its body stands in the before-region of
//! an `scf.while`, and nothing counts there. If the test surely holds for the numbers the loop starts with, it is
//! moved to the start: afterwards the before-region holds the test alone, and the loop can be raised.
//!
//! Each loop that is looked at costs a walk of the function, as in `counted`.

use crate::edit::{self, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, RegionId, ValueDef, ValueId, ValueType};
use crate::predicate::{opposite, swapped};
use loom_dfg::eval::eval_arith;
use loom_dfg::{Op, Predicate, Type};

/// Moves every test that can be moved, innermost loops first.
pub fn run(func: &mut Func, index_width: u32) {
    for op in edit::walk(func).into_iter().rev() {
        if let Some(rotated) = rotated(func, op, index_width) {
            turn(func, op, &rotated);
        }
    }
}

/// Whether some test could be moved.
pub fn is_needed(func: &Func, index_width: u32) -> bool {
    edit::walk(func).into_iter().any(|op| rotated(func, op, index_width).is_some())
}

/// A while whose body stands before its test.
struct Rotated {
    /// The comparison.
    test: OpId,
    /// Which of its operands is the next round's number; the other comes from outside.
    side: usize,
    /// Which init that number takes the place of.
    at: usize,
    /// For each init, which passed value takes its place.
    next: Vec<usize>,
}

fn rotated(func: &Func, op: OpId, index_width: u32) -> Option<Rotated> {
    let record = func.op(op);
    if record.kind != Kind::While {
        return None;
    }
    let (before, after) = (func.entry(record.regions[0])?, func.entry(record.regions[1])?);
    let [end] = func.block(after).ops[..] else { return None };
    let next: Option<Vec<usize>> = (func.op(end).operands.iter())
        .map(|&v| match func.value(v).def {
            ValueDef::Argument { block, index } if block == after => Some(index),
            _ => None,
        })
        .collect();
    let next = next?;
    let passed = &func.op(func.terminator(before)?).operands;
    if passed.iter().any(|&v| func.ty(v).scalar().is_none()) {
        return None;
    }
    let ValueDef::Result { op: test, .. } = func.value(passed[0]).def else { return None };
    let Kind::Scalar(Op::Cmpi(predicate)) = func.op(test).kind else { return None };
    let parents = Parents::new(func);
    if parents.block(test) != Some(before) || func.block(before).ops.len() < 3 {
        return None;
    }
    let operands = &func.op(test).operands;
    let side = operands.iter().position(|&v| !parents.is_outside(func, v, op))?;
    if !parents.is_outside(func, operands[1 - side], op) {
        return None;
    }
    let at = next.iter().position(|&m| passed[1 + m] == operands[side])?;
    let mut first = [operands[0], operands[1]];
    first[side] = record.operands[at];
    holds(func, &parents, op, predicate, first, index_width).then_some(Rotated { test, side, at, next })
}

/// Whether a comparison of values from outside of `op` is true whenever `op` runs.
fn holds(
    func: &Func,
    parents: &Parents,
    op: OpId,
    p: Predicate,
    [a, b]: [ValueId; 2],
    index_width: u32,
) -> bool {
    if let (Some(x), Some(y), Some(ty)) =
        (edit::constant(func, a), edit::constant(func, b), func.ty(a).scalar())
    {
        return eval_arith(Op::Cmpi(p), &[ty, ty], Type::I1, index_width, &[x, y]) & 1 == 1;
    }
    let mut inner = op;
    parents.around(op).into_iter().any(|around| {
        let inside = parents.block(std::mem::replace(&mut inner, around));
        let guard = func.op(around);
        let (Kind::If, ValueDef::Result { op: test, .. }) = (&guard.kind, func.value(guard.operands[0]).def)
        else {
            return false;
        };
        let Kind::Scalar(Op::Cmpi(q)) = func.op(test).kind else { return false };
        let is_then = func.entry(guard.regions[0]) == inside;
        let q = if is_then { q } else { opposite(q) };
        let same = |x: ValueId, y: ValueId| {
            let literals = (edit::constant_int(func, x), edit::constant_int(func, y));
            x == y || (literals.0.is_some() && literals.0 == literals.1)
        };
        let [l, r] = [func.op(test).operands[0], func.op(test).operands[1]];
        let zero = |v: ValueId| edit::constant_int(func, v) == Some(0);
        (same(a, l) && same(b, r) && implies(q, p, zero(a), zero(b)))
            || (same(a, r) && same(b, l) && implies(swapped(q), p, zero(a), zero(b)))
    })
}

/// Whether one predicate of two numbers says another, knowing which of them is zero.
fn implies(known: Predicate, wanted: Predicate, left_is_zero: bool, right_is_zero: bool) -> bool {
    use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    match wanted {
        _ if known == wanted => true,
        Ne => matches!(known, Slt | Sgt | Ult | Ugt),
        Sle => matches!(known, Slt | Eq),
        Sge => matches!(known, Sgt | Eq),
        Ule => matches!(known, Ult | Eq) || left_is_zero,
        Uge => matches!(known, Ugt | Eq) || right_is_zero,
        // Unsigned, what is not zero is above it.
        Ult => left_is_zero && matches!(known, Ne | Slt),
        Ugt => right_is_zero && matches!(known, Ne | Sgt),
        Eq | Slt | Sgt => false,
    }
}

fn turn(func: &mut Func, op: OpId, Rotated { test, side, at, next }: &Rotated) {
    let Some(block) = Parents::new(func).block(op) else { return };
    let record = func.op(op).clone();
    let body = func.entry(record.regions[0]).expect("checked");
    let end = func.terminator(body).expect("checked");
    let passed = func.op(end).operands[1..].to_vec();
    let uses = edit::use_counts(func);
    // What is wanted behind the loop and is no number of the next round is carried besides.
    let besides: Vec<usize> =
        (0..passed.len()).filter(|m| !next.contains(m) && uses[record.results[*m].0 as usize] > 0).collect();
    let mut inits = record.operands.clone();
    let mut extra = Vec::new();
    for &m in &besides {
        let nothing = func.create_op(Kind::Poison, &[], &[func.ty(passed[m]).clone()]);
        inits.push(func.result(nothing, 0));
        extra.push(nothing);
    }
    let types: Vec<ValueType> = inits.iter().map(|&v| func.ty(v).clone()).collect();
    let new = func.create_op(Kind::While, &inits, &types);
    func.op_mut(new).span.clone_from(&record.span);
    func.op_mut(new).hints = record.hints;
    let region = func.add_region();
    func.op_mut(new).regions = vec![region, record.regions[0]];
    write_test(func, region, body, *test, (*side, *at), &types);
    for ty in &types[record.operands.len()..] {
        func.add_argument(body, "", ty.clone());
    }
    let yielded: Vec<ValueId> = next.iter().chain(&besides).map(|&m| passed[m]).collect();
    let again = func.op_mut(end);
    (again.kind, again.operands) = (Kind::Yield, yielded);
    for (m, &old) in record.results.iter().enumerate() {
        if let Some(k) = next.iter().chain(&besides).position(|&x| x == m) {
            let value = func.result(new, k);
            edit::replace_uses(func, old, value);
        }
    }
    let ops = &mut func.blocks[block.0 as usize].ops;
    if let Some(place) = ops.iter().position(|&o| o == op) {
        ops.splice(place..=place, extra.into_iter().chain([new]));
    }
}

/// The before-region: the comparison of an argument instead of the next round's number.
fn write_test(
    func: &mut Func,
    region: RegionId,
    body: BlockId,
    test: OpId,
    (side, at): (usize, usize),
    types: &[ValueType],
) {
    let before = func.add_block(region);
    let names: Vec<String> = func.block(body).arguments.iter().map(|&v| func.value(v).name.clone()).collect();
    let mut condition = Vec::new();
    for (k, ty) in types.iter().enumerate() {
        let name = names.get(k).cloned().unwrap_or_default();
        condition.push(func.add_argument(before, name, ty.clone()));
    }
    let source = func.op(test).clone();
    let mut operands = source.operands;
    operands[side] = condition[at];
    let compare = func.push_op(before, source.kind, &operands, &[ValueType::Scalar(Type::I1)]);
    func.op_mut(compare).span = source.span;
    condition.insert(0, func.result(compare, 0));
    func.push_op(before, Kind::Condition, &condition, &[]);
}
