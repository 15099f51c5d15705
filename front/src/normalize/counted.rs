//! Loops that count: `scf.while` in counting shape becomes `scf.for`, and induction values become index.
//!
//! A while is raised when its before-region is one comparison of a carried value with a bound from outside, its
//! after-region moves that value by a step that is a literal or a sum of what the loop does not change, and the step cannot overflow:
//! towards a bound whose numbers (`intervals`) leave room for it, by a shift right or division, or by an operation marked `nsw`.
//! `dataflow.stream` ends an activation whose index leaves its range, a wrapping while would go on: so the proof matters.
//!
//! The comparison may be of a sum of the carried value and one from outside, `y + 3 <= height`: the loop counts in that sum, which
//! moves by the same step, and its body takes off again what it adds. Where it adds a constant the sum may be the next number as well.
//!
//! A loop through unsigned numbers is, by what costs least: a signed one where its numbers are proved not to be negative, or
//! become so in an index that is wider; an unsigned one where the fabric has such streams; else one that counts from
//! 2^(width-1) lower, where signed order is the unsigned one of before, and whose body adds that again.
//!
//! Sums are the steps that every stream has. Of other steps no more loops are raised than the fabric has streams for, the innermost
//! first; the rest stays as it is.
//!
//! Each loop that is looked at costs a walk of the function: a raised loop changes who contains whom, and which
//! results have users. Quadratic in loops, which are few beside their ops.

use super::intervals::{Known, NumberInterval};
use super::motion::{defining, motion, Ahead, Motion, MotionStep};
use super::two_ends;
use crate::edit::{self, InsertionPoint, Parents};
use crate::hints::Unroll;
use crate::ir::{BlockId, Func, Kind, OpId, Operation, ValueDef, ValueId, ValueType};
use crate::passes::PassTarget;
use crate::predicate;
use loom_dfg::{ContCond, Counter, Op, OpKind, Predicate, Signedness, StepOp, Type};

