//! Numbers that a counted loop moves by a constant are known from its count: what they are in an iteration, and what
//! they are at its end.
//!
//! `*out++` in a loop over `i` carries `out` from iteration to iteration, and the loop around it waits for the last one. But
//! the end is `out` as it was and the count of iterations, which the bounds give before the loop begins, and in between it
//! is `out` and `i`: the loop around goes on at once, and subscripts are sums that the analysis of accesses understands.
//! (Scalar evolution: Bachmann, Wang and Zima, "Chains of Recurrences", 1994, for sums alone.)
//!
//! Taken are loops that add a constant to their counter, with a count that at most a difference and a shift give. What is carried
//! may be wider or narrower than index: all of it holds modulo 2^width. A loop's result is given only where another loop is
//! around it: elsewhere nobody waits for it but the end.

use super::intervals::Known;
use crate::edit::{self, InsertionPoint, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueDef, ValueId};
use loom_base::truncate;
use loom_dfg::{ContCond, Counter, Op, OpKind, Signedness, Type};

/// Gives the numbers of all loops, innermost first.
pub fn run(func: &mut Func, index_width: u32) {
    if !is_needed(func, index_width) {
        return;
    }
    let known = Known::new(func, index_width);
    for op in loops(func) {
        Loop::new(func, op, index_width).into_iter().for_each(|of| of.close(func, &known));
    }
}

/// Whether a loop has such numbers.
pub fn is_needed(func: &Func, index_width: u32) -> bool {
    loops(func).into_iter().any(|op| Loop::new(func, op, index_width).is_some())
}

fn loops(func: &Func) -> Vec<OpId> {
    let is_loop = |&op: &OpId| matches!(func.op(op).kind, Kind::For { .. });
    edit::walk(func).into_iter().rev().filter(is_loop).collect()
}

/// A number that each iteration moves.
struct Moved {
    /// Which iteration argument it is.
    at: usize,
    by: i64,
    /// Whether no sum overflows.
    nsw: bool,
    /// Whether it is to be given in the body, and behind the loop.
    inside: bool,
    behind: bool,
}

/// A loop over index by a constant, and what it moves.
struct Loop {
    op: OpId,
    around: BlockId,
    body: BlockId,
    numbers: Signedness,
    cond: ContCond,
    /// What is added to the counter.
    step: i64,
    index_width: u32,
    moved: Vec<Moved>,
}

impl Loop {
    fn new(func: &Func, op: OpId, index_width: u32) -> Option<Loop> {
        let record = func.op(op);
        let Kind::For { counter: Counter { numbers, .. }, cond } = record.kind else { return None };
        let body = func.entry(record.regions[0])?;
        let step = edit::moves_by(func, op)?;
        let is_index = func.ty(record.operands[0]).scalar() == Some(Type::Index);
        let end = func.op(func.terminator(body)?);
        let arguments = &func.block(body).arguments[1..];
        let moves = |k: usize| Sums::new(func, end.operands[k], arguments[k]);
        if step == 0 || !is_index || !(0..record.results.len()).any(|k| moves(k).is_some()) {
            return None;
        }
        let parents = Parents::new(func);
        let is_repeated = |&o: &OpId| func.op(o).kind.is_loop();
        let is_nested = parents.around(op).iter().any(is_repeated);
        let uses = edit::use_counts(func);
        let mut all = Loop {
            op,
            around: parents.block(op)?,
            body,
            numbers,
            cond,
            step,
            index_width,
            moved: Vec::new(),
        };
        let counts = all.can_count(func);
        for at in 0..record.results.len() {
            let Some(Sums { by, nsw, values }) = moves(at) else { continue };
            // One use of each is the next sum, or the yield; with those alone it only counts for what comes behind.
            let is_read = values.iter().any(|v| uses[v.0 as usize] > 1);
            let is_step = by.unsigned_abs() == step.unsigned_abs();
            let is_used = uses[record.results[at].0 as usize] > 0;
            let inside = is_read && is_step && (counts || !is_used);
            let behind = is_used && counts && (is_nested || inside);
            if inside || behind {
                all.moved.push(Moved { at, by, nsw, inside, behind });
            }
        }
        (!all.moved.is_empty()).then_some(all)
    }

    /// From where to where it counts upwards, and whether the end is among the numbers.
    fn range(&self, func: &Func) -> (ValueId, ValueId, bool) {
        let (start, bound) = (func.op(self.op).operands[0], func.op(self.op).operands[1]);
        let is_included = matches!(self.cond, ContCond::Le | ContCond::Ge);
        if self.step > 0 {
            (start, bound, is_included)
        } else {
            (bound, start, is_included)
        }
    }

