//! What a branch that is taken, or a turn that is begun, says of the numbers its condition is made of.
//!
//! Going back from the condition: a comparison that came out some way leaves fewer numbers for what it compares, a choice that gave a number
//! which one of its sides never gives took the other side, and a sum that does not overflow says of its terms what is said of it. So an early exit's
//! selector, which is a choice of literals, leads to the comparisons before it.
//!
//! Guarantees: a number that a value has where the condition has come out so is never left out.

use super::{Intervals, NumberInterval};
use crate::ir::{Kind, OpId, Operation, ValueDef, ValueId};
use crate::normalize::truth::yields;
use crate::predicate::{opposite, swapped};
use loom_dfg::{Op, OpKind, Predicate};

/// Values that are gone back through.
const DEPTH: usize = 16;

impl NumberInterval {
    /// What an `i1` is as a signed number.
    fn bit(is_true: bool) -> NumberInterval {
        let n = -i128::from(is_true);
        NumberInterval::new(n, n)
    }

    pub(super) fn and(self, other: NumberInterval) -> Option<NumberInterval> {
        let both = NumberInterval::new(self.low.max(other.low), self.high.min(other.high));
        (both.low <= both.high).then_some(both)
    }

    /// Without one number, where that is at an end.
    fn without(self, n: i128) -> NumberInterval {
        match (self.low == n, self.high == n) {
            (true, false) => NumberInterval::new(n + 1, self.high),
            (false, true) => NumberInterval::new(self.low, n - 1),
            _ => self,
        }
    }

    /// What is left of a number that is compared with another one, where the predicate holds.
    fn held(self, predicate: Predicate, other: NumberInterval) -> NumberInterval {
        let natural = |low: i128, high: i128| NumberInterval::new(low.max(0), high);
        match predicate {
            Predicate::Eq => other,
            Predicate::Ne if other.low == other.high => self.without(other.low),
            Predicate::Slt => NumberInterval::new(self.low, other.high - 1),
            Predicate::Sle => NumberInterval::new(self.low, other.high),
            Predicate::Sgt => NumberInterval::new(other.low + 1, self.high),
            Predicate::Sge => NumberInterval::new(other.low, self.high),
            // Below a number without its highest bit neither has it.
            Predicate::Ult if other.is_not_negative() => natural(0, other.high - 1),
            Predicate::Ule if other.is_not_negative() => natural(0, other.high),
            Predicate::Ugt if other.is_not_negative() && self.is_not_negative() => {
                natural(other.low + 1, self.high)
            }
            Predicate::Uge if other.is_not_negative() && self.is_not_negative() => {
                natural(other.low, self.high)
            }
            _ => self,
        }
    }
}

impl Intervals<'_> {
    /// Does something where a condition has come out some way.
    pub(super) fn assuming<T>(
        &mut self,
        condition: ValueId,
        is_true: bool,
        then: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let mut before = Vec::new();
        self.learn(condition, NumberInterval::bit(is_true), DEPTH, &mut before);
        let made = then(self);
        // What was known first is known again.
        for (value, interval) in before.into_iter().rev() {
            self.known.of[value.0 as usize] = interval;
        }
        made
    }

    /// A value lies in an interval: notes it, with what that says of others. `before` gets what they were.
    fn learn(
        &mut self,
        value: ValueId,
        interval: NumberInterval,
        depth: usize,
        before: &mut Vec<(ValueId, Option<NumberInterval>)>,
    ) {
        let now = self.get(value);
        // Nothing is said of what never happens.
        let Some(interval) = now.and(interval).filter(|_| depth > 0) else { return };
        if interval != now {
            before.push((value, self.known.of(value)));
            self.known.of[value.0 as usize] = Some(interval);
        }
        let func = self.func;
        let ValueDef::Result { op, index } = func.value(value).def else { return };
        let record = func.op(op);
        if let Kind::Scalar(scalar) = record.kind {
            self.learn_of_scalar(scalar, record, interval, depth - 1, before);
        }
        if let Some([one, other]) = self.sides(op, index) {
            let gives = |side: ValueId| self.get(side).and(interval).is_some();
            let taken = match (gives(one), gives(other)) {
                (true, false) => Some((true, one)),
                (false, true) => Some((false, other)),
                _ => None,
            };
            if let Some((is_true, side)) = taken {
                self.learn(record.operands[0], NumberInterval::bit(is_true), depth - 1, before);
                self.learn(side, interval, depth - 1, before);
            }
        }
    }

    fn learn_of_scalar(
        &mut self,
        scalar: Op,
        op: &Operation,
        interval: NumberInterval,
        depth: usize,
        before: &mut Vec<(ValueId, Option<NumberInterval>)>,
    ) {
        let bit = |is_true| interval == NumberInterval::bit(is_true);
        let is_bit = self.width(op.results[0]) == 1;
        let is_integer = |&v: &ValueId| self.func.ty(v).scalar().is_some_and(|t| t.is_integral());
        if !op.operands.iter().all(is_integer) {
            return;
        }
        match (scalar, &op.operands[..]) {
            (Op::Cmpi(predicate), &[a, b]) if bit(true) || bit(false) => {
                let holds = if bit(true) { predicate } else { opposite(predicate) };
                let (of_a, of_b) = (self.get(a), self.get(b));
                self.learn(a, of_a.held(holds, of_b), depth, before);
                self.learn(b, of_b.held(swapped(holds), of_a), depth, before);
            }
            (Op::Plain(kind @ (OpKind::Andi | OpKind::Ori)), &[a, b])
                if is_bit && bit(kind == OpKind::Andi) =>
            {
                self.learn(a, interval, depth, before);
                self.learn(b, interval, depth, before);
            }
            (Op::Plain(OpKind::Xori), &[a, b]) if is_bit && self.get(b) == NumberInterval::bit(true) => {
                self.learn(a, NumberInterval::new(-1 - interval.high, -1 - interval.low), depth, before);
            }
            (Op::Plain(OpKind::Addi), &[a, b]) => {
                let by = self.get(b);
                let sum = self.get(a).plus(by);
                let does_not_wrap = sum.within(self.width(a)) == sum;
                if by.low == by.high && does_not_wrap {
                    let less = NumberInterval::new(interval.low - by.low, interval.high - by.low);
                    self.learn(a, less, depth, before);
                }
            }
            (Op::Plain(OpKind::Extsi), &[a]) => self.learn(a, interval, depth, before),
            (Op::Plain(OpKind::Extui), &[a]) if self.get(a).is_not_negative() => {
                self.learn(a, interval, depth, before);
            }
            _ => {}
        }
    }

    /// What each side of a choice gives.
    fn sides(&self, op: OpId, result: usize) -> Option<[ValueId; 2]> {
        let record = self.func.op(op);
        match (&record.kind, &record.operands[..]) {
            (Kind::Scalar(Op::Plain(OpKind::Select)), &[_, yes, no]) => Some([yes, no]),
            _ => yields(self.func, op).map(|ends| ends.map(|end| self.func.op(end).operands[result])),
        }
    }
}