/// Raises what can be raised, innermost first, and makes all induction values of at most `index_width` bits index;
/// loops that count in wider integers become whiles.
pub fn run(func: &mut Func, target: &PassTarget) {
    two_ends::run(func, target.index_width);
    // Of what raising makes nothing has to be known.
    let has_whiles = edit::walk(func).into_iter().any(|op| func.op(op).kind == Kind::While);
    let known = has_whiles.then(|| Known::new(func, target.index_width));
    let mut taken = 0;
    for op in edit::walk(func).into_iter().rev() {
        match func.op(op).kind {
            Kind::While => {
                let step_op = known.as_ref().and_then(|known| raise(func, op, (target, known), taken));
                taken += usize::from(step_op.is_some_and(|s| s != StepOp::Add));
            }
            Kind::For { .. } => count_in_index(func, op, target.index_width),
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
    step: MotionStep,
    /// Whether that may be 0.
    may_stay: bool,
    form: Form,
    ahead: Option<Ahead>,
}

/// How the numbers of the while become those of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// They are signed ones.
    Signed,
    /// They are unsigned ones, and narrower than index: not negative there.
    Widened,
    /// They are unsigned ones.
    Unsigned,
    /// They are unsigned ones, and counted from 2^(width-1) lower.
    Shifted,
}

/// The comparison that a before-region is.
struct Test {
    op: OpId,
    /// Which argument it compares.
    at: usize,
    ahead: Option<Ahead>,
    cond: ContCond,
    bound: ValueId,
    /// Which order it asks for; none for `!=`.
    numbers: Option<Signedness>,
}

fn test(func: &Func, before: BlockId) -> Option<Test> {
    use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    let (sum, test, condition) = match func.block(before).ops[..] {
        [test, condition] => (None, test, condition),
        [sum, test, condition] => (Some(sum), test, condition),
        _ => return None,
    };
    let Kind::Scalar(Op::Cmpi(predicate)) = func.op(test).kind else { return None };
    let condition = func.op(condition);
    if condition.operands[0] != func.result(test, 0)
        || condition.operands[1..].contains(&condition.operands[0])
    {
        return None;
    }
    let ahead = match sum {
        Some(sum) => Some(ahead(func, before, sum)?),
        None => None,
    };
    // With a sum, the number that it moves is what is compared.
    let counter = |v: ValueId| match ahead {
        Some(Ahead { sum, of, .. }) => (func.result(sum, 0) == v).then_some(of),
        None => Some(v),
    };
    let position = |v: ValueId| func.block(before).arguments.iter().position(|&a| Some(a) == counter(v));
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
    let numbers = match predicate {
        Eq | Ne => None,
        _ if predicate::is_unsigned(predicate) => Some(Signedness::Unsigned),
        _ => Some(Signedness::Signed),
    };
    Some(Test { op: test, at, ahead, cond, bound, numbers })
}

fn ahead(func: &Func, before: BlockId, sum: OpId) -> Option<Ahead> {
    let op = func.op(sum);
    if op.kind != Kind::Scalar(Op::Plain(OpKind::Addi)) {
        return None;
    }
    let (left, right) = (op.operands[0], op.operands[1]);
    let is_carried = |v: ValueId| func.block(before).arguments.contains(&v);
    let (of, by) = match (is_carried(left), is_carried(right)) {
        (true, false) => (left, right),
        (false, true) => (right, left),
        _ => return None,
    };
    Some(Ahead { sum, of, by, amount: edit::constant_int(func, by), nsw: op.nsw })
}

fn counting(func: &Func, op: OpId, target: &PassTarget, known: &Known) -> Option<Counting> {
    let parents = Parents::new(func);
    let record = func.op(op);
    let before = func.entry(record.regions[0])?;
    let Test { op: test, at, ahead, cond, bound, numbers: order } = test(func, before)?;
    let ty = func.ty(func.block(before).arguments[at]).scalar()?;
    let index_width = target.index_width;
    let is_outside = |v: ValueId| parents.is_outside(func, v, op);
    if !ty.is_integral() || ty.width(index_width) > index_width || !is_outside(bound) {
        return None;
    }
    if ahead.is_some_and(|ahead| ahead.amount.is_none() && !is_outside(ahead.by)) {
        return None;
    }
    let mut motion = motion(func, &parents, op, at, ahead)?;
    if let Some(ahead) = ahead {
        // What is added to a counter is added to a number ahead of it too; a product is another one.
        if motion.step_op != StepOp::Add {
            return None;
        }
        motion.nsw &= ahead.nsw;
    }
    let numbers = match (order, motion.numbers) {
        (Some(order), Some(numbers)) if order != numbers => return None,
        (order, numbers) => order.or(numbers),
    };
    let width = ty.width(index_width);
    let of = |op: OpId, value: ValueId| {
        let at = func.op(op).operands.iter().position(|&v| v == value);
        at.and_then(|k| known.operand(op, k)).unwrap_or(NumberInterval::all(width))
    };
    let (start, end) = (of(op, record.operands[at]), of(test, bound));
    let first = match ahead {
        Some(ahead) => start.plus(of(ahead.sum, ahead.by)).within(width),
        None => start,
    };
    // What is added is looked at where it is added.
    let by = motion.step.interval(|value| of(motion.by, value));
    let stays_unsigned = stays_unsigned(&motion, cond, by, (first, end), width);
    let starts_positive = first.is_not_negative()
        || ahead.is_some_and(|ahead| {
            ahead.nsw && start.is_not_negative() && of(ahead.sum, ahead.by).is_not_negative()
        });
    // Upwards from what is not negative nothing becomes so; downwards the unsigned range must not be left.
    let stays_positive = || {
        let keeps_sign = match motion.step_op {
            StepOp::Add | StepOp::Sub => by.low > 0 || stays_unsigned,
            StepOp::Mul | StepOp::Div => by.low > 0,
            StepOp::Shl | StepOp::Shr => true,
        };
        keeps_sign && starts_positive && (order.is_none() || end.is_not_negative())
    };
    let is_signed = stays_signed(&motion, cond, by, end, width)
        && (numbers != Some(Signedness::Unsigned) || stays_positive());
    let form = match motion.step_op {
        _ if is_signed => Form::Signed,
        _ if numbers == Some(Signedness::Signed) || !stays_unsigned => return None,
        _ if width < index_width => Form::Widened,
        step_op if target.unsigned_steps.contains(&step_op) && !shall_be_unrolled(record) => Form::Unsigned,
        StepOp::Add | StepOp::Sub => Form::Shifted,
        _ => return None,
    };
    let may_stay = by.contains(0);
    Some(Counting { at, step_op: motion.step_op, cond, bound, step: motion.step, may_stay, form, ahead })
}

/// Whether the loop is to have several copies of its body, whose bounds are computed in signed numbers.
fn shall_be_unrolled(op: &Operation) -> bool {
    matches!(op.hints.unroll, Some(Unroll::By(n)) if n.get() > 1)
}

/// Whether no step of a signed loop leaves its range.
fn stays_signed(
    motion: &Motion,
    cond: ContCond,
    by: NumberInterval,
    bound: NumberInterval,
    width: u32,
) -> bool {
    let is_none = by == NumberInterval::new(0, 0);
    let in_width = by.low >= 1 && by.high < i128::from(width) - 1;
    match motion.step_op {
        StepOp::Add | StepOp::Sub => !is_none && (motion.nsw || stays_in_range(cond, by, bound, width)),
        StepOp::Mul => motion.nsw && !is_none,
        StepOp::Div => !is_none && by != NumberInterval::new(-1, -1),
        StepOp::Shl => motion.nsw && in_width,
        StepOp::Shr => in_width,
    }
}

/// Whether no step of an unsigned loop with this start and bound leaves its range.
fn stays_unsigned(
    motion: &Motion,
    cond: ContCond,
    by: NumberInterval,
    (start, bound): (NumberInterval, NumberInterval),
    width: u32,
) -> bool {
    let in_width = by.low >= 1 && by.high < i128::from(width);
    let natural = bound.natural(width);
    // The largest number that is stepped from.
    let most = match cond {
        ContCond::Lt => Some(natural.high - 1),
        ContCond::Le => Some(natural.high),
        _ => None,
    };
    let grows = |factor: i128| most.is_some_and(|n| n * factor < 1 << width);
    let zero = NumberInterval::new(0, 0);
    match (motion.step_op, cond) {
        // Whatever the other end is, it comes before the range's.
        (StepOp::Add | StepOp::Sub, ContCond::Ne) => match motion.step {
            MotionStep::By(1) => start == zero,
            MotionStep::By(-1) => bound == zero,
            _ => false,
        },
        // Counted from 2^(width-1) lower, unsigned order is the signed one.
        (StepOp::Add | StepOp::Sub, _) => {
            let lowered = natural.each(|b| b - (1 << (width - 1)));
            stays_in_range(cond, by, lowered, width)
        }
        (StepOp::Mul, _) => by.low > 0 && grows(by.high),
        (StepOp::Shl, _) => in_width && grows(1 << by.high),
        (StepOp::Div, _) => by != zero,
        (StepOp::Shr, _) => in_width,
    }
}

/// Why a while of a plain function does not count; `None` for other operations.
pub fn obstacle(func: &Func, op: OpId) -> Option<&'static str> {
    if func.op(op).kind != Kind::While {
        return None;
    }
    let [before, after] = [0, 1].map(|r| func.op(op).regions.get(r).and_then(|&r| func.entry(r)));
    let (before, after) = before.zip(after)?;
    let Some(test) = test(func, before) else {
        let loads = func.block(before).ops.iter().any(|&op| func.op(op).kind == Kind::Load);
        return Some(match loads {
            true => "its test loads a word that may be another one each time",
            false => "its test is more than one comparison of a carried number with a bound",
        });
    };
    if !Parents::new(func).is_outside(func, test.bound, op) {
        return Some("its bound changes inside of it");
    }
    let next = func.terminator(after).and_then(|end| func.op(end).operands.get(test.at).copied());
    let step = next.and_then(|v| defining(func, v)).map(|update| func.op(update));
    let by_known = step.is_some_and(|update| {
        let moves = [OpKind::Addi, OpKind::Subi, OpKind::Muli, OpKind::Divsi, OpKind::Shli, OpKind::Shrsi];
        let sums = [OpKind::Addi, OpKind::Subi];
        let parents = Parents::new(func);
        let literal = update.operands.iter().any(|&v| edit::constant_int(func, v).is_some());
        let steady = update.operands.iter().any(|&v| parents.is_outside(func, v, op));
        let is = |kinds: &[OpKind]| matches!(update.kind, Kind::Scalar(Op::Plain(k)) if kinds.contains(&k));
        literal && is(&moves) || steady && is(&sums)
    });
    Some(match by_known {
        false => "the number that it tests is not moved by a constant or a sum of what it does not change",
        true => "the number that it tests may leave the range of its type, is wider than index, or moves by more than sums in more \
                 loops than the fabric has streams for",
    })
}

