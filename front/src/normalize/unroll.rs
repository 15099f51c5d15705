//! Loops whose body stands several times in the place of one.
//!
//! By hint ([`Unroll`]), which innermost loops without one can be given together ([`run`]), and otherwise where it needs no more
//! ops: a loop of one iteration or none is no loop, and one of few iterations of a small body without accesses and loops costs
//! less without its stream, its carries and what brings values down to it ([`shrinks`]). Loops around small arrays have hints of their
//! own ([`super::small`]).
//!
//! A loop of N iterations of which n are done at once becomes one of N / n iterations, and one of the N % n that are left. The
//! first stops n - 1 steps before the bound; that is computed without leaving the range of the index, for any bound. The second counts its
//! iterations, of which there are fewer than n, so that it needs no bound beyond the last number. Where N is not known, n
//! is made a power of two, as the step must be: quotient and remainder are a shift and a mask. Copies stand in the order of the
//! iterations and hand on the iteration arguments, so that nothing is computed in another order. Each copy knows which it is
//! ([`Copied`]): accesses in different copies of an independent loop are in no order.

use crate::edit::{self, Changes, InsertionPoint, Parents};
use crate::hints::{Hints, Unroll};
use crate::ir::{BlockId, Copied, Func, Kind, OpId, ValueId, ValueType};
use loom_dfg::{ContCond, Op, OpKind, Predicate, StepOp, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

/// Operations that the copies of one body may be.
const MOST_COPIED: u64 = 4096;
/// Iterations that are counted one by one where no formula says how many there are.
const MOST_COUNTED: usize = 64;

/// Unrolls what shall be, innermost loops first. `copies` is what innermost loops without a hint are told.
pub fn run(func: &mut Func, index_width: u32, copies: Option<NonZeroU32>) {
    for op in edit::walk(func).into_iter().rev() {
        let mut planned = plan(func, op, index_width);
        if let (None, None, Some(copies)) = (&planned, func.op(op).hints.unroll, copies) {
            if is_innermost(func, op) {
                func.op_mut(op).hints.unroll = Some(Unroll::By(copies));
                planned = plan(func, op, index_width);
            }
        }
        match planned {
            Some(Plan::Flat(numbers)) => flat(func, op, &numbers),
            Some(Plan::By(by)) => unroll(func, op, &by, index_width),
            None => {}
        }
    }
}

/// Forgets wishes for copies; those for none stay.
pub fn no_wishes(func: &mut Func) {
    for op in edit::walk(func) {
        let wish = &mut func.op_mut(op).hints.unroll;
        *wish = wish.filter(|&w| w == Unroll::By(NonZeroU32::MIN));
    }
}

fn is_innermost(func: &Func, op: OpId) -> bool {
    let is_loop = |&o: &OpId| func.op(o).kind.is_loop();
    is_loop(&op) && !edit::walk_inside(func, op).iter().any(is_loop)
}

/// Whether some loop could be unrolled.
pub fn is_needed(func: &Func, index_width: u32) -> bool {
    edit::walk(func).into_iter().any(|op| plan(func, op, index_width).is_some())
}

/// What becomes of a loop.
enum Plan {
    /// A copy for each of these numbers.
    Flat(Vec<i64>),
    By(By),
}

/// Several copies in the place of one.
struct By {
    copies: u32,
    /// What is added to the number from one iteration to the next.
    step: i64,
    /// Iterations, where they are known.
    trips: Option<u64>,
}

/// What a loop counts, where that is known.
pub(super) struct Numbers {
    pub step_op: StepOp,
    pub first: i64,
    /// What each number becomes the next by; a difference has it negated.
    pub step: i64,
    pub trips: u64,
}

/// The numbers of a loop between literals.
pub(super) fn known_numbers(func: &Func, op: OpId, index_width: u32) -> Option<Numbers> {
    let record = func.op(op);
    let Kind::For { counter, cond } = record.kind else { return None };
    let literal = |i: usize| edit::constant_int(func, record.operands[i]);
    let (first, bound, step) = (literal(0)?, literal(1)?, step(func, op)?);
    // Unsigned numbers that stay below the middle of their range are counted as signed ones are.
    let sums = matches!(counter.step_op, StepOp::Add | StepOp::Sub);
    let counted_alike = first >= 0 && bound >= 0 && (sums || cond != ContCond::Ne && step > 0);
    if counter.is_unsigned() && !counted_alike {
        return None;
    }
    let trips = trips(counter.step_op, cond, first, bound, step, index_width)?;
    Some(Numbers { step_op: counter.step_op, first, step, trips })
}

/// The literal that a loop steps by; negative where it is subtracted.
fn step(func: &Func, op: OpId) -> Option<i64> {
    let Kind::For { counter, .. } = func.op(op).kind else { return None };
    let step = edit::constant_int(func, func.op(op).operands[2])?;
    match counter.step_op {
        StepOp::Sub => step.checked_neg(),
        _ => Some(step),
    }
}

fn plan(func: &Func, op: OpId, index_width: u32) -> Option<Plan> {
    let record = func.op(op);
    let Kind::For { counter, cond } = record.kind else { return None };
    let step_op = counter.step_op;
    let wish = record.hints.unroll;
    if wish == Some(Unroll::By(NonZeroU32::MIN)) {
        return None;
    }
    let inside = edit::walk_inside(func, op);
    let allocates = inside.iter().any(|&o| matches!(func.op(o).kind, Kind::Alloc { .. }));
    let fits = |copies: u64| {
        copies <= 1 || (!allocates && copies.saturating_mul(inside.len() as u64) <= MOST_COPIED)
    };
    let known = known_numbers(func, op, index_width);
    if let Some(numbers) = &known {
        let all = match wish {
            Some(Unroll::Fully) => true,
            // Of twice as many the loop would run once.
            Some(Unroll::By(n)) => numbers.trips < 2 * u64::from(n.get()),
            None => numbers.trips <= 1 || shrinks(func, op, &inside, numbers.trips),
        };
        if all {
            return fits(numbers.trips).then(|| Plan::Flat(numbers.all()));
        }
    }
    // What several copies compare with is computed in signed numbers.
    let Some(Unroll::By(copies)) = wish.filter(|_| !counter.is_unsigned()) else { return None };
    let step = step(func, op)?;
    let trips = known.map(|numbers| numbers.trips);
    let towards = match cond {
        ContCond::Lt | ContCond::Le => step > 0,
        ContCond::Gt | ContCond::Ge => step < 0,
        ContCond::Ne => false,
    };
    let copies = match trips {
        Some(_) => copies.get(),
        None if step.unsigned_abs().is_power_of_two() => 1 << copies.get().ilog2(),
        None => return None,
    };
    // The whole step is a number of the index, with room to compare.
    let room = step.unsigned_abs().checked_mul(copies.into())? < 1 << (index_width - 2);
    let counts = matches!(step_op, StepOp::Add | StepOp::Sub);
    (counts && towards && room && copies > 1 && fits(copies.into())).then_some(Plan::By(By {
        copies,
        step,
        trips,
    }))
}

/// How many iterations a loop has between two numbers.
fn trips(
    step_op: StepOp,
    cond: ContCond,
    first: i64,
    bound: i64,
    step: i64,
    index_width: u32,
) -> Option<u64> {
    let span = match cond {
        ContCond::Lt => i128::from(bound) - i128::from(first),
        ContCond::Le => i128::from(bound) - i128::from(first) + 1,
        ContCond::Gt => i128::from(first) - i128::from(bound),
        ContCond::Ge => i128::from(first) - i128::from(bound) + 1,
        ContCond::Ne => 0,
    };
    if !cond.holds(first.cmp(&bound)) {
        return Some(0);
    }
    let towards = match cond {
        ContCond::Lt | ContCond::Le => step > 0,
        _ => step < 0,
    };
    if matches!(step_op, StepOp::Add | StepOp::Sub) && cond != ContCond::Ne {
        let step = u128::from(step.unsigned_abs());
        return towards.then(|| (span as u128).div_ceil(step)).and_then(|n| u64::try_from(n).ok());
    }
    // A number outside of the range ends the loop.
    let (least, most) = (i64::MIN >> (64 - index_width), i64::MAX >> (64 - index_width));
    let mut at = first;
    for done in 1..=MOST_COUNTED {
        match next(step_op, at, step) {
            Some(n) if (least..=most).contains(&n) && cond.holds(n.cmp(&bound)) => at = n,
            _ => return Some(done as u64),
        }
    }
    None
}

/// The number after another one; `None` where it leaves the range. A difference has its step negated.
fn next(step_op: StepOp, at: i64, step: i64) -> Option<i64> {
    let amount = u32::try_from(step).ok();
    match step_op {
        StepOp::Add | StepOp::Sub => at.checked_add(step),
        StepOp::Mul => at.checked_mul(step),
        StepOp::Div => at.checked_div(step),
        StepOp::Shl => at.checked_mul(1i64.checked_shl(amount?)?),
        StepOp::Shr => Some(at.checked_shr(amount?).unwrap_or(if at < 0 { -1 } else { 0 })),
    }
}

impl Numbers {
    fn all(&self) -> Vec<i64> {
        let after = |&at: &i64| next(self.step_op, at, self.step);
        std::iter::successors(Some(self.first), after).take(self.trips as usize).collect()
    }
}

/// Whether the copies are no more ops than the loop: its body, stream and gate, a carry and a branch for each argument, and one op
/// for each value that is brought into it. Copies of accesses take lanes, which are few.
fn shrinks(func: &Func, op: OpId, inside: &[OpId], trips: u64) -> bool {
    let has = |of: fn(&Kind) -> bool| inside.iter().any(|&o| of(&func.op(o).kind));
    if has(|k| k.is_loop() || matches!(k, Kind::Load | Kind::Store | Kind::Fence)) {
        return false;
    }
    let parents = Parents::new(func);
    let body = inside.iter().filter(|&&o| !func.op(o).results.is_empty()).count() as u64;
    let captured: BTreeSet<ValueId> = (inside.iter().flat_map(|&o| func.op(o).operands.clone()))
        .filter(|&v| edit::constant(func, v).is_none() && parents.is_outside(func, v, op))
        .collect();
    let arguments = func.op(op).results.len() as u64;
    trips.saturating_mul(body) <= body + 2 + 2 * arguments + captured.len() as u64
}

/// Puts a copy for each number in the place of a loop.
fn flat(func: &mut Func, op: OpId, numbers: &[i64]) {
    let record = func.op(op).clone();
    let body = func.entry(record.regions[0]).expect("a verified loop has a body");
    let copier = Copier::new(func, op, body);
    let mut carried = record.operands[3..].to_vec();
    let mut all = Vec::new();
    for (k, &number) in numbers.iter().enumerate() {
        let mut cursor = InsertionPoint::new(func, op);
        let index = cursor.constant(number as u64, Type::Index);
        all.append(&mut cursor.made);
        let (ops, yielded) = copier.copy(func, k as u32, index, &carried);
        all.extend(ops);
        carried = yielded;
    }
    let mut changes = Changes::default();
    changes.inline(func, op, &all, &carried);
    changes.apply(func);
}

/// Makes a loop one of several copies, with another one behind it for what is left.
fn unroll(func: &mut Func, op: OpId, by: &By, index_width: u32) {
    let Some(block) = Parents::new(func).block(op) else { return };
    let record = func.op(op).clone();
    let body = func.entry(record.regions[0]).expect("a verified loop has a body");
    let Kind::For { counter, cond } = record.kind else { return };
    let copier = Copier::new(func, op, body);
    let whole = by.step * i64::from(by.copies);
    let mut cursor = InsertionPoint::new(func, op);
    // Strict, so that the end of the range is a bound that nothing passes.
    let (cond, more) = match cond {
        ContCond::Le => (ContCond::Lt, 1),
        ContCond::Ge => (ContCond::Gt, -1),
        strict => (strict, 0),
    };
    let before = by.step * i64::from(by.copies - 1) - more;
    let bound = earlier(&mut cursor, record.operands[1], before, by.step > 0, index_width);
    let amount = if counter.step_op == StepOp::Sub { -whole } else { whole };
    let amount = cursor.constant(amount as u64, Type::Index);
    let steps: Vec<ValueId> =
        (1..by.copies).map(|k| cursor.constant((by.step * i64::from(k)) as u64, Type::Index)).collect();
    cursor.put(block);

    let main =
        func.create_op(Kind::For { counter, cond }, &record.operands, &types(func, &record.operands[3..]));
    func.op_mut(main).hints = unrolled(record.hints);
    func.op_mut(main).span.clone_from(&record.span);
    func.op_mut(main).operands[1..3].copy_from_slice(&[bound, amount]);
    let (inner, index, mut carried) = open(func, main);
    for k in 0..by.copies {
        let number = match k {
            0 => index,
            _ => {
                let step = steps[k as usize - 1];
                scalar_at(func, inner, OpKind::Addi, &[index, step], &record.span)
            }
        };
        let (ops, yielded) = copier.copy(func, k, number, &carried);
        func.blocks[inner.0 as usize].ops.extend(ops);
        carried = yielded;
    }
    func.push_op(inner, Kind::Yield, &carried, &[]);
    let mut new = vec![main];
    let mut results = func.op(main).results.clone();
    if by.trips.is_none_or(|n| n % u64::from(by.copies) != 0) {
        let (ops, values) = rest(func, op, by, &copier, &results);
        new.extend(ops);
        results = values;
    }
    let mut changes = Changes::default();
    changes.inline(func, op, &new, &results);
    changes.apply(func);
}

/// The bound from which on there is no room for all copies: `total` before the loop's own, or the end of the range.
fn earlier(
    cursor: &mut InsertionPoint,
    bound: ValueId,
    total: i64,
    rises: bool,
    index_width: u32,
) -> ValueId {
    let (least, most) = (i64::MIN >> (64 - index_width), i64::MAX >> (64 - index_width));
    let (kind, limit) = if rises { (OpKind::Maxsi, least + total) } else { (OpKind::Minsi, most + total) };
    let limit = cursor.constant(limit as u64, Type::Index);
    let total = cursor.constant(total as u64, Type::Index);
    let bound = cursor.scalar(Op::Plain(kind), &[bound, limit], Type::Index);
    cursor.scalar(Op::Plain(OpKind::Subi), &[bound, total], Type::Index)
}

/// What does the iterations that are left: its operations, and what they hand on.
fn rest(func: &mut Func, op: OpId, by: &By, copier: &Copier, inits: &[ValueId]) -> (Vec<OpId>, Vec<ValueId>) {
    let record = func.op(op).clone();
    let Kind::For { cond, .. } = record.kind else { unreachable!("only counting loops are unrolled") };
    let copies = u64::from(by.copies);
    let lower = edit::constant_int(func, record.operands[0]);
    let mut cursor = InsertionPoint::new(func, op);
    let number = |cursor: &mut InsertionPoint, n: i64| cursor.constant(n as u64, Type::Index);
    let (start, count) = match (by.trips, lower) {
        (Some(trips), Some(lower)) => {
            let left = (trips % copies) as i64;
            let start = number(&mut cursor, lower + (trips as i64 - left) * by.step);
            if left == 1 {
                let mut made = cursor.made;
                let (ops, yielded) = copier.copy(func, by.copies, start, inits);
                made.extend(ops);
                return (made, yielded);
            }
            (start, number(&mut cursor, left * by.step.abs()))
        }
        _ => what_is_left(&mut cursor, &record.operands, cond, by),
    };
    let (zero, size) = (number(&mut cursor, 0), number(&mut cursor, by.step.abs()));
    let mut made = cursor.made;
    let mut operands = vec![zero, count, size];
    operands.extend(inits);
    let left = func.create_op(Kind::COUNT_UP, &operands, &types(func, inits));
    func.op_mut(left).hints = unrolled(record.hints);
    func.op_mut(left).span.clone_from(&record.span);
    let (inner, index, carried) = open(func, left);
    let towards = if by.step > 0 { OpKind::Addi } else { OpKind::Subi };
    let number = scalar_at(func, inner, towards, &[start, index], &record.span);
    let (ops, yielded) = copier.copy(func, by.copies, number, &carried);
    func.blocks[inner.0 as usize].ops.extend(ops);
    func.push_op(inner, Kind::Yield, &yielded, &[]);
    made.push(left);
    (made, func.op(left).results.clone())
}

/// The number with which the iterations that are left begin, and how far they go. The number of iterations is computed modulo
/// the range of the index, in which their quotient and remainder by a power of two are right.
fn what_is_left(
    cursor: &mut InsertionPoint,
    operands: &[ValueId],
    cond: ContCond,
    by: &By,
) -> (ValueId, ValueId) {
    let (lower, upper, rises) = (operands[0], operands[1], by.step > 0);
    let [one, zero, log, low, high] =
        [1, 0, by.step.abs().ilog2().into(), i64::from(by.copies) - 1, -i64::from(by.copies)]
            .map(|n: i64| cursor.constant(n as u64, Type::Index));
    let mut op2 = |kind, a, b| cursor.scalar(Op::Plain(kind), &[a, b], Type::Index);
    let far = if rises { op2(OpKind::Subi, upper, lower) } else { op2(OpKind::Subi, lower, upper) };
    let strict = matches!(cond, ContCond::Lt | ContCond::Gt);
    let trips = match (strict, by.step.abs()) {
        (true, 1) => far,
        (false, 1) => op2(OpKind::Addi, far, one),
        _ => {
            let last = if strict { op2(OpKind::Subi, far, one) } else { far };
            let steps = op2(OpKind::Shrui, last, log);
            op2(OpKind::Addi, steps, one)
        }
    };
    let [left, done] = [low, high].map(|mask| {
        let iterations = op2(OpKind::Andi, trips, mask);
        op2(OpKind::Shli, iterations, log)
    });
    let start = op2(if rises { OpKind::Addi } else { OpKind::Subi }, lower, done);
    let predicate = match cond {
        ContCond::Lt => Predicate::Slt,
        ContCond::Le => Predicate::Sle,
        ContCond::Gt => Predicate::Sgt,
        ContCond::Ge => Predicate::Sge,
        ContCond::Ne => Predicate::Ne,
    };
    let runs = cursor.scalar(Op::Cmpi(predicate), &[lower, upper], Type::I1);
    (start, cursor.scalar(Op::Plain(OpKind::Select), &[runs, left, zero], Type::Index))
}

/// The hints of a loop that was unrolled: not once more, and the estimate was of another loop.
fn unrolled(hints: Hints) -> Hints {
    Hints { unroll: Some(Unroll::By(NonZeroU32::MIN)), trips: None, ..hints }
}

fn types(func: &Func, values: &[ValueId]) -> Vec<ValueType> {
    values.iter().map(|&v| func.ty(v).clone()).collect()
}

/// An empty body for a loop: its block, number and iteration arguments.
fn open(func: &mut Func, op: OpId) -> (BlockId, ValueId, Vec<ValueId>) {
    let region = func.add_region();
    func.op_mut(op).regions = vec![region];
    let block = func.add_block(region);
    let index = func.add_argument(block, "", ValueType::Scalar(Type::Index));
    let types = types(func, &func.op(op).results.clone());
    let carried = types.into_iter().map(|ty| func.add_argument(block, "", ty)).collect();
    (block, index, carried)
}

fn scalar_at(
    func: &mut Func,
    block: BlockId,
    kind: OpKind,
    operands: &[ValueId],
    span: &Option<std::ops::Range<usize>>,
) -> ValueId {
    let op = func.push_op(block, Kind::Scalar(Op::Plain(kind)), operands, &[ValueType::Scalar(Type::Index)]);
    func.op_mut(op).span.clone_from(span);
    func.result(op, 0)
}

/// Copies the body of a loop; the first copy is the body itself.
struct Copier {
    of: OpId,
    independent: bool,
    arguments: Vec<ValueId>,
    ops: Vec<OpId>,
    yielded: Vec<ValueId>,
}

impl Copier {
    fn new(func: &Func, of: OpId, body: BlockId) -> Copier {
        let block = func.block(body);
        let (&end, ops) = block.ops.split_last().expect("a verified block has a terminator");
        Copier {
            of,
            independent: func.op(of).hints.independent,
            arguments: block.arguments.clone(),
            ops: ops.to_vec(),
            yielded: func.op(end).operands.clone(),
        }
    }

    /// One iteration: its operations, and what it hands on.
    fn copy(
        &self,
        func: &mut Func,
        number: u32,
        index: ValueId,
        carried: &[ValueId],
    ) -> (Vec<OpId>, Vec<ValueId>) {
        let given = std::iter::once(index).chain(carried.iter().copied());
        let mut now: BTreeMap<ValueId, ValueId> = self.arguments.iter().copied().zip(given).collect();
        let ops = self.copy_ops(func, &self.ops, number, &mut now);
        (ops, self.yielded.iter().map(|v| *now.get(v).unwrap_or(v)).collect())
    }

    fn copy_ops(
        &self,
        func: &mut Func,
        ops: &[OpId],
        number: u32,
        now: &mut BTreeMap<ValueId, ValueId>,
    ) -> Vec<OpId> {
        let mut made = Vec::new();
        for &old in ops {
            let record = func.op(old).clone();
            let operands: Vec<ValueId> = record.operands.iter().map(|v| *now.get(v).unwrap_or(v)).collect();
            let op = func.create_op(record.kind, &operands, &types(func, &record.results));
            let new = func.op_mut(op);
            (new.nsw, new.hints, new.span, new.copies) =
                (record.nsw, record.hints, record.span, record.copies);
            new.copies.push(Copied { of: self.of, number, independent: self.independent });
            for (k, &old) in record.results.iter().enumerate() {
                let value = func.result(op, k);
                func.values[value.0 as usize].name = func.value(old).name.clone();
                now.insert(old, value);
            }
            for region in record.regions {
                let new = func.add_region();
                for block in func.region(region).blocks.clone() {
                    let inner = func.add_block(new);
                    for old in func.block(block).arguments.clone() {
                        let value =
                            func.add_argument(inner, func.value(old).name.clone(), func.ty(old).clone());
                        now.insert(old, value);
                    }
                    let ops = func.block(block).ops.clone();
                    let ops = self.copy_ops(func, &ops, number, now);
                    func.blocks[inner.0 as usize].ops = ops;
                }
                func.op_mut(op).regions.push(new);
            }
            made.push(op);
        }
        made
    }
}
