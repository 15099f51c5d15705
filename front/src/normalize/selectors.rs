//! Tests ask what decides a selector, not the selector.
//!
//! Ways that part after they met are told apart by a literal that is chosen on each (`crate::structure`), and `switch` by a chain of choices:
//! what comes after waits for all of them, each is an op of three operands, and a branch follows that compares the literal again.
//! Here
//!
//! - a condition that asks one number only, through whatever choices ([`super::truth`]), is the fewest comparisons that hold for the same numbers
//!   ([`super::ranges`]): `x == 2 || x == 3 || x == 4` is `x - 2 <= 2`;
//! - a comparison of a choice among literals is what joins the conditions of the choice;
//! - a comparison of what an if gives, where a side gives a literal, is made in its sides;
//! - a comparison of such a number that the test of a `while` hands on, which tells which way it is left, is made in the test.
//!
//! Each is done where it is no more ops, of what goes and what comes. Nothing that has an effect is moved or made.

use super::ranges::{self, TestPlan};
use super::simplify;
use super::truth::{yields, NumberStep, Truths};
use crate::edit::{self, Changes, InsertionPoint, Parents};
use crate::ir::{Func, Kind, OpId, ValueDef, ValueId, ValueType};
use crate::passes::Aim;
use loom_dfg::{Op, OpKind, Predicate, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Rounds at most; two are many.
const ROUNDS: usize = 16;
/// Choices behind a comparison that are looked at.
const MOST_CHOICES: usize = 64;

/// Rewrites until nothing changes.
pub fn run(func: &mut Func, index_width: u32, aim: Aim) {
    for _ in 0..ROUNDS {
        let mut changed = give_conditions(func);
        changed |= ask_once(func, index_width);
        changed |= join_conditions(func);
        changed |= compare_before_leaving(func);
        changed |= compare_inside(func);
        if !changed {
            return;
        }
        simplify::run(func, index_width, aim);
    }
}

/// Whether no if gives its condition.
pub fn holds(func: &Func) -> bool {
    !give_conditions(&mut func.clone())
}

/// Conditions on one number as few comparisons.
fn ask_once(func: &mut Func, index_width: u32) -> bool {
    let mut plans: BTreeMap<ValueId, Vec<(ValueId, TestPlan)>> = BTreeMap::new();
    let mut truths = Truths::new(func, index_width);
    let (asked, scope) = (asked(func, &truths), Scope::new(func));
    for (value, op) in conditions(func, &mut truths) {
        let Some((of, set)) = truths.of(value).and_then(|t| Some((t.of?, t.set))) else { continue };
        let made = asked.get(&of).into_iter().flatten().map(|(v, steps)| (*v, &steps[..]));
        let asked = made.filter(|&(v, _)| scope.sees(func, op, v));
        let plan = ranges::plan(&truths, of, &set, asked);
        if !is_comparison(func, &mut truths, value) || plan.cost() == 0 {
            plans.entry(of).or_default().push((value, plan));
        }
    }
    let uses = edit::use_counts(func);
    let is_less = |group: &[(ValueId, TestPlan)]| {
        let values: Vec<ValueId> = group.iter().map(|g| g.0).collect();
        group.iter().map(|g| g.1.cost()).sum::<usize>() < freed(func, &uses, &values)
    };
    let mut chosen: Vec<(ValueId, TestPlan)> = Vec::new();
    for group in plans.into_values() {
        // Together they free what each alone does not.
        match is_less(&group) {
            true => chosen.extend(group),
            false => chosen.extend(group.into_iter().filter(|one| is_less(std::slice::from_ref(one)))),
        }
    }
    let mut changes = Changes::default();
    for (value, plan) in chosen {
        let ValueDef::Result { op, .. } = func.value(value).def else { continue };
        let mut at = InsertionPoint::new(func, op);
        let new = plan.write(&mut at);
        let made = at.made;
        changes.insert_before(op, made);
        changes.replace(value, new);
    }
    changes.apply(func)
}

/// The numbers that are compared with literals, with the steps that they are made by, by what they are made of.
fn asked(func: &Func, truths: &Truths) -> BTreeMap<ValueId, Vec<(ValueId, Vec<NumberStep>)>> {
    let compared = |op: OpId| match func.op(op) {
        record if matches!(record.kind, Kind::Scalar(Op::Cmpi(_))) => {
            edit::constant(func, record.operands[1]).map(|_| record.operands[0])
        }
        _ => None,
    };
    let all: BTreeSet<ValueId> = edit::walk(func).into_iter().filter_map(compared).collect();
    let mut asked: BTreeMap<ValueId, Vec<(ValueId, Vec<NumberStep>)>> = BTreeMap::new();
    for value in all {
        let (of, steps) = truths.origin(value);
        asked.entry(of).or_default().push((value, steps));
    }
    asked
}

/// Whether a condition is one comparison of a number with a literal.
fn is_comparison(func: &Func, truths: &mut Truths, value: ValueId) -> bool {
    let Some((Op::Cmpi(_), operands)) = edit::made_by(func, value) else { return false };
    let number = operands[0];
    edit::constant(func, operands[1]).is_some() && !truths.is_choice(number)
}

/// The conditions on one number that something asks which is none itself, and no choice by that number; each with what makes it.
fn conditions(func: &Func, truths: &mut Truths) -> Vec<(ValueId, OpId)> {
    let (parents, users) = (Parents::new(func), users(func));
    let mut found = BTreeSet::new();
    for op in edit::walk(func) {
        let record = func.op(op);
        let around = parents.block(op).and_then(|b| parents.op(b)).filter(|&o| func.op(o).kind == Kind::If);
        for (k, &value) in record.operands.iter().enumerate() {
            let ValueDef::Result { op: by, .. } = func.value(value).def else { continue };
            if func.ty(value).scalar() != Some(Type::I1) || edit::constant(func, value).is_some() {
                continue;
            }
            let of = match (&record.kind, around) {
                (Kind::Scalar(_), _) => Some(record.results[0]),
                (Kind::Yield, Some(around)) => Some(func.op(around).results[k]),
                _ => None,
            };
            let is_asked = |v: ValueId| truths.of(v).is_some() || is_compared(func, truths, &users, v);
            if !of.is_some_and(is_asked) {
                found.insert((value, by));
            }
        }
    }
    found.into_iter().collect()
}

/// Whether a value is a literal that one number chooses, and only compared with literals, in the end.
fn is_compared(
    func: &Func,
    truths: &mut Truths,
    users: &BTreeMap<ValueId, Vec<OpId>>,
    value: ValueId,
) -> bool {
    let (mut work, mut seen) = (vec![value], BTreeSet::from([value]));
    while let Some(value) = work.pop() {
        let Some(users) = users.get(&value).filter(|_| truths.is_choice(value)) else { return false };
        for &op in users {
            let record = func.op(op);
            match record.kind {
                Kind::Scalar(Op::Cmpi(_)) if truths.of(record.results[0]).is_some() => {}
                Kind::Scalar(Op::Cmpi(_)) => return false,
                Kind::Scalar(_) => work.extend(record.results.iter().filter(|&&v| seen.insert(v))),
                _ => return false,
            }
        }
    }
    true
}

/// What can be used where.
struct Scope {
    parents: Parents,
    /// By operation: which it is in the source.
    order: BTreeMap<OpId, usize>,
}

impl Scope {
    fn new(func: &Func) -> Scope {
        let order = edit::walk(func).into_iter().enumerate().map(|(k, op)| (op, k)).collect();
        Scope { parents: Parents::new(func), order }
    }

    /// Whether a value is there before an operation.
    fn sees(&self, func: &Func, op: OpId, value: ValueId) -> bool {
        let is_before = match func.value(value).def {
            ValueDef::Argument { .. } => true,
            ValueDef::Result { op: by, .. } => self.order.get(&by) < self.order.get(&op),
        };
        let own = self.parents.block(op);
        let around = self.parents.around(op);
        let mut blocks = own.into_iter().chain(around.into_iter().filter_map(|o| self.parents.block(o)));
        let defined = self.parents.defining_block(func, value);
        is_before && blocks.any(|b| Some(b) == defined)
    }
}

/// Ops, and results of ifs, that nobody needs once nobody uses these values; `uses` is how often each is used.
fn freed(func: &Func, uses: &[u32], values: &[ValueId]) -> usize {
    let mut left = uses.to_vec();
    let mut gone: BTreeSet<ValueId> = values.iter().copied().collect();
    let mut work: Vec<ValueId> = gone.iter().copied().collect();
    let mut count = 0;
    while let Some(value) = work.pop() {
        let ValueDef::Result { op, index } = func.value(value).def else { continue };
        let record = func.op(op);
        let operands: Vec<ValueId> = match record.kind {
            Kind::Scalar(scalar) if scalar.kind().is_speculatable() => record.operands.clone(),
            Kind::If => {
                yields(func, op).map_or(Vec::new(), |ends| ends.map(|e| func.op(e).operands[index]).to_vec())
            }
            _ => continue,
        };
        count += 1;
        for operand in operands {
            let uses = &mut left[operand.0 as usize];
            *uses = uses.saturating_sub(1);
            if *uses == 0 && gone.insert(operand) {
                work.push(operand);
            }
        }
    }
    count
}

/// The comparisons with literals that are all that uses a value: each with its literal, and whether it asks for another one.
fn comparisons(
    func: &Func,
    users: &BTreeMap<ValueId, Vec<OpId>>,
    value: ValueId,
) -> Option<Vec<(OpId, u64, bool)>> {
    let all = users.get(&value)?.iter().map(|&op| {
        let record = func.op(op);
        let differs = match record.kind {
            Kind::Scalar(Op::Cmpi(Predicate::Eq)) => false,
            Kind::Scalar(Op::Cmpi(Predicate::Ne)) => true,
            _ => return None,
        };
        Some((op, edit::constant(func, record.operands[1])?, differs))
    });
    all.collect()
}

/// By value: who uses it.
fn users(func: &Func) -> BTreeMap<ValueId, Vec<OpId>> {
    let mut users: BTreeMap<ValueId, Vec<OpId>> = BTreeMap::new();
    for op in edit::walk(func) {
        for &v in &func.op(op).operands {
            users.entry(v).or_default().push(op);
        }
    }
    users
}

/// What a comparison of a choice is: conditions, joined.
enum Logic {
    Literal(bool),
    Is(ValueId),
    Equals(ValueId, u64),
    Not(Box<Logic>),
    Join(OpKind, Box<[Logic; 2]>),
    Select(ValueId, Box<[Logic; 2]>),
}

impl Logic {
    /// Whether a value is a literal, through choices of which so many may be looked at: they may share what they choose from, and
    /// then the ways through them are more than could be followed.
    fn equals(func: &Func, value: ValueId, literal: u64, left: &mut usize) -> Logic {
        if let Some(bits) = edit::constant(func, value) {
            return Logic::Literal(bits == literal);
        }
        match edit::made_by(func, value) {
            Some((Op::Plain(OpKind::Select), &[condition, yes, no])) if *left > 0 => {
                *left -= 1;
                let [yes, no] = [yes, no].map(|side| Logic::equals(func, side, literal, left));
                Logic::select(condition, yes, no)
            }
            _ => Logic::Equals(value, literal),
        }
    }

    fn select(condition: ValueId, yes: Logic, no: Logic) -> Logic {
        let is = || Logic::Is(condition);
        let not = || Box::new(is());
        match (yes, no) {
            (Logic::Literal(a), Logic::Literal(b)) if a == b => Logic::Literal(a),
            (Logic::Literal(true), Logic::Literal(_)) => is(),
            (Logic::Literal(false), Logic::Literal(_)) => Logic::Not(not()),
            (Logic::Literal(true), other) => Logic::Join(OpKind::Ori, Box::new([is(), other])),
            (other, Logic::Literal(false)) => Logic::Join(OpKind::Andi, Box::new([is(), other])),
            (Logic::Literal(false), other) => Logic::Join(OpKind::Andi, Box::new([Logic::Not(not()), other])),
            (other, Logic::Literal(true)) => Logic::Join(OpKind::Ori, Box::new([Logic::Not(not()), other])),
            (yes, no) => Logic::Select(condition, Box::new([yes, no])),
        }
    }

    /// The same, or what holds when it does not.
    fn inverted(self, is_inverted: bool) -> Logic {
        match is_inverted {
            true => Logic::Not(Box::new(self)),
            false => self,
        }
    }

    fn cost(&self) -> usize {
        match self {
            Logic::Literal(_) | Logic::Is(_) => 0,
            Logic::Equals(..) => 1,
            Logic::Not(of) => 1 + of.cost(),
            Logic::Join(_, both) | Logic::Select(_, both) => 1 + both[0].cost() + both[1].cost(),
        }
    }

    fn write(&self, at: &mut InsertionPoint) -> ValueId {
        match self {
            Logic::Literal(holds) => at.constant(u64::from(*holds), Type::I1),
            Logic::Is(value) => *value,
            Logic::Equals(value, literal) => {
                let ty = at.func.ty(*value).scalar().expect("a comparison is of scalars");
                let literal = at.constant(*literal, ty);
                at.scalar(Op::Cmpi(Predicate::Eq), &[*value, literal], Type::I1)
            }
            Logic::Not(of) => {
                let of = of.write(at);
                let one = at.constant(1, Type::I1);
                at.scalar(Op::Plain(OpKind::Xori), &[of, one], Type::I1)
            }
            Logic::Join(by, both) => {
                let both = [both[0].write(at), both[1].write(at)];
                at.scalar(Op::Plain(*by), &both, Type::I1)
            }
            Logic::Select(condition, both) => {
                let both = [*condition, both[0].write(at), both[1].write(at)];
                at.scalar(Op::Plain(OpKind::Select), &both, Type::I1)
            }
        }
    }
}

/// Comparisons of choices among literals as their conditions; choices of conditions where one is a literal too.
fn join_conditions(func: &mut Func) -> bool {
    let (uses, users) = (edit::use_counts(func), users(func));
    let mut wanted: Vec<(OpId, Logic)> = Vec::new();
    for op in edit::walk(func) {
        let Kind::Scalar(Op::Plain(OpKind::Select)) = func.op(op).kind else { continue };
        let (value, operands) = (func.result(op, 0), &func.op(op).operands);
        if func.ty(value).scalar() == Some(Type::I1) {
            let known = |v: ValueId| {
                edit::constant(func, v).map_or(Logic::Is(v), |bits| Logic::Literal(bits & 1 == 1))
            };
            let logic = Logic::select(operands[0], known(operands[1]), known(operands[2]));
            if logic.cost() <= 1 && !matches!(logic, Logic::Select(..)) {
                wanted.push((op, logic));
            }
            continue;
        }
        let Some(comparisons) = comparisons(func, &users, value) else { continue };
        let logics: Vec<(OpId, Logic)> = (comparisons.into_iter())
            .map(|(op, literal, differs)| {
                (op, Logic::equals(func, value, literal, &mut { MOST_CHOICES }).inverted(differs))
            })
            .collect();
        let values: Vec<ValueId> = logics.iter().map(|l| func.result(l.0, 0)).collect();
        let is_known = |l: &(OpId, Logic)| !matches!(l.1, Logic::Select(..));
        if logics.iter().all(is_known)
            && logics.iter().map(|l| l.1.cost()).sum::<usize>() <= freed(func, &uses, &values)
        {
            wanted.extend(logics);
        }
    }
    let mut changes = Changes::default();
    for (op, logic) in wanted {
        replace(func, op, &logic, &mut changes);
    }
    changes.apply(func)
}

/// Conditions in the place of an op.
fn replace(func: &mut Func, op: OpId, logic: &Logic, changes: &mut Changes) {
    let mut at = InsertionPoint::new(func, op);
    let new = logic.write(&mut at);
    let made = at.made;
    changes.inline(func, op, &made, &[new]);
}

/// Comparisons of what an if gives, made in its sides.
fn compare_inside(func: &mut Func) -> bool {
    let mut changed = false;
    while compare_one(func) {
        changed = true;
    }
    changed
}

fn compare_one(func: &mut Func) -> bool {
    let users = users(func);
    for op in edit::walk(func) {
        let Some(ends) = yields(func, op) else { continue };
        for index in 0..func.op(op).results.len() {
            let value = func.result(op, index);
            let Some(comparisons) = comparisons(func, &users, value) else { continue };
            let sides = ends.map(|end| func.op(end).operands[index]);
            let literals: BTreeSet<u64> = comparisons.iter().map(|c| c.1).collect();
            let known = |&side: &ValueId| match edit::constant(func, side) {
                Some(_) => 1,
                // The choice goes, and becomes its condition.
                None if is_choice_of_literals(func, side) => 2,
                None => 0,
            };
            let has_literal = sides.iter().any(|&s| edit::constant(func, s).is_some());
            // A result each, for one of a literal and as many comparisons.
            if !has_literal || literals.len() > sides.iter().map(known).sum() {
                continue;
            }
            let sides = [(ends[0], sides[0]), (ends[1], sides[1])];
            compare_in_sides(func, op, sides, &comparisons);
            give_nothing(func, index, ends);
            return true;
        }
    }
    false
}

/// What nobody asks for any more is the same on both sides, so that what was chosen for it goes.
fn give_nothing(func: &mut Func, index: usize, ends: [OpId; 2]) {
    let parents = Parents::new(func);
    for end in ends {
        let block = parents.block(end).expect("a yield ends a block");
        let Some(ty) = func.ty(func.op(end).operands[index]).scalar() else { continue };
        let mut at = InsertionPoint::new(func, end);
        let nothing = at.constant(0, ty);
        at.put(block);
        func.op_mut(end).operands[index] = nothing;
    }
}

/// Whether a value is chosen, through no more than a few choices, among literals.
fn is_choice_of_literals(func: &Func, value: ValueId) -> bool {
    let mut left = MOST_CHOICES;
    let mut work = vec![value];
    while let Some(v) = work.pop() {
        if edit::constant(func, v).is_some() {
            continue;
        }
        match edit::made_by(func, v) {
            Some((Op::Plain(OpKind::Select), &[_, yes, no])) if left > 0 => work.extend([yes, no]),
            _ => return false,
        }
        left -= 1;
    }
    left < MOST_CHOICES
}

/// Comparisons with a literal of what the test of a while chose and handed on, made in the test: which way it is left is one bit.
fn compare_before_leaving(func: &mut Func) -> bool {
    let users = users(func);
    for op in edit::walk(func) {
        if func.op(op).kind != Kind::While {
            continue;
        }
        let [Some(before), Some(after)] = [0, 1].map(|r| func.entry(func.op(op).regions[r])) else {
            continue;
        };
        let Some(end) = func.terminator(before) else { continue };
        for index in 0..func.op(op).results.len() {
            let value = func.op(end).operands[1 + index];
            let is_if =
                matches!(func.value(value).def, ValueDef::Result { op, .. } if func.op(op).kind == Kind::If);
            let (behind, inside) = (func.result(op, index), func.block(after).arguments[index]);
            if !is_if && !is_choice_of_literals(func, value) || func.ty(value).scalar() == Some(Type::I1) {
                continue;
            }
            let of = |v: ValueId| match users.contains_key(&v) {
                true => comparisons(func, &users, v),
                false => Some(Vec::new()),
            };
            let Some(comparisons) = of(behind).zip(of(inside)).map(|(a, b)| [a, b].concat()) else {
                continue;
            };
            let [(_, literal, _), others @ ..] = &comparisons[..] else { continue };
            let literal = *literal;
            if others.iter().any(|other| other.1 != literal) {
                continue;
            }
            let mut at = InsertionPoint::new(func, end);
            let test = Logic::Equals(value, literal).write(&mut at);
            at.put(before);
            func.op_mut(end).operands[1 + index] = test;
            for v in [behind, inside] {
                func.values[v.0 as usize].ty = ValueType::Scalar(Type::I1);
            }
            let mut changes = Changes::default();
            for (comparison, _, differs) in comparisons {
                let from = func.op(comparison).operands[0];
                replace(func, comparison, &Logic::Is(from).inverted(differs), &mut changes);
            }
            changes.apply(func);
            return true;
        }
    }
    false
}

fn compare_in_sides(
    func: &mut Func,
    op: OpId,
    sides: [(OpId, ValueId); 2],
    comparisons: &[(OpId, u64, bool)],
) {
    let parents = Parents::new(func);
    let mut holds: BTreeMap<u64, ValueId> = BTreeMap::new();
    for &(_, literal, _) in comparisons {
        if holds.contains_key(&literal) {
            continue;
        }
        for (end, value) in sides {
            let block = parents.block(end).expect("a yield ends a block");
            let logic = match edit::constant(func, value) {
                Some(bits) => Logic::Literal(bits == literal),
                None => Logic::Equals(value, literal),
            };
            let mut at = InsertionPoint::new(func, end);
            let test = logic.write(&mut at);
            at.put(block);
            func.op_mut(end).operands.push(test);
        }
        holds.insert(literal, func.add_result(op, ValueType::Scalar(Type::I1)));
    }
    let mut changes = Changes::default();
    for &(comparison, literal, differs) in comparisons {
        replace(func, comparison, &Logic::Is(holds[&literal]).inverted(differs), &mut changes);
    }
    changes.apply(func);
}

/// Results of ifs that are the condition, or the same on both sides.
fn give_conditions(func: &mut Func) -> bool {
    let (uses, parents) = (edit::use_counts(func), Parents::new(func));
    let mut changes = Changes::default();
    for op in edit::walk(func) {
        let Some(ends) = yields(func, op) else { continue };
        for (index, &value) in func.op(op).results.iter().enumerate() {
            let sides = ends.map(|end| func.op(end).operands[index]);
            let literals = sides.map(|s| edit::constant(func, s));
            let is_used = uses[value.0 as usize] > 0;
            if !is_used {
                continue;
            }
            if sides[0] == sides[1] && parents.is_outside(func, sides[0], op) {
                changes.replace(value, sides[0]);
            } else if func.ty(value).scalar() == Some(Type::I1) && literals == [Some(1), Some(0)] {
                changes.replace(value, func.op(op).operands[0]);
            }
        }
    }
    changes.apply(func)
}
