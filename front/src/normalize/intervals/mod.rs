//! Between which numbers each value of a function lies, as a signed number of its width.
//!
//! An interpretation over intervals (Cousot and Cousot 1977): a loop is gone through with what its values may be until nothing is added, as often
//! as it turns where that is known and little, and otherwise a few times; what still grows then may be anything on that side, and one
//! more turn takes back what that said too much. So the sum of nine bytes is at most 2295, and what a remainder leaves stays below the
//! divisor from turn to turn. Inside a branch, a turn and behind a loop holds what its condition says (`assume.rs`). Sums and products that may not fit their width may be anything: nothing relies on overflow that C leaves undefined.

mod assume;

use crate::edit;
use crate::ir::{ArgumentAttributes, Func, Kind, OpId, Operation, RegionId, ValueId};
use loom_base::sign_extend;
use loom_dfg::{ContCond, Counter, Op, OpKind, StepOp};

/// Turns of a loop that are gone through one by one where its count is known.
const COUNTED: u64 = 64;
/// Turns of any other loop before what grows may be anything.
const PATIENCE: u64 = 6;
/// Operations that are gone through in all, as a multiple of those that there are; values of further loops may be anything.
const MOST_TIMES: usize = 1000;

/// Numbers from one to another, both among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberInterval {
    /// The lowest.
    pub low: i128,
    /// The highest.
    pub high: i128,
}

impl NumberInterval {
    /// All of so many bits.
    pub(super) fn all(width: u32) -> NumberInterval {
        NumberInterval { low: -(1 << (width - 1)), high: (1 << (width - 1)) - 1 }
    }

    pub(super) fn new(low: i128, high: i128) -> NumberInterval {
        NumberInterval { low, high }
    }

    fn or(self, other: NumberInterval) -> NumberInterval {
        NumberInterval::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// What a function that only rises or only falls makes of it.
    pub(super) fn each(self, make: impl Fn(i128) -> i128) -> NumberInterval {
        let (a, b) = (make(self.low), make(self.high));
        NumberInterval::new(a.min(b), a.max(b))
    }

    /// The hull of what an operation makes of the ends.
    fn of_ends(self, other: NumberInterval, make: impl Fn(i128, i128) -> i128) -> NumberInterval {
        let ends =
            [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let made = ends.map(|(a, b)| make(a, b));
        NumberInterval::new(made.into_iter().min().expect("four"), made.into_iter().max().expect("four"))
    }

    /// The same where all of it is a number of so many bits.
    pub(super) fn within(self, width: u32) -> NumberInterval {
        let all = NumberInterval::all(width);
        if all.contains(self.low) && all.contains(self.high) {
            self
        } else {
            all
        }
    }

    pub(super) fn contains(self, n: i128) -> bool {
        (self.low..=self.high).contains(&n)
    }

    /// The sums of a number of each.
    pub(super) fn plus(self, other: NumberInterval) -> NumberInterval {
        self.of_ends(other, |a, b| a + b)
    }

    /// The differences of a number of each.
    pub(super) fn minus(self, other: NumberInterval) -> NumberInterval {
        self.of_ends(other, |a, b| a - b)
    }

    /// As numbers without sign.
    pub(super) fn natural(self, width: u32) -> NumberInterval {
        match (self.low >= 0, self.high >= 0) {
            (true, _) => self,
            (false, true) => NumberInterval::new(0, (1 << width) - 1),
            (false, false) => self.each(|n| n + (1 << width)),
        }
    }

    /// Whether no number in it is negative.
    pub fn is_not_negative(self) -> bool {
        self.low >= 0
    }

    /// How far from zero it goes.
    pub fn furthest(self) -> u128 {
        self.low.unsigned_abs().max(self.high.unsigned_abs())
    }
}

/// What is gone through.
struct Intervals<'f> {
    func: &'f Func,
    index_width: u32,
    known: Known,
    /// Operations that may still be gone through.
    left: usize,
}

/// What is known of a function's numbers. It stays true of what a pass leaves as it is; of what the pass makes nothing is known.
pub struct Known {
    /// By value.
    of: Vec<Option<NumberInterval>>,
    /// By operation of the op table and loop: the operands there.
    operands: Vec<Vec<NumberInterval>>,
}

impl Known {
    /// Goes through a function.
    pub fn new(func: &Func, index_width: u32) -> Known {
        let left = MOST_TIMES * edit::walk(func).len();
        let known = Known { of: vec![None; func.values.len()], operands: vec![Vec::new(); func.ops.len()] };
        let mut all = Intervals { func, index_width, known, left };
        if let Some(body) = func.body {
            let promised = all.promised();
            all.region(body, &promised);
        }
        all.known
    }

