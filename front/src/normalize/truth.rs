//! What a condition asks of one number: the numbers for which it holds.
//!
//! A comparison with a literal holds for a set of numbers, and so does what joins or chooses between such conditions, and a comparison of
//! what they choose among literals. All are traced back to the number that sums with literals, shifts by literals and
//! casts make what is compared from. Nothing is said of conditions that depend on anything else.

use crate::edit;
use crate::ir::{Func, OpId, ValueDef, ValueId};
use crate::number_set::NumberSet;
use loom_base::truncate;
use loom_dfg::{Op, OpKind, Predicate, Type};
use std::collections::HashMap;

/// Most ranges of a set, and most literals that are chosen among.
const MOST: usize = 32;
/// Steps from a number to what it is made from, at most.
const STEPS: usize = 4;

/// A condition on one number; on none where it is a literal.
#[derive(Clone, Debug)]
pub struct Truth {
    /// The number.
    pub of: Option<ValueId>,
    /// Where it holds.
    pub set: NumberSet,
}

/// Literals that are chosen by one number: each with the numbers for which it is.
#[derive(Clone, Debug)]
struct Choice {
    of: ValueId,
    parts: Vec<(u64, NumberSet)>,
}

/// How a number is made from another.
#[derive(Clone, Copy, Debug)]
pub enum NumberStep {
    /// A literal is added.
    Plus(u64),
    /// Shifted to the right by so many places.
    Right(u32, bool),
    /// From so many bits to so many.
    Extended([u32; 2], bool),
}

impl NumberStep {
    /// What the step makes of the numbers of a set.
    pub fn after(self, set: &NumberSet) -> NumberSet {
        match self {
            NumberStep::Plus(addend) => set.plus(addend),
            NumberStep::Right(places, signed) => set.shifted(places, signed),
            NumberStep::Extended([_, to], signed) => set.extended(to, signed),
        }
    }

    /// The numbers that the step takes into a set.
    pub fn before(self, set: &NumberSet) -> NumberSet {
        match self {
            NumberStep::Plus(addend) => set.plus(addend.wrapping_neg()),
            NumberStep::Right(places, signed) => set.before_shift(places, signed),
            NumberStep::Extended([from, _], signed) => set.before_extension(from, signed),
        }
    }
}

/// Finds what conditions of a function ask.
pub struct Truths<'f> {
    func: &'f Func,
    index_width: u32,
    known: HashMap<ValueId, Option<Truth>>,
    chosen: HashMap<ValueId, Option<Choice>>,
}

impl<'f> Truths<'f> {
    /// Of a function on a fabric with so many bits of index.
    pub fn new(func: &'f Func, index_width: u32) -> Truths<'f> {
        Truths { func, index_width, known: HashMap::new(), chosen: HashMap::new() }
    }

    /// Bits of an integer; narrow ones are computed in 32, where nothing compares them.
    pub fn width(&self, value: ValueId) -> Option<u32> {
        let ty = self.func.ty(value).scalar()?;
        let width = ty.width(self.index_width);
        (ty.is_integral() && width >= 32).then_some(width)
    }

    /// The type of a number.
    pub fn type_of(&self, value: ValueId) -> Type {
        self.func.ty(value).scalar().unwrap_or(Type::Index)
    }

    /// The last step to a number, and what it starts from.
    pub fn step(&self, value: ValueId) -> Option<(NumberStep, ValueId)> {
        let width = self.width(value)?;
        let (op, operands) = edit::made_by(self.func, value)?;
        let from = operands[0];
        let own = self.width(from)?;
        let literal = || operands.get(1).and_then(|&v| edit::constant(self.func, v));
        let places = || literal().filter(|&n| n < u64::from(width)).map(|n| n as u32);
        let step = match op.kind() {
            OpKind::Addi => NumberStep::Plus(truncate(literal()?, width)),
            OpKind::Subi => NumberStep::Plus(truncate(literal()?.wrapping_neg(), width)),
            OpKind::Shrui => NumberStep::Right(places()?, false),
            OpKind::Shrsi => NumberStep::Right(places()?, true),
            OpKind::Extsi | OpKind::IndexCast if own <= width => NumberStep::Extended([own, width], true),
            OpKind::Extui | OpKind::IndexCastui if own <= width => NumberStep::Extended([own, width], false),
            _ => return None,
        };
        Some((step, from))
    }

    /// The number that one is made from, by which steps, the last one first.
    pub fn origin(&self, value: ValueId) -> (ValueId, Vec<NumberStep>) {
        let (mut at, mut steps) = (value, Vec::new());
        while let Some((step, from)) = self.step(at).filter(|_| steps.len() < STEPS) {
            steps.push(step);
            at = from;
        }
        (at, steps)
    }

    /// What a number can be at all.
    pub fn possible(&self, value: ValueId) -> Option<NumberSet> {
        let width = self.width(value)?;
        let all = || NumberSet::all(width);
        let Some((op, operands)) = edit::made_by(self.func, value) else { return Some(all()) };
        let narrow = self.func.ty(operands[0]).scalar().map_or(64, |t| t.width(self.index_width));
        Some(match op.kind() {
            OpKind::Extui | OpKind::IndexCastui if narrow < width => {
                NumberSet::all(narrow).extended(width, false)
            }
            OpKind::Extsi | OpKind::IndexCast if narrow < width => {
                NumberSet::all(narrow).extended(width, true)
            }
            OpKind::Andi => match edit::constant(self.func, operands[1]) {
                Some(mask) => NumberSet::range(width, 0, truncate(mask, width)),
                None => all(),
            },
            _ => all(),
        })
    }

    /// What an `i1` asks.
    pub fn of(&mut self, value: ValueId) -> Option<Truth> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        // Values are defined before they are used, so that this comes to an end.
        let found = self.find(value).filter(|t| t.set.ranges().len() <= MOST);
        self.known.insert(value, found.clone());
        found
    }

