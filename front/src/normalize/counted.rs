//! Loops that count: `scf.while` in counting shape becomes `scf.for`, and induction values become index.
//!
//! A while is raised when its before-region is one comparison of a carried value with a bound from outside, its
//! after-region moves that value by a constant step, and the step cannot overflow: towards a bound that leaves
//! room for it, by a shift right or division, or by an operation marked `nsw`. `dataflow.stream` ends an activation
//! whose index leaves the signed range, a wrapping while would go on: so the proof matters.
//!
//! An unsigned comparison is taken for the signed one where the counter is proved not to be negative. Otherwise the loop counts
//! from 2^(width-1) lower, where signed order is the unsigned one of before, and its body adds that again.
//!
//! Each loop that is looked at costs a walk of the function: a raised loop changes who contains whom, and which
//! results have users. Quadratic in loops, which are few beside their ops.

use super::sign;
use crate::edit::{self, InsertionPoint, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueDef, ValueId, ValueType};
use loom_dfg::{ContCond, Op, OpKind, Predicate, StepOp, Type};

/// Raises what can be raised, innermost first, and makes all induction values of at most `index_width` bits index;
/// loops that count in wider integers become whiles.
pub fn run(func: &mut Func, index_width: u32) {
    for op in edit::walk(func).into_iter().rev() {
        match func.op(op).kind {
            Kind::While => raise(func, op, index_width),
            Kind::For { .. } => count_in_index(func, op, index_width),
            _ => {}
        }
    }
}

/// What a raisable while does.
struct Counting {
    /// Which init is the counter.
    at: usize,
    step_op: StepOp,
    cond: ContCond,
    bound: ValueId,
    step: ValueId,
    /// It is unsigned, and counts from 2^(width-1) lower.
    shifted: bool,
}

fn defining(func: &Func, value: ValueId) -> Option<OpId> {
    match func.value(value).def {
        ValueDef::Result { op, .. } => Some(op),
        ValueDef::Argument { .. } => None,
    }
}

/// The comparison that a before-region is.
struct Test {
    /// Which argument it compares.
    at: usize,
    cond: ContCond,
    bound: ValueId,
    is_unsigned: bool,
}

fn test(func: &Func, before: BlockId) -> Option<Test> {
    use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    let [test, condition] = func.block(before).ops[..] else { return None };
    let Kind::Scalar(Op::Cmpi(predicate)) = func.op(test).kind else { return None };
    let condition = func.op(condition);
    if condition.operands[0] != func.result(test, 0)
        || condition.operands[1..].contains(&condition.operands[0])
    {
        return None;
    }
    let position = |v: ValueId| func.block(before).arguments.iter().position(|&a| a == v);
    let (left, right) = (func.op(test).operands[0], func.op(test).operands[1]);
    let (at, bound, swapped) = match (position(left), position(right)) {
        (Some(at), None) => (at, right, false),
        (None, Some(at)) => (at, left, true),
        _ => return None,
    };
    let cond = match (predicate, swapped) {
        (Slt | Ult, false) | (Sgt | Ugt, true) => ContCond::Lt,
        (Sle | Ule, false) | (Sge | Uge, true) => ContCond::Le,
        (Sgt | Ugt, false) | (Slt | Ult, true) => ContCond::Gt,
        (Sge | Uge, false) | (Sle | Ule, true) => ContCond::Ge,
        (Ne, _) => ContCond::Ne,
        (Eq, _) => return None,
    };
    Some(Test { at, cond, bound, is_unsigned: matches!(predicate, Ult | Ule | Ugt | Uge) })
}

