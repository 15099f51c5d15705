//! A loop that goes from both ends to the middle counts to the middle.
//!
//! `while (i < j) { ...; i++; j--; }` compares two numbers that it moves. From `i0` and `j0` on it has a turn for each two between them, so that
//! `i < i0 + ceil((j0 - i0) / 2)` asks the same, of a bound from outside ([`super::counted`]); `j` is known from the count then
//! ([`super::induction`]). Taken are signed comparisons of numbers that move by one without overflow, whose distance at the beginning
//! fits their width ([`super::intervals`]).

use super::intervals::{Known, NumberInterval};
use super::motion::{motion, MotionStep};
use crate::edit::{self, InsertionPoint, Parents};
use crate::ir::{Func, Kind, OpId, ValueId};
use loom_dfg::{Op, OpKind, Predicate, StepOp};

/// Gives such loops their bounds.
pub fn run(func: &mut Func, index_width: u32) {
    let parents = Parents::new(func);
    let ops = edit::walk(func).into_iter();
    let found: Vec<TwoEnds> = ops.filter_map(|op| TwoEnds::new(func, &parents, op)).collect();
    if found.is_empty() {
        return;
    }
    let known = Known::new(func, index_width);
    for ends in found {
        ends.count(func, &parents, &known, index_width);
    }
}

struct TwoEnds {
    of: OpId,
    test: OpId,
    /// Which numbers of the loop are the lower and the upper end.
    lower: usize,
    upper: usize,
    /// Whether there is a turn in which both are the same.
    meets: bool,
}

impl TwoEnds {
    fn new(func: &Func, parents: &Parents, of: OpId) -> Option<TwoEnds> {
        if func.op(of).kind != Kind::While {
            return None;
        }
        let before = func.entry(func.op(of).regions[0])?;
        let &[test, ask] = &func.block(before).ops[..] else { return None };
        let Kind::Scalar(Op::Cmpi(predicate)) = func.op(test).kind else { return None };
        let place = |v: ValueId| func.block(before).arguments.iter().position(|&a| a == v);
        let (left, right) = (place(func.op(test).operands[0])?, place(func.op(test).operands[1])?);
        let (lower, upper, meets) = match predicate {
            Predicate::Slt => (left, right, false),
            Predicate::Sle => (left, right, true),
            Predicate::Sgt => (right, left, false),
            Predicate::Sge => (right, left, true),
            _ => return None,
        };
        let moves = |at: usize, by: i64| {
            let motion = motion(func, parents, of, at, None);
            motion.is_some_and(|m| m.step_op == StepOp::Add && m.step == MotionStep::By(by) && m.nsw)
        };
        let asks = func.op(ask).operands.first() == func.op(test).results.first();
        (asks && moves(lower, 1) && moves(upper, -1)).then_some(TwoEnds { of, test, lower, upper, meets })
    }

    fn count(&self, func: &mut Func, parents: &Parents, known: &Known, index_width: u32) {
        let [from, to] = [self.lower, self.upper].map(|k| func.op(self.of).operands[k]);
        let (Some(ty), Some(around)) = (func.ty(from).scalar(), parents.block(self.of)) else { return };
        let width = ty.width(index_width);
        let of = |k: usize| known.operand(self.of, k).unwrap_or(NumberInterval::all(width));
        let distance = of(self.upper).minus(of(self.lower));
        if distance.within(width) != distance {
            return;
        }
        let mut at = InsertionPoint::new(func, self.of);
        let one = at.constant(1, ty);
        let mut make = |kind: OpKind, a: ValueId, b: ValueId| at.scalar(Op::Plain(kind), &[a, b], ty);
        let distance = make(OpKind::Subi, to, from);
        let half = make(OpKind::Shrsi, distance, one);
        let rest = if self.meets { one } else { make(OpKind::Andi, distance, one) };
        let turns = make(OpKind::Addi, half, rest);
        let middle = make(OpKind::Addi, from, turns);
        at.put(around);
        let counter = func.entry(func.op(self.of).regions[0]).map(|b| func.block(b).arguments[self.lower]);
        let test = func.op_mut(self.test);
        test.kind = Kind::Scalar(Op::Cmpi(Predicate::Slt));
        test.operands = counter.into_iter().chain([middle]).collect();
    }
}