    fn find(&mut self, value: ValueId) -> Option<Truth> {
        let func = self.func;
        if func.ty(value).scalar() != Some(Type::I1) {
            return None;
        }
        if let Some(bits) = edit::constant(func, value) {
            return Some(Truth { of: None, set: NumberSet::constant(64, bits & 1 == 1) });
        }
        if let Some((condition, yields)) = self.sides(value) {
            let test = self.of(condition)?;
            // What sides of an if ask of numbers of their own nobody outside can ask.
            test.of?;
            let [yes, no] = [self.of(yields[0])?, self.of(yields[1])?];
            let no = join(&complement(&test), &no, NumberSet::and)?;
            return join(&join(&test, &yes, NumberSet::and)?, &no, NumberSet::or);
        }
        let (op, operands) = edit::made_by(func, value)?;
        match op {
            Op::Cmpi(predicate) => {
                let literal = edit::constant(func, operands[1])?;
                self.compared(predicate, operands[0], literal)
            }
            _ => {
                let joined = match op.kind() {
                    OpKind::Andi => NumberSet::and,
                    OpKind::Ori => NumberSet::or,
                    OpKind::Xori => NumberSet::xor,
                    _ => return None,
                };
                let [a, b] = [self.of(operands[0])?, self.of(operands[1])?];
                join(&a, &b, joined)
            }
        }
    }

    fn compared(&mut self, predicate: Predicate, value: ValueId, literal: u64) -> Option<Truth> {
        let compared = NumberSet::compared(self.width(value)?, predicate, literal);
        let (of, steps) = self.origin(value);
        let holds = steps.into_iter().fold(compared, |set, step| step.before(&set));
        let Some(choice) = self.choice(of) else { return Some(Truth { of: Some(of), set: holds }) };
        let is_held = |(n, _): &&(u64, NumberSet)| {
            let n = truncate(*n, holds.width());
            holds.ranges().iter().any(|&(from, to)| from <= n && n <= to)
        };
        let parts = choice.parts.iter().filter(is_held);
        let none = NumberSet::none(self.width(choice.of)?);
        Some(Truth { of: Some(choice.of), set: parts.fold(none, |set, part| set.or(&part.1)) })
    }

    /// The condition that a value is chosen by, and what it is then and otherwise.
    pub fn sides(&self, value: ValueId) -> Option<(ValueId, [ValueId; 2])> {
        if let Some((Op::Plain(OpKind::Select), &[condition, yes, no])) = edit::made_by(self.func, value) {
            return Some((condition, [yes, no]));
        }
        let ValueDef::Result { op, index } = self.func.value(value).def else { return None };
        let yields = yields(self.func, op)?.map(|end| self.func.op(end).operands[index]);
        Some((self.func.op(op).operands[0], yields))
    }

    /// Whether two conditions hold for different numbers of one.
    pub fn exclude(&mut self, a: ValueId, b: ValueId) -> bool {
        let (Some(a), Some(b)) = (self.of(a), self.of(b)) else { return false };
        a.of.is_some() && a.of == b.of && a.set.and(&b.set).is_none()
    }

    /// Whether it is a literal that one number chooses.
    pub fn is_choice(&mut self, value: ValueId) -> bool {
        self.choice(value).is_some()
    }

    fn choice(&mut self, value: ValueId) -> Option<Choice> {
        if let Some(known) = self.chosen.get(&value) {
            return known.clone();
        }
        let found = self.choose(value).filter(|c| c.parts.len() <= MOST);
        self.chosen.insert(value, found.clone());
        found
    }

    fn choose(&mut self, value: ValueId) -> Option<Choice> {
        let (condition, yields) = self.sides(value)?;
        let test = self.of(condition)?;
        let mut parts: Vec<(u64, NumberSet)> = Vec::new();
        let of = test.of?;
        for (side, when) in yields.into_iter().zip([test.set.clone(), test.set.complement()]) {
            let inner = match edit::constant(self.func, side) {
                Some(literal) => vec![(literal, NumberSet::all(when.width()))],
                None => self.choice(side).filter(|inner| inner.of == of)?.parts,
            };
            for (literal, set) in inner {
                let here = set.and(&when);
                match parts.iter_mut().find(|p| p.0 == literal) {
                    Some(part) => part.1 = part.1.or(&here),
                    None => parts.push((literal, here)),
                }
            }
        }
        Some(Choice { of, parts })
    }
}

/// The ends of both sides of an if that gives something.
pub fn yields(func: &Func, op: OpId) -> Option<[OpId; 2]> {
    let [yes, no] = edit::sides(func, op)?;
    Some([func.terminator(yes)?, func.terminator(no)?])
}

fn complement(truth: &Truth) -> Truth {
    Truth { of: truth.of, set: truth.set.complement() }
}

/// Two conditions as one, where they ask one number.
fn join(a: &Truth, b: &Truth, by: fn(&NumberSet, &NumberSet) -> NumberSet) -> Option<Truth> {
    let (of, width) = match (a.of, b.of) {
        (Some(x), Some(y)) if x != y => return None,
        (None, Some(y)) => (Some(y), b.set.width()),
        (x, _) => (x, a.set.width()),
    };
    // A literal holds for all numbers of any width, or for none.
    let fitted = |t: &Truth| match t.of {
        None => NumberSet::constant(width, t.set.is_all()),
        Some(_) => t.set.clone(),
    };
    Some(Truth { of, set: by(&fitted(a), &fitted(b)) })
}