fn counting(func: &Func, op: OpId, index_width: u32) -> Option<Counting> {
    let parents = Parents::new(func);
    let record = func.op(op);
    let [before, after] = [0, 1].map(|r| func.entry(record.regions[r]));
    let (before, after) = (before?, after?);
    let Test { at, cond, bound, is_unsigned } = test(func, before)?;
    let condition = func.op(func.terminator(before)?);
    let arguments = &func.block(before).arguments;
    let ty = func.ty(arguments[at]).scalar()?;
    if !ty.is_integral() || ty.width(index_width) > index_width || !parents.is_outside(func, bound, op) {
        return None;
    }
    let yielded = func.op(func.terminator(after)?).operands[at];
    let update = defining(func, yielded)?;
    if parents.block(update) != Some(after) {
        return None;
    }
    let update = func.op(update);
    let Kind::Scalar(Op::Plain(kind)) = update.kind else { return None };
    // The after-region's view of the counter.
    let is_counter = |v: ValueId| match func.value(v).def {
        ValueDef::Argument { block, index } => {
            block == after && condition.operands[1 + index] == arguments[at]
        }
        ValueDef::Result { .. } => false,
    };
    let step = match (kind, is_counter(update.operands[0]), update.operands.get(1).map(|&v| is_counter(v))) {
        (_, true, Some(false)) => update.operands[1],
        (OpKind::Addi | OpKind::Muli, false, Some(true)) => update.operands[0],
        _ => return None,
    };
    let amount = edit::constant_int(func, step)?;
    let step_op = match kind {
        OpKind::Addi => StepOp::Add,
        OpKind::Subi => StepOp::Sub,
        OpKind::Muli => StepOp::Mul,
        OpKind::Divsi => StepOp::Div,
        OpKind::Shli => StepOp::Shl,
        OpKind::Shrsi => StepOp::Shr,
        _ => return None,
    };
    let width = ty.width(index_width);
    let in_width = 1..i64::from(width) - 1;
    let literal = edit::constant_int(func, bound);
    let delta = if step_op == StepOp::Sub { -i128::from(amount) } else { amount.into() };
    let safe = match (step_op, cond) {
        (StepOp::Add | StepOp::Sub, _) if amount == 0 => false,
        (StepOp::Add | StepOp::Sub, _) if update.nsw => true,
        (StepOp::Add | StepOp::Sub, _) => stays_in_range(cond, delta, literal, width),
        (StepOp::Mul, _) => update.nsw && amount != 0,
        (StepOp::Div, _) => amount != 0 && amount != -1,
        (StepOp::Shl, _) => update.nsw && in_width.contains(&amount),
        (StepOp::Shr, _) => in_width.contains(&amount),
    };
    let (mut safe, mut shifted) = (safe, false);
    if is_unsigned {
        if !matches!(step_op, StepOp::Add | StepOp::Sub) {
            return None;
        }
        let lowered = literal.map(|b| b ^ (i64::MIN >> (64 - width)));
        let safe_when_shifted = stays_in_range(cond, delta, lowered, width);
        // Upwards from what is not negative nothing becomes so; downwards the unsigned range must not be left.
        let both = [record.operands[at], bound].iter().all(|&v| sign::is_not_negative(func, &parents, v, op));
        shifted = !(safe && both && (delta > 0 || safe_when_shifted));
        safe = !shifted || safe_when_shifted;
    }
    safe.then_some(Counting { at, step_op, cond, bound, step, shifted })
}

/// Whether adding `delta` to a number for which `cond(number, bound)` holds stays among the signed numbers of a width.
fn stays_in_range(cond: ContCond, delta: i128, bound: Option<i64>, width: u32) -> bool {
    let (least, most) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    // The number furthest on its way for which the condition holds: that bound, or the type's last but one.
    let furthest = match (cond, bound.map(i128::from)) {
        (ContCond::Lt, Some(b)) => b - 1,
        (ContCond::Lt, None) => most - 1,
        (ContCond::Gt, Some(b)) => b + 1,
        (ContCond::Gt, None) => least + 1,
        (ContCond::Le | ContCond::Ge, Some(b)) => b,
        _ => return false,
    };
    let towards = match cond {
        ContCond::Lt | ContCond::Le => delta > 0,
        _ => delta < 0,
    };
    towards && (least..=most).contains(&(furthest + delta))
}