    /// A value, wherever it is used.
    pub fn of(&self, value: ValueId) -> Option<NumberInterval> {
        self.of.get(value.0 as usize).copied().flatten()
    }

    /// An operand of an operation of the op table or of a loop, as the branches and turns around that leave it.
    pub fn operand(&self, op: OpId, k: usize) -> Option<NumberInterval> {
        self.operands.get(op.0 as usize)?.get(k).copied()
    }
}

impl Intervals<'_> {
    fn width(&self, value: ValueId) -> u32 {
        self.func.ty(value).scalar().map_or(64, |ty| ty.width(self.index_width)).max(1)
    }

    fn get(&self, value: ValueId) -> NumberInterval {
        let all = || NumberInterval::all(self.width(value));
        self.known.of(value).unwrap_or_else(all)
    }

    /// The function's arguments.
    fn promised(&self) -> Vec<NumberInterval> {
        let arguments = self.func.arguments().iter().zip(&self.func.argument_attributes);
        let of = |(&value, attributes): (&ValueId, &ArgumentAttributes)| {
            let all = NumberInterval::all(self.width(value));
            let range = attributes.range.map(|(low, high)| NumberInterval::new(low.into(), high.into()));
            range.and_then(|range| range.and(all)).unwrap_or(all)
        };
        arguments.map(of).collect()
    }

    fn get_all(&self, values: &[ValueId]) -> Vec<NumberInterval> {
        values.iter().map(|&v| self.get(v)).collect()
    }

    fn set_all(&mut self, values: &[ValueId], to: &[NumberInterval]) {
        for (value, &interval) in values.iter().zip(to) {
            self.known.of[value.0 as usize] = Some(interval);
        }
    }

    /// Goes through a region of one block; the operands of what ends it.
    fn region(&mut self, region: RegionId, arguments: &[NumberInterval]) -> Vec<NumberInterval> {
        let func = self.func;
        let [block] = func.region(region).blocks[..] else { return Vec::new() };
        self.set_all(&func.block(block).arguments, arguments);
        let ops = &func.block(block).ops;
        self.left = self.left.saturating_sub(ops.len());
        ops.iter().for_each(|&op| self.op(op));
        func.terminator(block).map_or(Vec::new(), |end| self.get_all(&func.op(end).operands))
    }

    fn op(&mut self, id: OpId) {
        let func = self.func;
        let op = func.op(id);
        if matches!(op.kind, Kind::Scalar(_) | Kind::While) {
            let mut seen = std::mem::take(&mut self.known.operands[id.0 as usize]);
            seen.clear();
            seen.extend(op.operands.iter().map(|&v| self.get(v)));
            self.known.operands[id.0 as usize] = seen;
        }
        let results = match &op.kind {
            Kind::Constant(_) => self.constant(op),
            Kind::Scalar(scalar) => vec![self.scalar(*scalar, op)],
            Kind::If | Kind::IndexSwitch { .. } => self.either(op),
            Kind::For { .. } => self.counted(op),
            Kind::While => self.repeated(op),
            _ => return,
        };
        self.set_all(&op.results, &results);
    }

    fn constant(&self, op: &Operation) -> Vec<NumberInterval> {
        let value = op.results[0];
        let bits = edit::constant(self.func, value).unwrap_or(0);
        let n = i128::from(sign_extend(bits, self.width(value)));
        vec![NumberInterval::new(n, n)]
    }