    fn literal(&self, func: &Func, value: ValueId) -> Option<i128> {
        edit::constant(func, value).map(|bits| match self.numbers {
            Signedness::Signed => loom_base::sign_extend(bits, self.index_width).into(),
            Signedness::Unsigned => truncate(bits, self.index_width).into(),
        })
    }

    /// Whether the count of iterations is a difference and a shift.
    fn can_count(&self, func: &Func) -> bool {
        let (low, _, is_included) = self.range(func);
        let towards = match self.cond {
            ContCond::Lt | ContCond::Le => self.step > 0,
            ContCond::Gt | ContCond::Ge => self.step < 0,
            ContCond::Ne => return self.step.unsigned_abs() == 1,
        };
        if towards && self.literal_count(func).is_some() {
            return true;
        }
        let low = self.literal(func, low);
        let least = match self.numbers {
            Signedness::Signed => -(1i128 << (self.index_width - 1)),
            Signedness::Unsigned => 0,
        };
        // The number below the lowest must be one, and a sum that rounds up may not leave the width.
        let has_below = !is_included || low.is_some_and(|n| n > least);
        let rounds = match self.step.unsigned_abs() {
            1 => true,
            n => {
                n.is_power_of_two()
                    && self.numbers == Signedness::Signed
                    && low.is_some_and(|low| low > 0 || (low == 0 && !is_included))
            }
        };
        towards && has_below && rounds
    }

    /// How often it iterates, as an index.
    fn count(&self, at: &mut InsertionPoint, known: &Known) -> ValueId {
        let (low, high, is_included) = self.range(at.func);
        if let Some(count) = self.literal_count(at.func) {
            return at.constant(count, Type::Index);
        }
        let sum = |at: &mut InsertionPoint, kind, a, b| at.scalar(Op::Plain(kind), &[a, b], Type::Index);
        let low = match self.literal(at.func, low).filter(|_| is_included) {
            Some(n) => {
                at.constant(loom_base::sign_extend((n - 1) as u64, self.index_width) as u64, Type::Index)
            }
            None => low,
        };
        // The highest that the low end may be, and the lowest of the high end.
        let most = self.literal(at.func, low).or(known.of(low).map(|of| of.high));
        let is_ordered = self.numbers == Signedness::Signed
            && known.of(high).zip(most).is_some_and(|(high, most)| high.low >= most);
        let high = match self.numbers {
            _ if self.cond == ContCond::Ne || is_ordered => high,
            Signedness::Signed => sum(at, OpKind::Maxsi, high, low),
            Signedness::Unsigned => sum(at, OpKind::Maxui, high, low),
        };
        let distance = sum(at, OpKind::Subi, high, low);
        let by = self.step.unsigned_abs();
        if by == 1 {
            return distance;
        }
        let [up, shift] = [by - 1, by.trailing_zeros().into()].map(|n| at.constant(n, Type::Index));
        let rounded = sum(at, OpKind::Addi, distance, up);
        sum(at, OpKind::Shrui, rounded, shift)
    }

    fn literal_count(&self, func: &Func) -> Option<u64> {
        let (low, high, is_included) = self.range(func);
        let [low, high] = [low, high].map(|v| self.literal(func, v));
        let (low, high) = (low?, high?);
        if self.cond == ContCond::Ne {
            return Some(truncate(high.wrapping_sub(low) as u64, self.index_width));
        }
        let distance = (high - low + i128::from(is_included)).max(0) as u128;
        u64::try_from(distance.div_ceil(self.step.unsigned_abs().into())).ok()
    }

    /// Gives the numbers.
    fn close(&self, func: &mut Func, known: &Known) {
        let mut before = InsertionPoint::new(func, self.op);
        let mut count = None;
        let mut given = Vec::new();
        for moved in &self.moved {
            let start = before.func.op(self.op).operands[3 + moved.at];
            let ty = before.func.ty(start).scalar().expect("it is a sum");
            if moved.behind {
                let count = *count.get_or_insert_with(|| self.count(&mut before, known));
                let end = self.end(&mut before, moved, start, count, ty);
                let result = before.func.op(self.op).results[moved.at];
                edit::replace_uses(before.func, result, end);
            }
            if moved.inside {
                given.push((moved, ty, self.zero(&mut before, moved, start, ty)));
            }
        }
        before.put(self.around);
        let Some(&first) = func.block(self.body).ops.first() else { return };
        let counter = func.block(self.body).arguments[0];
        let mut inside = InsertionPoint::new(func, first);
        for (moved, ty, zero) in given {
            let counter = self.cast(&mut inside, counter, ty);
            let kind = if self.is_along(moved) { OpKind::Addi } else { OpKind::Subi };
            let nsw = moved.nsw && self.starts_at_zero(inside.func);
            let now = self.sum(&mut inside, kind, zero, counter, ty, nsw);
            let argument = inside.func.block(self.body).arguments[1 + moved.at];
            edit::replace_uses(inside.func, argument, now);
        }
        inside.put(self.body);
    }

