//! Cheaper ops for the same numbers: shifts and masks for products, quotients and remainders by powers of two, products for those by other
//! literals ([`super::divide`]), comparisons and choices without their negations, casts that undo each other.
//!
//! Every rewrite holds for all bits, by what the op table says of the ops, and needs no more ops on a way round a loop than were there:
//! a division works bit by bit, so the few ops that stand for one are faster in any place. Products in 64 bits for divisions of 32 are for
//! fabrics that have them and for speed: there may be fewer such units than dividers. Which accesses may meet is
//! known before: subscripts are products still then.

use super::divide::Magic;
use super::intervals::{self, NumberInterval};
use super::packed::{self, Bits, Found};
use super::sign;
use crate::edit::{self, made_by, Changes, InsertionPoint, Parents};
use crate::ir::{Func, Kind, OpId, ValueId};
use crate::passes::{Aim, PassTarget};
use crate::predicate::opposite;
use loom_base::{sign_extend, truncate};
use loom_dfg::{FloatPredicate, Op, OpKind, Predicate, Type};
use std::cmp::Ordering;

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
    let (index_width, wide) = (target.index_width, target.wide_products && target.aim == Aim::Speed);
    let parents = Parents::new(func);
    let mut changes = Changes::default();
    let ops = edit::walk(func);
    // Only divisions ask for them.
    let intervals = match ops.iter().any(|&op| divides(&func.op(op).kind)) {
        true => intervals::of(func, index_width),
        false => Vec::new(),
    };
    for op in ops {
        // Of the first operand as it was: what was made in its place since is the same number.
        let first = func.op(op).operands.first().map(|v| v.0 as usize);
        let known = first.and_then(|v| intervals.get(v).copied().flatten());
        changes.resolve(func, op);
        let Kind::Scalar(scalar) = func.op(op).kind else { continue };
        let operands = func.op(op).operands.clone();
        let Some(ty) = func.ty(operands[0]).scalar() else { continue };
        let at = InsertionPoint::new(func, op);
        let mut r = Reduce { at, parents: &parents, known, op, operands, ty, index_width, wide };
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
    use OpKind::{Ceildivsi, Divsi, Divui, Floordivsi, Remsi, Remui};
    matches!(kind, Kind::Scalar(op) if matches!(op.kind(), Divsi | Divui | Remsi | Remui | Ceildivsi | Floordivsi))
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

/// One op of the table, with what may stand in its place before it.
struct Reduce<'f> {
    at: InsertionPoint<'f>,
    parents: &'f Parents,
    /// Where the first operand of an op in a function with divisions lies.
    known: Option<NumberInterval>,
    op: OpId,
    operands: Vec<ValueId>,
    /// Of the operands; of a choice, its condition's.
    ty: Type,
    index_width: u32,
    /// Whether products of 64 bits are at hand for divisions of 32.
    wide: bool,
}