fn raise(func: &mut Func, op: OpId, index_width: u32) {
    let Some(Counting { at, step_op, cond, bound, step, shifted }) = counting(func, op, index_width) else {
        return;
    };
    let Some(block) = Parents::new(func).block(op) else { return };
    let record = func.op(op).clone();
    let [before, after] = [0, 1].map(|r| func.entry(record.regions[r]).expect("checked"));
    let counter = func.block(before).arguments.clone()[at];
    let ty = func.ty(counter).scalar().expect("checked");
    let condition = func.op(func.terminator(before).expect("checked")).operands[1..].to_vec();
    let position = |v: ValueId| func.block(before).arguments.iter().position(|&a| a == v);
    let passed: Vec<Option<usize>> = condition.iter().map(|&v| position(v)).collect();
    let uses = edit::use_counts(func);
    // The counter's last value, when somebody wants it, is an iteration argument besides.
    let last_wanted =
        (passed.iter().zip(&record.results)).any(|(&p, &r)| p == Some(at) && uses[r.0 as usize] > 0);
    let kept: Vec<usize> = (0..record.operands.len()).filter(|&k| k != at || last_wanted).collect();

    let mut cursor = InsertionPoint::new(func, op);
    let (mut lower, mut upper) = (record.operands[at], bound);
    let shift = shifted.then(|| {
        let shift = cursor.constant(half(ty, index_width), ty);
        [lower, upper] = [lower, upper].map(|v| cursor.scalar(Op::Plain(OpKind::Addi), &[v, shift], ty));
        shift
    });
    let [lower, upper, step] = [lower, upper, step].map(|v| to_index(&mut cursor, v));
    cursor.put(block);
    let mut operands = vec![lower, upper, step];
    operands.extend(kept.iter().map(|&k| record.operands[k]));
    let types: Vec<ValueType> = kept.iter().map(|&k| func.ty(record.operands[k]).clone()).collect();
    let new = func.create_op(Kind::For { step_op, cond }, &operands, &types);
    func.op_mut(new).span = record.span.clone();
    func.op_mut(new).hints = record.hints;
    let region = func.add_region();
    func.op_mut(new).regions = vec![region];
    let body = func.add_block(region);
    let name = func.value(counter).name.clone();
    let index = func.add_argument(body, name, ValueType::Scalar(Type::Index));
    let arguments: Vec<ValueId> = kept
        .iter()
        .zip(&types)
        .map(|(&k, ty)| {
            let name = func.value(func.block(before).arguments[k]).name.clone();
            func.add_argument(body, name, ty.clone())
        })
        .collect();
    func.blocks[body.0 as usize].ops = func.block(after).ops.clone();
    let mut counted = from_index(func, body, index, ty);
    if let Some(shift) = shift {
        // Taking off the least number adds its half, and is a sum without wrapping for the analysis of subscripts.
        let up = Kind::Scalar(Op::Plain(OpKind::Subi));
        let up = func.create_op(up, &[counted, shift], &[ValueType::Scalar(ty)]);
        func.op_mut(up).span.clone_from(&record.span);
        func.blocks[body.0 as usize].ops.insert(usize::from(counted != index), up);
        counted = func.result(up, 0);
    }
    // A value of the while, seen in the body or after the loop.
    let inside = |k: usize| match kept.iter().position(|&x| x == k) {
        Some(i) if k != at => arguments[i],
        _ => counted,
    };
    for (m, &old) in func.block(after).arguments.clone().iter().enumerate() {
        let value = passed[m].map_or(condition[m], inside);
        edit::replace_uses(func, old, value);
    }
    let end = func.terminator(body).expect("checked");
    let yielded = func.op(end).operands.clone();
    func.op_mut(end).operands = kept.iter().map(|&k| yielded[k]).collect();
    edit::insert_before(func, block, op, new);
    for (m, &old) in record.results.iter().enumerate() {
        let value = match passed[m] {
            Some(k) => kept.iter().position(|&x| x == k).map(|i| func.result(new, i)),
            None => Some(condition[m]),
        };
        if let Some(value) = value {
            edit::replace_uses(func, old, value);
        }
    }
    edit::erase(func, block, op);
}

/// The least signed number of a type, as a literal of it.
fn half(ty: Type, index_width: u32) -> u64 {
    let least = (i64::MIN >> (64 - ty.width(index_width))) as u64;
    if ty == Type::Index {
        least
    } else {
        loom_base::truncate(least, ty.width(index_width))
    }
}

fn to_index(at: &mut InsertionPoint, value: ValueId) -> ValueId {
    match at.func.ty(value).scalar() {
        Some(Type::Index) | None => value,
        Some(_) => at.scalar(Op::Plain(OpKind::IndexCast), &[value], Type::Index),
    }
}

/// The counter in its own type, at the start of a body.
fn from_index(func: &mut Func, body: BlockId, index: ValueId, ty: Type) -> ValueId {
    if ty == Type::Index {
        return index;
    }
    let cast = func.create_op(Kind::Scalar(Op::Plain(OpKind::IndexCast)), &[index], &[ValueType::Scalar(ty)]);
    func.blocks[body.0 as usize].ops.insert(0, cast);
    func.result(cast, 0)
}