    fn starts_at_zero(&self, func: &Func) -> bool {
        edit::constant(func, func.op(self.op).operands[0]) == Some(0)
    }

    fn is_along(&self, moved: &Moved) -> bool {
        (moved.by > 0) == (self.step > 0)
    }

    /// What the number would be where the counter is 0.
    fn zero(&self, at: &mut InsertionPoint, moved: &Moved, start: ValueId, ty: Type) -> ValueId {
        let first = at.func.op(self.op).operands[0];
        if self.starts_at_zero(at.func) {
            return start;
        }
        let first = self.cast(at, first, ty);
        let kind = if self.is_along(moved) { OpKind::Subi } else { OpKind::Addi };
        self.sum(at, kind, start, first, ty, false)
    }

    /// What the number is behind the loop.
    fn end(
        &self,
        at: &mut InsertionPoint,
        moved: &Moved,
        start: ValueId,
        count: ValueId,
        ty: Type,
    ) -> ValueId {
        // A count is not negative, however large.
        let count = match ty {
            _ if edit::constant(at.func, count).is_some() => count,
            Type::Index => count,
            _ if ty.width(self.index_width) > self.index_width => {
                at.scalar(Op::Plain(OpKind::IndexCastui), &[count], ty)
            }
            _ => at.scalar(Op::Plain(OpKind::IndexCast), &[count], ty),
        };
        let (kind, times) = if moved.by < 0 { (OpKind::Subi, -moved.by) } else { (OpKind::Addi, moved.by) };
        let product = edit::constant(at.func, count).map(|n| n.wrapping_mul(times as u64));
        let far = if let Some(far) = product {
            at.constant(truncate(far, ty.width(64)), ty)
        } else if times == 1 {
            count
        } else {
            let times = at.constant(truncate(times as u64, ty.width(64)), ty);
            at.scalar(Op::Plain(OpKind::Muli), &[count, times], ty)
        };
        self.sum(at, kind, start, far, ty, moved.nsw)
    }

    /// The counter, or where it starts, in a type.
    fn cast(&self, at: &mut InsertionPoint, value: ValueId, ty: Type) -> ValueId {
        let kind = match self.numbers {
            _ if ty == Type::Index => return value,
            Signedness::Signed => OpKind::IndexCast,
            Signedness::Unsigned => OpKind::IndexCastui,
        };
        at.scalar(Op::Plain(kind), &[value], ty)
    }

    fn sum(
        &self,
        at: &mut InsertionPoint,
        kind: OpKind,
        a: ValueId,
        b: ValueId,
        ty: Type,
        nsw: bool,
    ) -> ValueId {
        let value = at.scalar(Op::Plain(kind), &[a, b], ty);
        if let (true, ValueDef::Result { op, .. }) = (nsw, at.func.value(value).def) {
            at.func.op_mut(op).nsw = true;
        }
        value
    }
}

/// The sums with constants that make the next number of one.
struct Sums {
    /// What they add.
    by: i64,
    /// Whether none of them overflows.
    nsw: bool,
    /// All of them, the next number first and the number itself last.
    values: Vec<ValueId>,
}

impl Sums {
    fn new(func: &Func, next: ValueId, of: ValueId) -> Option<Sums> {
        func.ty(of).scalar().filter(|ty| ty.is_integral())?;
        let mut sums = Sums { by: 0, nsw: true, values: vec![next] };
        let mut at = next;
        while at != of {
            let ValueDef::Result { op, .. } = func.value(at).def else { return None };
            let op = func.op(op);
            let Kind::Scalar(Op::Plain(kind)) = op.kind else { return None };
            let literal = |k: usize| op.operands.get(k).and_then(|&v| edit::constant_int(func, v));
            let (from, amount) = match (kind, literal(0), literal(1)) {
                (OpKind::Addi, None, Some(amount)) => (op.operands[0], amount),
                (OpKind::Addi, Some(amount), None) => (op.operands[1], amount),
                (OpKind::Subi, None, Some(amount)) => (op.operands[0], amount.checked_neg()?),
                _ => return None,
            };
            at = from;
            sums.by = sums.by.checked_add(amount)?;
            sums.nsw &= op.nsw;
            sums.values.push(at);
        }
        (sums.by != 0 && sums.by != i64::MIN).then_some(sums)
    }
}