impl Reduce<'_> {
    fn width(&self, ty: Type) -> u32 {
        ty.width(self.index_width)
    }

    /// The bits of an operand that is a literal.
    fn literal(&self, k: usize) -> Option<u64> {
        let value = *self.operands.get(k)?;
        let ty = self.at.func.ty(value).scalar()?;
        Some(truncate(edit::constant(self.at.func, value)?, self.width(ty)))
    }

    /// Whether the first operand is proved not to be negative where the op stands.
    fn is_natural(&self) -> bool {
        self.known.is_some_and(NumberInterval::is_not_negative)
            || sign::is_not_negative(self.at.func, self.parents, self.operands[0], self.op)
    }

    fn ones(&self) -> u64 {
        truncate(u64::MAX, self.width(self.ty))
    }

    /// The exponent of an operand that is a power of two above 1; the least signed number is none.
    fn power(&self, k: usize) -> Option<u64> {
        let n = self.literal(k)?;
        let fits = n.is_power_of_two() && n > 1 && n.trailing_zeros() + 1 < self.width(self.ty);
        fits.then(|| n.trailing_zeros().into())
    }

    fn number(&mut self, bits: u64, ty: Type) -> ValueId {
        let bits = if ty == Type::Index { sign_extend(bits, self.index_width) as u64 } else { bits };
        self.at.constant(bits, ty)
    }

    fn make(&mut self, kind: OpKind, operands: &[ValueId]) -> ValueId {
        self.at.scalar(Op::Plain(kind), operands, self.ty)
    }

    /// An op with a literal of the operands' type.
    fn by(&mut self, kind: OpKind, value: ValueId, bits: u64) -> ValueId {
        let literal = self.number(bits, self.ty);
        self.make(kind, &[value, literal])
    }

    fn not(&mut self, value: ValueId) -> ValueId {
        let all = self.at.constant(1, Type::I1);
        self.at.scalar(Op::Plain(OpKind::Xori), &[value, all], Type::I1)
    }

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
                OpKind::Divsi | OpKind::Remsi | OpKind::Floordivsi | OpKind::Ceildivsi => {
                    self.signed_division(kind).or_else(|| self.by_product(kind))
                }
                OpKind::Divui | OpKind::Remui => self.arithmetic(kind).or_else(|| self.by_product(kind)),
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

    /// A signed division by a power of two. Towards zero, a negative dividend is first raised by one less than the divisor.
    fn signed_division(&mut self, kind: OpKind) -> Option<ValueId> {
        let (a, k) = (self.operands[0], self.power(1)?);
        let mask = (1 << k) - 1;
        let width = u64::from(self.width(self.ty));
        let positive = self.is_natural();
        match kind {
            OpKind::Floordivsi => return Some(self.by(OpKind::Shrsi, a, k)),
            OpKind::Divsi if positive => return Some(self.by(OpKind::Shrsi, a, k)),
            OpKind::Remsi if positive => return Some(self.by(OpKind::Andi, a, mask)),
            OpKind::Ceildivsi => {
                let down = self.by(OpKind::Shrsi, a, k);
                let rest = self.by(OpKind::Andi, a, mask);
                let zero = self.number(0, self.ty);
                let above = self.at.scalar(Op::Cmpi(Predicate::Ne), &[rest, zero], Type::I1);
                let up = self.by(OpKind::Addi, down, 1);
                return Some(self.make(OpKind::Select, &[above, up, down]));
            }
            _ => {}
        }
        // One less than the divisor where the dividend is negative.
        let sign = self.by(OpKind::Shrsi, a, width - 1);
        let raise = self.by(OpKind::Shrui, sign, width - k);
        let raised = self.make(OpKind::Addi, &[a, raise]);
        Some(match kind {
            OpKind::Divsi => self.by(OpKind::Shrsi, raised, k),
            _ => {
                let rest = self.by(OpKind::Andi, raised, mask);
                self.make(OpKind::Subi, &[rest, raise])
            }
        })
    }

    /// A quotient or remainder by a literal as a product and a shift.
    fn by_product(&mut self, kind: OpKind) -> Option<ValueId> {
        let width = self.width(self.ty);
        let (dividend, literal) = (self.operands[0], self.literal(1)?);
        let is_signed = match kind {
            OpKind::Divui | OpKind::Remui => false,
            OpKind::Divsi | OpKind::Remsi => true,
            _ => return None,
        };
        let is_negative = is_signed && literal >> (width - 1) == 1;
        let divisor = if is_negative { sign_extend(literal, width).unsigned_abs() } else { literal };
        let zero = self.number(0, self.ty);
        match divisor {
            0 => return None,
            1 if matches!(kind, OpKind::Remsi | OpKind::Remui) => return Some(zero),
            1 if is_negative => return Some(self.make(OpKind::Subi, &[zero, dividend])),
            1 => return Some(dividend),
            _ if is_negative && divisor.is_power_of_two() => {
                self.operands[1] = self.number(divisor, self.ty);
                let value = self.signed_division(kind)?;
                return Some(match kind {
                    OpKind::Remsi => value,
                    _ => self.make(OpKind::Subi, &[zero, value]),
                });
            }
            _ => {}
        }
        let is_natural = self.is_natural();
        let may_be_negative = is_signed && !is_natural;
        // What only a guard keeps from being negative is so in its interval.
        let most = match self.known {
            Some(known) if may_be_negative || known.is_not_negative() => known.furthest() as u64,
            _ if may_be_negative => 1 << (width - 1),
            _ if is_natural => self.ones() >> 1,
            _ => self.ones(),
        };
        let find = |bits| Magic::find(divisor, most, bits - u32::from(may_be_negative), may_be_negative);
        let (magic, ty) = match find(width) {
            Some(magic) => (magic, self.ty),
            None if self.wide && self.ty == Type::I32 => (find(64)?, Type::Int(64)),
            None => return None,
        };
        let mut quotient = self.shifted_product(dividend, magic, ty, may_be_negative);
        if may_be_negative {
            // One more for a negative dividend: its sign is -1.
            let sign = self.by(OpKind::Shrsi, dividend, u64::from(width) - 1);
            let order = if is_negative { [sign, quotient] } else { [quotient, sign] };
            quotient = self.make(OpKind::Subi, &order);
        } else if is_negative {
            quotient = self.make(OpKind::Subi, &[zero, quotient]);
        }
        if matches!(kind, OpKind::Divui | OpKind::Divsi) {
            return Some(quotient);
        }
        let whole = self.by(OpKind::Muli, quotient, literal);
        Some(self.make(OpKind::Subi, &[dividend, whole]))
    }

    /// A dividend times a factor, in words of a type, shifted down.
    fn shifted_product(&mut self, dividend: ValueId, magic: Magic, ty: Type, is_signed: bool) -> ValueId {
        let [extend, shift] = match is_signed {
            true => [OpKind::Extsi, OpKind::Shrsi],
            false => [OpKind::Extui, OpKind::Shrui],
        };
        let own = std::mem::replace(&mut self.ty, ty);
        let mut value = dividend;
        if ty != own {
            value = self.make(extend, &[value]);
        }
        if magic.raised {
            value = self.by(OpKind::Addi, value, 1);
        }
        value = self.by(OpKind::Muli, value, magic.factor);
        value = self.by(shift, value, magic.shift.into());
        self.ty = own;
        if ty != own {
            value = self.make(OpKind::Trunci, &[value]);
        }
        value
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
            _ => None,
        }
    }

    /// The number that a cast or shift takes out of a word, from a bit on, where the word was put together of numbers.
    fn taken_apart(&mut self, low: u32) -> Option<ValueId> {
        let target = self.at.func.ty(self.at.func.result(self.op, 0)).scalar()?;
        let is_number = |ty: &Type| ty.is_integral() && *ty != Type::Index;
        let width = self.width(target).checked_sub(low).filter(|&w| w > 0 && is_number(&target))?;
        let of = Bits { value: self.operands[0], low, width };
        match packed::bits(self.at.func, self.index_width, of)? {
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