/// Whether adding any of `by` to a number for which `cond(number, bound)` holds leads on, among the signed numbers of a width.
fn stays_in_range(cond: ContCond, by: NumberInterval, bound: NumberInterval, width: u32) -> bool {
    // The number furthest on its way for which the condition holds, and the one after it.
    let furthest = match cond {
        ContCond::Lt if by.low > 0 => bound.high - 1 + by.high,
        ContCond::Le if by.low > 0 => bound.high + by.high,
        ContCond::Gt if by.high < 0 => bound.low + 1 + by.low,
        ContCond::Ge if by.high < 0 => bound.low + by.low,
        _ => return false,
    };
    NumberInterval::all(width).contains(furthest)
}

/// Raises a while; gives the step op, where it could be done.
fn raise(func: &mut Func, op: OpId, (target, known): (&PassTarget, &Known), taken: usize) -> Option<StepOp> {
    let counting = counting(func, op, target, known)?;
    let Counting { at, step_op, cond, form, ahead, .. } = counting;
    if step_op != StepOp::Add && taken >= target.streams(step_op) {
        return None;
    }
    let block = Parents::new(func).block(op)?;
    let record = func.op(op).clone();
    let [before, after] = [0, 1].map(|r| func.entry(record.regions[r]).expect("checked"));
    let counter = func.block(before).arguments.clone()[at];
    let ty = func.ty(counter).scalar().expect("checked");
    let width = ty.width(target.index_width);
    let condition = func.op(func.terminator(before).expect("checked")).operands[1..].to_vec();
    let position = |v: ValueId| func.block(before).arguments.iter().position(|&a| a == v);
    let passed: Vec<Option<usize>> = condition.iter().map(|&v| position(v)).collect();
    let uses = edit::use_counts(func);
    let sum = ahead.map(|ahead| func.result(ahead.sum, 0));
    let is_wanted = |r: &ValueId| uses[r.0 as usize] > 0;
    if (condition.iter().zip(&record.results)).any(|(&v, r)| Some(v) == sum && is_wanted(r)) {
        return None;
    }
    // The counter's last value, when somebody wants it, is an iteration argument besides.
    let last_wanted = (passed.iter().zip(&record.results)).any(|(&p, r)| p == Some(at) && is_wanted(r));
    let kept: Vec<usize> = (0..record.operands.len()).filter(|&k| k != at || last_wanted).collect();

    let numbers = if form == Form::Unsigned { Signedness::Unsigned } else { Signedness::Signed };
    let counts = Counter { step_op, numbers };
    let ([lower, upper, step], shift) = range(func, (op, block), &counting, counts, (ty, width));
    let mut operands = vec![lower, upper, step];
    operands.extend(kept.iter().map(|&k| record.operands[k]));
    let types: Vec<ValueType> = kept.iter().map(|&k| func.ty(record.operands[k]).clone()).collect();
    let new = func.create_op(Kind::For { counter: counts, cond }, &operands, &types);
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
    let counted = from_index(func, body, index, ty);
    // Taking off the least number adds its half, and is a sum without wrapping for the analysis of subscripts.
    let tested = take_off(func, body, counted, shift, &record);
    let counted = take_off(func, body, tested, ahead.map(|ahead| ahead.by), &record);
    // A value of the while, seen in the body or after the loop.
    let inside = |k: usize| match kept.iter().position(|&x| x == k) {
        Some(i) if k != at => arguments[i],
        _ => counted,
    };
    for (m, &old) in func.block(after).arguments.clone().iter().enumerate() {
        let outside = if Some(condition[m]) == sum { tested } else { condition[m] };
        let value = passed[m].map_or(outside, inside);
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
    Some(step_op)
}

/// First number, bound and step in index, before a loop; and how much higher it counts than its numbers, as those have it.
fn range(
    func: &mut Func,
    (op, block): (OpId, BlockId),
    counting: &Counting,
    counter: Counter,
    (ty, width): (Type, u32),
) -> ([ValueId; 3], Option<ValueId>) {
    let Counting { at, step_op, cond, bound, step, may_stay, form, ahead } = *counting;
    let (mut lower, mut upper) = (func.op(op).operands[at], bound);
    let mut cursor = InsertionPoint::new(func, op);
    if let Some(Ahead { by, .. }) = ahead {
        lower = cursor.scalar(Op::Plain(OpKind::Addi), &[lower, by], ty);
    }
    let shift = (form == Form::Shifted).then(|| {
        let shift = cursor.constant(literal(i64::MIN >> (64 - width), ty, width), ty);
        [lower, upper] = [lower, upper].map(|v| cursor.scalar(Op::Plain(OpKind::Addi), &[v, shift], ty));
        shift
    });
    let widening = if form == Form::Widened { OpKind::IndexCastui } else { OpKind::IndexCast };
    let [lower, upper] = [lower, upper].map(|v| to_index(&mut cursor, v, widening));
    let step = match step {
        MotionStep::By(amount) => cursor.constant(literal(amount, ty, width), ty),
        MotionStep::Plus(value) => value,
        MotionStep::Minus(value) => {
            let zero = cursor.constant(0, ty);
            cursor.scalar(Op::Plain(OpKind::Subi), &[zero, value], ty)
        }
    };
    // What is added is signed.
    let mut step =
        to_index(&mut cursor, step, if step_op == StepOp::Add { OpKind::IndexCast } else { widening });
    if may_stay {
        // A stream of no step is an error, also where it would have no turn.
        let test = Op::Cmpi(predicate::of_loop(counter, cond));
        let runs = cursor.scalar(test, &[lower, upper], Type::I1);
        let one = cursor.constant(1, Type::Index);
        step = cursor.scalar(Op::Plain(OpKind::Select), &[runs, step, one], Type::Index);
    }
    cursor.put(block);
    ([lower, upper, step], shift)
}

/// The literal of a number of a type.
fn literal(number: i64, ty: Type, width: u32) -> u64 {
    match ty {
        Type::Index => number as u64,
        _ => loom_base::truncate(number as u64, width),
    }
}

fn to_index(at: &mut InsertionPoint, value: ValueId, widening: OpKind) -> ValueId {
    match at.func.ty(value).scalar() {
        Some(Type::Index) | None => value,
        Some(_) => at.scalar(Op::Plain(widening), &[value], Type::Index),
    }
}

/// The difference of a value that the first ops of a body make, or that is its argument, and one from outside.
fn take_off(func: &mut Func, body: BlockId, from: ValueId, what: Option<ValueId>, of: &Operation) -> ValueId {
    let Some(what) = what else { return from };
    let ty = func.ty(from).clone();
    let op = func.create_op(Kind::Scalar(Op::Plain(OpKind::Subi)), &[from, what], &[ty]);
    func.op_mut(op).span.clone_from(&of.span);
    let block = &func.blocks[body.0 as usize].ops;
    let at = defining(func, from).and_then(|def| block.iter().position(|&o| o == def)).map_or(0, |at| at + 1);
    func.blocks[body.0 as usize].ops.insert(at, op);
    func.result(op, 0)
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
    let bounds = [0, 1, 2].map(|i| to_index(&mut cursor, record.operands[i], OpKind::IndexCast));
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
