//! The fewest comparisons that hold for a set of numbers.

use super::truth::{NumberStep, Truths};
use crate::edit::InsertionPoint;
use crate::ir::ValueId;
use crate::number_set::NumberSet;
use loom_base::truncate;
use loom_dfg::{Op, OpKind, Predicate, Type};

/// Ops that ask.
#[derive(Clone, Debug)]
pub enum TestPlan {
    /// Nothing is asked.
    Literal(bool),
    /// A number, so much added, compared with a literal.
    Compare {
        /// Which.
        value: ValueId,
        /// What is added.
        addend: u64,
        /// How.
        predicate: Predicate,
        /// With what.
        literal: u64,
    },
    /// Bit so many of a literal, as many as a number is with so much added.
    Bit {
        /// Which number.
        value: ValueId,
        /// What is added.
        addend: u64,
        /// The literal.
        mask: u64,
    },
    /// Plans that are joined.
    Join(OpKind, Vec<TestPlan>),
}

impl TestPlan {
    /// Ops.
    pub fn cost(&self) -> usize {
        match self {
            TestPlan::Literal(_) => 0,
            TestPlan::Compare { addend, .. } => 1 + usize::from(*addend != 0),
            TestPlan::Bit { addend, .. } => 2 + usize::from(*addend != 0),
            TestPlan::Join(_, plans) => plans.iter().map(TestPlan::cost).sum::<usize>() + plans.len() - 1,
        }
    }

    /// Writes them.
    pub fn write(&self, at: &mut InsertionPoint) -> ValueId {
        match self {
            TestPlan::Literal(holds) => at.constant(u64::from(*holds), Type::I1),
            &TestPlan::Compare { value, addend, predicate, literal } => {
                let (value, ty) = plus(at, value, addend);
                let literal = at.constant(literal, ty);
                at.scalar(Op::Cmpi(predicate), &[value, literal], Type::I1)
            }
            &TestPlan::Bit { value, addend, mask } => {
                let (value, ty) = plus(at, value, addend);
                let mask = at.constant(mask, ty);
                let bit = at.scalar(Op::Plain(OpKind::Shrui), &[mask, value], ty);
                at.scalar(Op::Plain(OpKind::Trunci), &[bit], Type::I1)
            }
            TestPlan::Join(by, plans) => {
                let mut values = plans.iter().map(|p| p.write(at)).collect::<Vec<_>>().into_iter();
                let first = values.next().expect("what is joined is some");
                values.fold(first, |a, b| at.scalar(Op::Plain(*by), &[a, b], Type::I1))
            }
        }
    }
}

fn plus(at: &mut InsertionPoint, value: ValueId, addend: u64) -> (ValueId, Type) {
    let ty = at.func.ty(value).scalar().expect("a comparison is of scalars");
    if addend == 0 {
        return (value, ty);
    }
    let addend = at.constant(addend, ty);
    (at.scalar(Op::Plain(OpKind::Addi), &[value, addend], ty), ty)
}

/// The cheapest way to ask whether a number is in a set: of itself, or of what is made of it and `asked` anyway, each with its steps.
pub fn plan<'a>(
    truths: &Truths,
    of: ValueId,
    set: &NumberSet,
    asked: impl Iterator<Item = (ValueId, &'a [NumberStep])>,
) -> TestPlan {
    let itself: (ValueId, &[NumberStep]) = (of, &[]);
    let plans = std::iter::once(itself).chain(asked).filter_map(|(value, steps)| {
        let (inside, possible) = (image(set, steps)?, truths.possible(value)?);
        Some(of_set(value, truths.type_of(value), &inside.and(&possible), &possible))
    });
    // The first of those that cost as much.
    plans.min_by_key(TestPlan::cost).expect("a number is made of itself")
}