fn count_in_index(func: &mut Func, op: OpId, index_width: u32) {
    let record = func.op(op).clone();
    let Some(ty) = func.ty(record.operands[0]).scalar().filter(|&t| t != Type::Index) else { return };
    let Some(block) = Parents::new(func).block(op) else { return };
    let body = func.entry(record.regions[0]).expect("a verified loop has a body");
    if ty.width(index_width) > index_width {
        to_while(func, op, block, body, ty);
        return;
    }
    let mut cursor = InsertionPoint::new(func, op);
    let bounds = [0, 1, 2].map(|i| to_index(&mut cursor, record.operands[i]));
    cursor.put(block);
    func.op_mut(op).operands[..3].copy_from_slice(&bounds);
    let counter = func.block(body).arguments[0];
    let name = func.value(counter).name.clone();
    let index = func.add_argument(body, name, ValueType::Scalar(Type::Index));
    let arguments = &mut func.blocks[body.0 as usize].arguments;
    arguments.pop();
    arguments[0] = index;
    func.values[index.0 as usize].def = ValueDef::Argument { block: body, index: 0 };
    let counted = from_index(func, body, index, ty);
    edit::replace_uses(func, counter, counted);
}

/// A loop that counts in integers wider than index, which no stream does. Its step is a positive constant (checked
/// before). A sum that overflows ends the loop: a flag is carried where the bound does not exclude it.
fn to_while(func: &mut Func, op: OpId, block: BlockId, body: BlockId, ty: Type) {
    let record = func.op(op).clone();
    let step = edit::constant_int(func, record.operands[2]).unwrap_or(1);
    let most = i64::MAX >> (64 - ty.width(64));
    let overflows = edit::constant_int(func, record.operands[1]).is_none_or(|bound| bound > most - step + 1);
    let mut inits = vec![record.operands[0]];
    inits.extend(&record.operands[3..]);
    let i1 = ValueType::Scalar(Type::I1);
    if overflows {
        let mut cursor = InsertionPoint::new(func, op);
        inits.push(cursor.constant(1, Type::I1));
        cursor.put(block);
    }
    let types: Vec<ValueType> = inits.iter().map(|&v| func.ty(v).clone()).collect();
    let new = func.create_op(Kind::While, &inits, &types);
    func.op_mut(new).span = record.span.clone();
    func.op_mut(new).hints = record.hints;
    let regions = [0, 1].map(|_| func.add_region());
    func.op_mut(new).regions = regions.to_vec();
    let before = func.add_block(regions[0]);
    let arguments: Vec<ValueId> =
        types.iter().map(|ty| func.add_argument(before, String::new(), ty.clone())).collect();
    let test = Kind::Scalar(Op::Cmpi(Predicate::Slt));
    let test = func.push_op(before, test, &[arguments[0], record.operands[1]], std::slice::from_ref(&i1));
    let mut go_on = func.result(test, 0);
    if let (true, Some(&more)) = (overflows, arguments.last()) {
        let both = func.push_op(
            before,
            Kind::Scalar(Op::Plain(OpKind::Andi)),
            &[go_on, more],
            std::slice::from_ref(&i1),
        );
        go_on = func.result(both, 0);
    }
    let mut passed = vec![go_on];
    passed.extend(&arguments);
    func.push_op(before, Kind::Condition, &passed, &[]);
    // The body becomes the after-region as it stands: its arguments are the counter and the rest already.
    func.regions[regions[1].0 as usize].blocks = vec![body];
    let end = func.terminator(body).expect("a verified block has a terminator");
    let counter = func.block(body).arguments[0];
    let mut at = InsertionPoint::new(func, end);
    let next = at.scalar(Op::Plain(OpKind::Addi), &[counter, record.operands[2]], ty);
    let more = overflows.then(|| at.scalar(Op::Cmpi(Predicate::Sgt), &[next, counter], Type::I1));
    at.put(body);
    if let Some(more) = more {
        func.add_argument(body, String::new(), i1);
        func.op_mut(end).operands.push(more);
    }
    func.op_mut(end).operands.insert(0, next);
    edit::insert_before(func, block, op, new);
    for (k, &old) in record.results.iter().enumerate() {
        let value = func.result(new, k + 1);
        edit::replace_uses(func, old, value);
    }
    edit::erase(func, block, op);
}