    /// What any of the regions gives.
    fn either(&mut self, op: &Operation) -> Vec<NumberInterval> {
        let side = |(at, &region): (usize, &RegionId)| match op.kind {
            Kind::If => self.assuming(op.operands[0], at == 0, |all| all.region(region, &[])),
            _ => self.region(region, &[]),
        };
        let given: Vec<Vec<NumberInterval>> = op.regions.iter().enumerate().map(side).collect();
        let join = |k: usize| {
            let of = |g: &Vec<NumberInterval>| {
                g.get(k).copied().unwrap_or(NumberInterval::all(self.width(op.results[k])))
            };
            given.iter().map(of).reduce(NumberInterval::or).expect("a region")
        };
        (0..op.results.len()).map(join).collect()
    }

    fn counted(&mut self, op: &Operation) -> Vec<NumberInterval> {
        let counter = self.counter(op);
        // A loop that counts from one literal to another by a third.
        let is_literal = |k: usize| edit::constant_int(self.func, op.operands[k]).is_some();
        let turns = counter.filter(|_| (0..3).all(is_literal)).map(|c| {
            let by = self.get(op.operands[2]).furthest().max(1);
            u64::try_from((c.high - c.low).unsigned_abs() / by + 1).unwrap_or(u64::MAX)
        });
        let counter = counter.unwrap_or(NumberInterval::all(self.width(op.operands[0])));
        let first = self.get_all(&op.operands[3..]);
        let body = op.regions[0];
        self.loop_values(first, turns, &op.results, &mut |all, values| {
            let arguments: Vec<NumberInterval> =
                std::iter::once(counter).chain(values.iter().copied()).collect();
            all.region(body, &arguments)
        })
    }

    /// The numbers that a loop counts through, where it does so in a known direction: for each turn one of them.
    fn counter(&self, op: &Operation) -> Option<NumberInterval> {
        let Kind::For { counter, cond } = op.kind else { return None };
        if counter != Counter::signed(StepOp::Add) {
            return None;
        }
        let [from, to, by] = [0, 1, 2].map(|k| self.get(op.operands[k]));
        // One that is no literal leads to the bound, or the loop would not end.
        let is_open = edit::constant_int(self.func, op.operands[2]).is_none();
        let beyond = i128::from(matches!(cond, ContCond::Lt | ContCond::Gt));
        match cond {
            ContCond::Lt | ContCond::Le if by.low > 0 || is_open => {
                Some(NumberInterval::new(from.low, (to.high - beyond).max(from.low)))
            }
            ContCond::Gt | ContCond::Ge if by.high < 0 || is_open => {
                Some(NumberInterval::new((to.low + beyond).min(from.high), from.high))
            }
            _ => None,
        }
    }

    fn repeated(&mut self, op: &Operation) -> Vec<NumberInterval> {
        let first = self.get_all(&op.operands);
        let arguments =
            self.func.entry(op.regions[0]).map_or(Vec::new(), |b| self.func.block(b).arguments.clone());
        let asks = self.func.entry(op.regions[0]).and_then(|block| self.func.terminator(block));
        let asks = asks.map_or(&[][..], |end| &self.func.op(end).operands[..]);
        let Some((&condition, passed)) = asks.split_first() else { return Vec::new() };
        let mut leaving = Vec::new();
        self.loop_values(first, None, &arguments, &mut |all, values| {
            all.region(op.regions[0], values);
            leaving = all.assuming(condition, false, |all| all.get_all(passed));
            all.assuming(condition, true, |all| {
                let goes_on = all.get_all(passed);
                all.region(op.regions[1], &goes_on)
            })
        });
        leaving
    }

    /// What the values that a loop carries may be at the beginning of a turn, and after the last. `turn` makes the next ones.
    fn loop_values(
        &mut self,
        first: Vec<NumberInterval>,
        turns: Option<u64>,
        values: &[ValueId],
        turn: &mut dyn FnMut(&mut Self, &[NumberInterval]) -> Vec<NumberInterval>,
    ) -> Vec<NumberInterval> {
        let turns = turns.filter(|&n| n <= COUNTED);
        let anything: Vec<NumberInterval> =
            values.iter().map(|&v| NumberInterval::all(self.width(v))).collect();
        let or = |a: &[NumberInterval], b: &[NumberInterval]| -> Vec<NumberInterval> {
            a.iter().zip(b).map(|(a, &b)| a.or(b)).collect()
        };
        let mut now = first.clone();
        for k in 1.. {
            let made = turn(self, &now);
            if made.len() != now.len() || self.left == 0 {
                now = anything;
                break;
            }
            let next = or(&now, &made);
            if next == now || turns.is_some_and(|n| k >= n) {
                // After turns that are counted nothing is said too much; without them the last one may have been.
                if turns.is_none() && k > PATIENCE {
                    now = or(&first, &made);
                    break;
                }
                return next;
            }
            now = match turns {
                None if k >= PATIENCE => {
                    let grown = now.iter().zip(&next).zip(&anything);
                    let side = |grows: bool, all: i128, next: i128| if grows { all } else { next };
                    let widened = grown.map(|((now, next), all)| NumberInterval {
                        low: side(next.low < now.low, all.low, next.low),
                        high: side(next.high > now.high, all.high, next.high),
                    });
                    widened.collect()
                }
                _ => next,
            };
        }
        turn(self, &now);
        now
    }