/// The set of what steps, the last one first, make of the numbers of a set, if nothing else comes to be in it.
fn image(set: &NumberSet, steps: &[NumberStep]) -> Option<NumberSet> {
    let made = steps.iter().rev().fold(set.clone(), |set, step| step.after(&set));
    let back = steps.iter().fold(made.clone(), |set, step| step.before(&set));
    (back == *set).then_some(made)
}

/// Of a number that is never but one of the `possible`.
fn of_set(value: ValueId, ty: Type, inside: &NumberSet, possible: &NumberSet) -> TestPlan {
    if inside.is_none() || inside == possible {
        return TestPlan::Literal(!inside.is_none());
    }
    let outside = inside.complement().and(possible);
    let yes = one(value, inside, possible, false);
    if let Some(plan) = yes.filter(|p| p.cost() == 1) {
        return plan;
    }
    let each = |set: &NumberSet, inverted: bool| -> Option<TestPlan> {
        let width = set.width();
        let plans = set.ranges().iter().map(|&(from, to)| {
            let range = NumberSet::range(width, from, to);
            // What is impossible may be on either side.
            let wanted = if inverted { range.complement().and(possible) } else { range.and(possible) };
            one(value, &wanted, possible, inverted)
        });
        let plans: Vec<TestPlan> = plans.collect::<Option<_>>()?;
        let by = if inverted { OpKind::Andi } else { OpKind::Ori };
        Some(if plans.len() == 1 { plans.into_iter().next()? } else { TestPlan::Join(by, plans) })
    };
    let plans = [each(inside, false), each(&outside, true), bits(value, ty, inside, possible)];
    plans.into_iter().flatten().min_by_key(TestPlan::cost).expect("a range has a plan")
}

/// By one comparison, behind a sum or not.
fn one(value: ValueId, inside: &NumberSet, possible: &NumberSet, inverted: bool) -> Option<TestPlan> {
    let width = inside.width();
    let ends: Vec<u64> = inside.ranges().iter().flat_map(|&(from, to)| [from, to]).collect();
    let around = |&n: &u64| [n, truncate(n.wrapping_sub(1), width), truncate(n.wrapping_add(1), width)];
    let literals = ends.iter().flat_map(around).collect::<Vec<_>>();
    for predicate in Predicate::ALL {
        for &literal in &literals {
            if NumberSet::compared(width, predicate, literal).and(possible) == *inside {
                return Some(TestPlan::Compare { value, addend: 0, predicate, literal });
            }
        }
    }
    let (set, predicate) = match inverted {
        true => (inside.complement().and(possible), Predicate::Ugt),
        false => (inside.clone(), Predicate::Ule),
    };
    let (from, to) = (set.ranges().first()?.0, set.ranges().last()?.1);
    let is_range = NumberSet::range(width, from, to).and(possible) == set;
    let (addend, literal) = (truncate(from.wrapping_neg(), width), to - from);
    is_range.then_some(TestPlan::Compare { value, addend, predicate, literal })
}

/// By a bit of a literal: for several ranges within as many numbers as it has bits.
fn bits(value: ValueId, ty: Type, inside: &NumberSet, possible: &NumberSet) -> Option<TestPlan> {
    let width = inside.width();
    if ty != Type::I32 {
        return None;
    }
    let (from, to) = (inside.ranges().first()?.0, inside.ranges().last()?.1);
    let from = if to < u64::from(width) { 0 } else { from };
    if to - from >= u64::from(width) {
        return None;
    }
    let ones = inside.ranges().iter().flat_map(|&(a, b)| a..=b);
    let mask = ones.fold(0, |mask, n| mask | 1 << (n - from));
    let addend = truncate(from.wrapping_neg(), width);
    let bit = TestPlan::Bit { value, addend, mask };
    let within = NumberSet::range(width, from, to).and(possible);
    if within == *possible {
        return Some(bit);
    }
    let within = one(value, &within, possible, false)?;
    Some(TestPlan::Join(OpKind::Andi, vec![within, bit]))
}
