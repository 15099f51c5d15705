//! Cheaper ops for the same numbers: shifts and masks for products, quotients and remainders by powers of two, products for those by other
//! literals ([`super::divide`]), comparisons and choices without their negations, casts that undo each other.
//!
//! Every rewrite holds for all bits, by what the op table says of the ops, and needs no more ops on a way round a loop than were there:
//! a division works bit by bit, so the few ops that stand for one are faster in any place. Which accesses may meet is
//! known before: subscripts are products still then.

use super::divide;
use super::intervals::Known;
use super::packed::{self, Bits, Found};
use super::rewrite::Rewrite;
use crate::edit::{self, made_by, Changes, InsertionPoint, Parents};
use crate::ir::{Func, Kind, ValueId};
use crate::passes::PassTarget;
use crate::predicate::opposite;
use loom_base::truncate;
use loom_dfg::{FloatPredicate, Op, OpKind, Predicate, Type};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Rewrites until nothing changes: each rewrite has fewer or cheaper ops than what it stands for.
pub fn run(func: &mut Func, target: &PassTarget) {
    loop {
        let mut changed = turn_ifs(func);
        changed |= reduce(func, target);
        if !changed {
            return;
        }
    }
}

/// Whether no if is on a negation.
pub fn holds(func: &Func) -> bool {
    let ifs = edit::walk(func).into_iter().filter(|&op| func.op(op).kind == Kind::If);
    ifs.into_iter().all(|op| negated(func, func.op(op).operands[0]).is_none())
}

fn reduce(func: &mut Func, target: &PassTarget) -> bool {
    let index_width = target.index_width;
    let mut changes = Changes::default();
    let (ops, uses) = (edit::walk(func), edit::use_counts(func));
    // Only divisions ask for them.
    let (known, in_halves) = match ops.iter().any(|&op| divides(&func.op(op).kind)) {
        true => {
            let parents = Parents::new(func);
            let known = Known::new(func, index_width);
            (Some(known), divide::in_halves(func, &ops, &parents, target))
        }
        false => (None, BTreeSet::new()),
    };
    for op in ops {
        // Of the first operand as it was: what was made in its place since is the same number.
        let known = [0, 1].map(|k| known.as_ref().and_then(|known| known.operand(op, k)));
        changes.resolve(func, op);
        let Kind::Scalar(scalar) = func.op(op).kind else { continue };
        let operands = func.op(op).operands.clone();
        let Some(ty) = func.ty(operands[0]).scalar() else { continue };
        let at = InsertionPoint::new(func, op);
        let by_halves = in_halves.contains(&op);
        let mut r = Rewrite { at, known, op, operands, ty, target, uses: &uses, by_halves };
        let Some(value) = r.cheaper(scalar) else { continue };
        let made = r.at.made;
        changes.insert_before(op, made);
        changes.replace(func.result(op, 0), value);
        changes.erase(op);
    }
    changes.apply(func)
}

/// An if on a negation is the other way round an if on what is negated.
fn turn_ifs(func: &mut Func) -> bool {
    let mut changed = false;
    for op in edit::walk(func) {
        if func.op(op).kind != Kind::If {
            continue;
        }
        let Some(cond) = negated(func, func.op(op).operands[0]) else { continue };
        for region in func.op(op).regions.clone() {
            if func.region(region).blocks.is_empty() {
                let block = func.add_block(region);
                func.push_op(block, Kind::Yield, &[], &[]);
            }
        }
        let record = func.op_mut(op);
        record.operands[0] = cond;
        record.regions.swap(0, 1);
        changed = true;
    }
    changed
}

fn divides(kind: &Kind) -> bool {
    use OpKind::{Ceildivsi, Ceildivui, Divsi, Divui, Floordivsi, Remsi, Remui};
    let divisions = [Divsi, Divui, Remsi, Remui, Ceildivsi, Ceildivui, Floordivsi];
    matches!(kind, Kind::Scalar(op) if divisions.contains(&op.kind()))
}