    fn scalar(&self, scalar: Op, op: &Operation) -> NumberInterval {
        let width = self.width(op.results[0]);
        let all = NumberInterval::all(width);
        let is_integer = |&v: &ValueId| self.func.ty(v).scalar().is_some_and(|t| t.is_integral());
        if !op.operands.iter().chain(&op.results).all(is_integer) {
            return all;
        }
        let of = |k: usize| self.get(op.operands[k]);
        let of_width = |k: usize| self.width(op.operands[k]);
        let is_natural = |k: usize| of(k).is_not_negative();
        // The second operand where it is one number: above zero, and as the width of a shift.
        let literal = || Some(of(1)).filter(|i| i.low == i.high).map(|i| i.low);
        let above_zero = || literal().filter(|&n| n > 0);
        let shift = || literal().filter(|k| (0..i128::from(width)).contains(k));
        // As a number without sign.
        let unsigned = |k: usize| of(k).natural(of_width(k));
        // All bits below the highest of a number.
        let filled = |n: i128| if n == 0 { 0 } else { i128::MAX >> (n.leading_zeros() - 1) };
        let made = match scalar.kind() {
            OpKind::Extsi | OpKind::IndexCast | OpKind::Trunci => of(0),
            OpKind::Extui | OpKind::IndexCastui => unsigned(0),
            OpKind::Addi => of(0).plus(of(1)),
            OpKind::Subi => of(0).minus(of(1)),
            OpKind::Muli => of(0).of_ends(of(1), |a, b| a * b),
            OpKind::Shli => shift().map_or(all, |k| of(0).each(|a| a << k)),
            // By more than the width all bits are the sign.
            OpKind::Shrsi => match shift() {
                Some(k) => of(0).each(|a| a >> k),
                None => of(0).or(of(0).each(i128::signum).each(|sign| sign.min(0))),
            },
            OpKind::Shrui => shift().map_or(all, |k| unsigned(0).each(|a| a >> k)),
            OpKind::Divui => above_zero().map_or(all, |n| unsigned(0).each(|a| a / n)),
            OpKind::Divsi => literal().filter(|&n| n != 0).map_or(all, |n| of(0).each(|a| a / n)),
            OpKind::Remui => {
                above_zero().map_or(all, |n| NumberInterval::new(0, unsigned(0).high.min(n - 1)))
            }
            OpKind::Remsi => literal().filter(|&n| n != 0).map_or(all, |n| {
                let most = n.abs() - 1;
                NumberInterval::new(of(0).low.clamp(-most, 0), of(0).high.clamp(0, most))
            }),
            OpKind::Andi if is_natural(0) || is_natural(1) => {
                NumberInterval::new(0, unsigned(0).high.min(unsigned(1).high))
            }
            OpKind::Ori | OpKind::Xori if is_natural(0) && is_natural(1) => {
                NumberInterval::new(0, filled(of(0).high | of(1).high))
            }
            OpKind::Maxsi => of(0).of_ends(of(1), i128::max),
            OpKind::Minsi => of(0).of_ends(of(1), i128::min),
            OpKind::Minui if is_natural(0) || is_natural(1) => unsigned(0).of_ends(unsigned(1), i128::min),
            OpKind::Maxui if is_natural(0) && is_natural(1) => of(0).of_ends(of(1), i128::max),
            OpKind::Select => of(1).or(of(2)),
            _ => all,
        };
        made.within(width)
    }
}
