//! Integers as wide as units are: what depends on an integer's width is computed in 32 or 64 bits.
//!
//! A sum's low bits need no more than low bits, so any unit does it (D8). A comparison, a shift, a quotient, an extreme, a count of bits or a
//! conversion to a float needs its own width, and fabrics have units of 32 and 64 bits, not of 8 or 48. So their operands are extended, as C's own
//! promotions do, by the sign where the op looks at it, and the result is cut off again. Casts themselves have units from and
//! to some widths only; the others are gone then ([`super::odd`]), and so is the sign of a truth value in less than 32 bits. This holds for every fabric: which units there are is for the
//! mapper to know.

use super::odd;
use crate::edit::{self, Changes, InsertionPoint};
use crate::ir::{Func, Kind, OpId, ValueId};
use loom_base::{sign_extend, truncate};
use loom_dfg::{Op, OpKind, Predicate, Type};

/// The type that has units, where an integer's own has none.
fn wide_of(width: u8) -> Option<Type> {
    match width {
        32 | 64 => None,
        ..32 => Some(Type::I32),
        _ => Some(Type::Int(64)),
    }
}

/// Widens each op that needs it.
pub fn run(func: &mut Func) {
    let mut changes = Changes::default();
    for op in edit::walk(func) {
        changes.resolve(func, op);
        if is_short_sign(func, op) {
            via_wide(func, op, &mut changes);
            continue;
        }
        let Some((scalar, wide, extend)) = needed(func, &func.op(op).kind, &func.op(op).operands) else {
            continue;
        };
        let operands = func.op(op).operands.clone();
        let result = func.result(op, 0);
        let from = func.ty(operands[0]).scalar().expect("an operand is a number");
        let mut at = InsertionPoint::new(func, op);
        let wide: Vec<ValueId> =
            (operands.iter().zip(extend)).map(|(&v, e)| widened(&mut at, v, e, wide)).collect();
        let given = at.func.ty(result).scalar().expect("the result is a number");
        let value = match scalar {
            Op::Cmpi(_) | Op::Plain(OpKind::Sitofp) => at.scalar(scalar, &wide, given),
            _ => {
                let value = computed(&mut at, scalar, &wide, from);
                at.scalar(Op::Plain(OpKind::Trunci), &[value], given)
            }
        };
        let made = at.made;
        changes.insert_before(op, made);
        changes.replace(result, value);
        changes.erase(op);
    }
    changes.apply(func);
    odd::run(func);
}

/// Whether no op needs a unit narrower than there are.
pub fn holds(func: &Func) -> bool {
    edit::walk(func).into_iter().all(|op| {
        let record = func.op(op);
        !is_short_sign(func, op) && needed(func, &record.kind, &record.operands).is_none()
    })
}

/// Whether an op makes a byte or 16 bits of a truth value as a sign: units fill 32 or 64 bits with it.
fn is_short_sign(func: &Func, op: OpId) -> bool {
    let record = func.op(op);
    let width = |v: ValueId| match func.ty(v).scalar() {
        Some(Type::Int(width)) => width,
        _ => 0,
    };
    record.kind == Kind::Scalar(Op::Plain(OpKind::Extsi))
        && width(record.operands[0]) == 1
        && width(func.result(op, 0)) < 32
}

/// Casts to 32 bits first, of which the low ones are taken.
fn via_wide(func: &mut Func, op: OpId, changes: &mut Changes) {
    let (operand, result) = (func.op(op).operands[0], func.result(op, 0));
    let mut at = InsertionPoint::new(func, op);
    let given = at.func.ty(result).scalar().expect("the result is a number");
    let wide = at.scalar(Op::Plain(OpKind::Extsi), &[operand], Type::I32);
    let value = at.scalar(Op::Plain(OpKind::Trunci), &[wide], given);
    let made = at.made;
    changes.insert_before(op, made);
    changes.replace(result, value);
    changes.erase(op);
}

/// The op of a narrower integer by that of its extension: bits are turned and counted from the top.
fn computed(at: &mut InsertionPoint, scalar: Op, operands: &[ValueId], from: Type) -> ValueId {
    let ty = at.func.ty(operands[0]).scalar().expect("it was extended");
    let (bits, above) = (from.width(64), u64::from(ty.width(64) - from.width(64)));
    match scalar.kind() {
        OpKind::Bitreverse => {
            let value = at.scalar(scalar, operands, ty);
            let above = at.constant(above, ty);
            at.scalar(Op::Plain(OpKind::Shrui), &[value, above], ty)
        }
        OpKind::Ctlz => {
            let value = at.scalar(scalar, operands, ty);
            let above = at.constant(above, ty);
            at.scalar(Op::Plain(OpKind::Subi), &[value, above], ty)
        }
        // As far as the first bit above.
        OpKind::Cttz => {
            let end = at.constant(1 << bits, ty);
            let value = at.scalar(Op::Plain(OpKind::Ori), &[operands[0], end], ty);
            at.scalar(scalar, &[value], ty)
        }
        _ => at.scalar(scalar, operands, ty),
    }
}

/// The op in a type that has units, that type, and how its operands are extended, when it depends on a narrow width.
fn needed(func: &Func, kind: &Kind, operands: &[ValueId]) -> Option<(Op, Type, [OpKind; 2])> {
    use OpKind::{Extsi, Extui};
    let Kind::Scalar(scalar) = *kind else { return None };
    let Type::Int(width) = func.ty(*operands.first()?).scalar()? else { return None };
    let wide = wide_of(width)?;
    let extend = match scalar {
        Op::Plain(OpKind::Sitofp) => [Extsi; 2],
        // With zeros in front it is no negative number, and more fabrics convert signed ones.
        Op::Plain(OpKind::Uitofp) => return Some((Op::Plain(OpKind::Sitofp), wide, [Extui; 2])),
        Op::Cmpi(Predicate::Slt | Predicate::Sle | Predicate::Sgt | Predicate::Sge) => [Extsi; 2],
        Op::Cmpi(_) => [Extui; 2],
        Op::Plain(kind) if width > 1 => match kind {
            OpKind::Shli | OpKind::Shrui => [Extui; 2],
            // An amount has no sign.
            OpKind::Shrsi => [Extsi, Extui],
            OpKind::Divui | OpKind::Remui | OpKind::Ceildivui => [Extui; 2],
            OpKind::Divsi | OpKind::Remsi | OpKind::Ceildivsi | OpKind::Floordivsi => [Extsi; 2],
            OpKind::Maxui | OpKind::Minui => [Extui; 2],
            OpKind::Maxsi | OpKind::Minsi => [Extsi; 2],
            OpKind::Absi => [Extsi; 2],
            OpKind::Ctpop | OpKind::Ctlz | OpKind::Cttz | OpKind::Bitreverse => [Extui; 2],
            _ => return None,
        },
        _ => return None,
    };
    Some((scalar, wide, extend))
}

fn widened(at: &mut InsertionPoint, value: ValueId, extend: OpKind, wide: Type) -> ValueId {
    let width = at.func.ty(value).scalar().map_or(0, |ty| ty.width(64));
    match edit::constant(at.func, value) {
        Some(bits) if extend == OpKind::Extsi => {
            at.constant(truncate(sign_extend(bits, width) as u64, wide.width(64)), wide)
        }
        Some(bits) => at.constant(bits, wide),
        None => at.scalar(Op::Plain(extend), &[value], wide),
    }
}