/// What an `i1` is the negation of.
fn negated(func: &Func, value: ValueId) -> Option<ValueId> {
    let (Op::Plain(OpKind::Xori), &[a, b]) = made_by(func, value)? else { return None };
    let is_true = |v: ValueId| {
        func.ty(v).scalar() == Some(Type::I1) && edit::constant(func, v).is_some_and(|bits| bits & 1 == 1)
    };
    match (is_true(a), is_true(b)) {
        (_, true) => Some(a),
        (true, _) => Some(b),
        _ => None,
    }
}

impl Rewrite<'_> {
    fn cheaper(&mut self, scalar: Op) -> Option<ValueId> {
        match scalar {
            Op::Cmpi(predicate) => self.comparison(predicate),
            Op::Plain(kind) => match kind {
                OpKind::Select => self.choice(),
                OpKind::Trunci => self.cast(kind).or_else(|| self.taken_apart(0)),
                OpKind::Extsi | OpKind::Extui | OpKind::IndexCast | OpKind::IndexCastui => self.cast(kind),
                OpKind::Shrui => {
                    let amount = self.literal(1).and_then(|n| u32::try_from(n).ok())?;
                    self.taken_apart(amount)
                }
                OpKind::Divsi | OpKind::Remsi | OpKind::Floordivsi | OpKind::Ceildivsi => self
                    .signed_division(kind)
                    .or_else(|| self.by_product(kind))
                    .or_else(|| self.rounded(kind))
                    .or_else(|| self.narrow_division(kind)),
                OpKind::Divui | OpKind::Remui => self
                    .arithmetic(kind)
                    .or_else(|| self.by_product(kind))
                    .or_else(|| self.narrow_division(kind)),
                OpKind::Ceildivui => self.rounded(kind),
                OpKind::Xori if negated(self.at.func, self.at.func.result(self.op, 0)).is_some() => {
                    self.negation()
                }
                _ => self.arithmetic(kind),
            },
            _ => None,
        }
    }

    fn arithmetic(&mut self, kind: OpKind) -> Option<ValueId> {
        let &[a, b] = &self.operands[..] else { return None };
        let ones = self.ones();
        match kind {
            OpKind::Andi | OpKind::Ori if a == b => Some(a),
            OpKind::Subi | OpKind::Xori if a == b => Some(self.number(0, self.ty)),
            OpKind::Muli | OpKind::Andi if [self.literal(0), self.literal(1)].contains(&Some(0)) => {
                Some(self.number(0, self.ty))
            }
            OpKind::Andi if self.literal(1) == Some(ones) => Some(a),
            OpKind::Andi if self.literal(0) == Some(ones) => Some(b),
            OpKind::Ori if [self.literal(0), self.literal(1)].contains(&Some(ones)) => {
                Some(self.number(ones, self.ty))
            }
            OpKind::Muli => match (self.power(0), self.power(1)) {
                (_, Some(k)) => Some(self.by(OpKind::Shli, a, k)),
                (Some(k), _) => Some(self.by(OpKind::Shli, b, k)),
                _ => None,
            },
            OpKind::Divui => self.power(1).map(|k| self.by(OpKind::Shrui, a, k)),
            OpKind::Remui => match self.literal(1)? {
                n if n.is_power_of_two() => Some(self.by(OpKind::Andi, a, n - 1)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The negation of a comparison is the opposite one, that of a negation what it negates.
    fn negation(&mut self) -> Option<ValueId> {
        let inner = negated(self.at.func, self.at.func.result(self.op, 0))?;
        if let Some(value) = negated(self.at.func, inner) {
            return Some(value);
        }
        let (op, operands) = made_by(self.at.func, inner)?;
        let operands = operands.to_vec();
        let op = match op {
            Op::Cmpi(predicate) => Op::Cmpi(opposite(predicate)),
            Op::Cmpf(predicate) => Op::Cmpf(float_opposite(predicate)),
            _ => return None,
        };
        Some(self.at.scalar(op, &operands, Type::I1))
    }

    fn comparison(&mut self, predicate: Predicate) -> Option<ValueId> {
        if self.operands[0] == self.operands[1] {
            use Predicate::{Eq, Sge, Sle, Uge, Ule};
            return Some(self.number(matches!(predicate, Eq | Sle | Sge | Ule | Uge).into(), Type::I1));
        }
        let (equal, literal) = match (predicate, self.literal(1)?) {
            (Predicate::Eq, literal @ (0 | 1)) => (true, literal == 1),
            (Predicate::Ne, literal @ (0 | 1)) => (false, literal == 1),
            _ => return None,
        };
        let (op, operands) = made_by(self.at.func, self.operands[0])?;
        let operands = operands.to_vec();
        let bit = match op {
            // A bit that was widened.
            Op::Plain(OpKind::Extui) if self.at.func.ty(operands[0]).scalar() == Some(Type::I1) => {
                operands[0]
            }
            // The lowest bit alone.
            Op::Plain(OpKind::Andi) if matches!(self.ty, Type::Int(2..)) => {
                let is_one = |v: ValueId| edit::constant(self.at.func, v) == Some(1);
                let at = [1, 0].into_iter().find(|&k| is_one(operands[k]))?;
                self.at.scalar(Op::Plain(OpKind::Trunci), &[operands[1 - at]], Type::I1)
            }
            _ => return None,
        };
        Some(if equal == literal { bit } else { self.not(bit) })
    }

    fn choice(&mut self) -> Option<ValueId> {
        let &[cond, yes, no] = &self.operands[..] else { return None };
        let ty = self.at.func.ty(yes).scalar()?;
        let select = Op::Plain(OpKind::Select);
        if let Some(other) = negated(self.at.func, cond) {
            return Some(self.at.scalar(select, &[other, no, yes], ty));
        }
        let width = self.width(ty);
        match (self.literal(1), self.literal(2)) {
            (Some(1), Some(0)) if ty == Type::I1 => Some(cond),
            (Some(0), Some(1)) if ty == Type::I1 => Some(self.not(cond)),
            (None, Some(0)) if ty == Type::I1 => {
                Some(self.at.scalar(Op::Plain(OpKind::Andi), &[cond, yes], ty))
            }
            (Some(1), None) if ty == Type::I1 => {
                Some(self.at.scalar(Op::Plain(OpKind::Ori), &[cond, no], ty))
            }
            (Some(1), Some(0)) if matches!(ty, Type::Int(_)) => {
                Some(self.at.scalar(Op::Plain(OpKind::Extui), &[cond], ty))
            }
            // No unit fills less with a truth value.
            (Some(ones), Some(0)) if matches!(ty, Type::Int(32..)) && ones == truncate(u64::MAX, width) => {
                Some(self.at.scalar(Op::Plain(OpKind::Extsi), &[cond], ty))
            }
            _ => self.nested_choice([cond, yes, no], ty),
        }
    }

    /// A choice of what another choice, which nobody else has, may give too: both conditions are put together first, so that the number
    /// passes one choice. What decides is mostly known before what is chosen from, as in a loop that leaves a number as it is.
    fn nested_choice(&mut self, [cond, yes, no]: [ValueId; 3], ty: Type) -> Option<ValueId> {
        let func = &*self.at.func;
        let is_single = |v: ValueId| self.uses.get(v.0 as usize) == Some(&1);
        let inner = |v: ValueId| match made_by(func, v) {
            Some((Op::Plain(OpKind::Select), &[q, a, b])) if is_single(v) => Some([q, a, b]),
            _ => None,
        };
        // A comparison has an opposite.
        let turns =
            |v: ValueId| is_single(v) && matches!(made_by(func, v), Some((Op::Cmpi(_) | Op::Cmpf(_), _)));
        let (kind, conditions, turned, sides) = match (inner(yes), inner(no)) {
            (_, Some([q, a, b])) if a == yes => (OpKind::Ori, [cond, q], None, [yes, b]),
            (Some([q, a, b]), _) if b == no => (OpKind::Andi, [cond, q], None, [a, no]),
            (_, Some([q, a, b])) if b == yes && turns(cond) => (OpKind::Andi, [cond, q], Some(0), [a, yes]),
            (_, Some([q, a, b])) if b == yes && turns(q) => (OpKind::Ori, [cond, q], Some(1), [yes, a]),
            (Some([q, a, b]), _) if a == no && turns(q) => (OpKind::Andi, [cond, q], Some(1), [b, no]),
            (Some([q, a, b]), _) if a == no && turns(cond) => (OpKind::Ori, [cond, q], Some(0), [no, b]),
            _ => return None,
        };
        let mut conditions = conditions;
        if let Some(k) = turned {
            conditions[k] = self.not(conditions[k]);
        }
        let cond = self.at.scalar(Op::Plain(kind), &conditions, Type::I1);
        Some(self.at.scalar(Op::Plain(OpKind::Select), &[cond, sides[0], sides[1]], ty))
    }

    /// The number that a cast or shift takes out of a word, from a bit on, where the word was put together of numbers.
    fn taken_apart(&mut self, low: u32) -> Option<ValueId> {
        let target = self.at.func.ty(self.at.func.result(self.op, 0)).scalar()?;
        let is_number = |ty: &Type| ty.is_integral() && *ty != Type::Index;
        let width = self.width(target).checked_sub(low).filter(|&w| w > 0 && is_number(&target))?;
        let of = Bits { value: self.operands[0], low, width };
        match packed::bits(self.at.func, self.target.index_width, of)? {
            Found::Zero => Some(self.number(0, target)),
            Found::Number(value, bits) => {
                let ty = self.at.func.ty(value).scalar().filter(is_number)?;
                match self.width(ty).cmp(&self.width(target)) {
                    Ordering::Equal => (bits == width && low == 0).then_some(value),
                    Ordering::Less => (bits >= self.width(ty))
                        .then(|| self.at.scalar(Op::Plain(OpKind::Extui), &[value], target)),
                    Ordering::Greater => (bits == width && low == 0)
                        .then(|| self.at.scalar(Op::Plain(OpKind::Trunci), &[value], target)),
                }
            }
        }
    }

    /// A cast of a cast that one cast does, or none.
    fn cast(&mut self, kind: OpKind) -> Option<ValueId> {
        use OpKind::{Extsi, Extui, IndexCast, IndexCastui, Trunci};
        let (Op::Plain(inner), from) = made_by(self.at.func, self.operands[0])? else { return None };
        let from = from[0];
        let (source, middle) = (self.at.func.ty(from).scalar()?, self.ty);
        let target = self.at.func.ty(self.at.func.result(self.op, 0)).scalar()?;
        let [a, b, c] = [source, middle, target].map(|ty| self.width(ty));
        let to_index = |kind| matches!(kind, IndexCast | IndexCastui);
        match (inner, kind) {
            // There and back, where what lies between holds all bits.
            (Extsi | Extui, Trunci) if source == target => Some(from),
            _ if to_index(inner) && to_index(kind) && source == target && b >= a => Some(from),
            (Extsi | Extui, Trunci) if c < a => Some(self.at.scalar(Op::Plain(Trunci), &[from], target)),
            // What `widen` has made of a sign in less than 32 bits.
            (Extsi, Trunci) if a == 1 && b >= 32 && c < 32 => None,
            (Extsi | Extui, Trunci) if c > a => Some(self.at.scalar(Op::Plain(inner), &[from], target)),
            // A distance of pointers of which C keeps 32 bits or less: fabrics without wide words have the low ones.
            (IndexCast | IndexCastui, Trunci) if source == Type::Index && b > 32 && c <= 32 => {
                let low = self.at.scalar(Op::Plain(IndexCast), &[from], Type::I32);
                Some(if c == 32 { low } else { self.at.scalar(Op::Plain(Trunci), &[low], target) })
            }
            (Trunci, Trunci) => Some(self.at.scalar(Op::Plain(Trunci), &[from], target)),
            (Extui, Extui | Extsi) => Some(self.at.scalar(Op::Plain(Extui), &[from], target)),
            (Extsi, Extsi) => Some(self.at.scalar(Op::Plain(Extsi), &[from], target)),
            _ => None,
        }
    }
}

/// The predicate that holds where another does not.
fn float_opposite(predicate: FloatPredicate) -> FloatPredicate {
    let orders = [None, Some(Ordering::Less), Some(Ordering::Equal), Some(Ordering::Greater)];
    let is_opposite = |p: &FloatPredicate| orders.iter().all(|&o| p.holds(o) != predicate.holds(o));
    FloatPredicate::all().find(is_opposite).expect("each set of orders is a predicate")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_float_predicate_has_an_opposite() {
        for p in FloatPredicate::all() {
            assert_eq!(float_opposite(float_opposite(p)), p);
        }
    }
}
