//! The ops of formulas by the machine's own numbers, thousands of times as fast as through the op table.

use loom_dfg::{float, Op, OpKind, Predicate, Type};
use loom_front::elementary::Calculator;

/// Computes; values are bits with their type.
pub struct Host;

impl Calculator for Host {
    type Value = (u64, Type);

    #[inline(always)]
    fn literal(&mut self, bits: u64, ty: Type) -> (u64, Type) {
        (bits, ty)
    }

    #[inline(always)]
    fn op(&mut self, op: Op, operands: &[(u64, Type)], ty: Type) -> (u64, Type) {
        (computed(op, operands, ty), ty)
    }
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn double(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// The bits of a result; a NaN is the canonical one.
fn of_single(value: f32) -> u64 {
    let bits = if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() };
    bits.into()
}

fn of_double(value: f64) -> u64 {
    if value.is_nan() {
        f64::NAN.to_bits()
    } else {
        value.to_bits()
    }
}

/// What an op gives.
#[inline(always)]
pub fn computed(op: Op, operands: &[(u64, Type)], ty: Type) -> u64 {
    let (a, from) = operands[0];
    let b = operands.get(1).map_or(0, |o| o.0);
    let is_single = from == Type::F32;
    match op {
        Op::Plain(OpKind::Select) => {
            if a & 1 == 1 {
                b
            } else {
                operands[2].0
            }
        }
        Op::Cmpi(predicate) => compared(predicate, signed(a, from), signed(b, from)).into(),
        Op::Cmpf(predicate) if is_single => predicate.holds(single(a).partial_cmp(&single(b))).into(),
        Op::Cmpf(predicate) => predicate.holds(double(a).partial_cmp(&double(b))).into(),
        Op::Plain(kind) if !from.is_float() => of_integers(kind, a, b, from, ty),
        Op::Plain(OpKind::Extf | OpKind::Truncf) => converted(a, from, ty),
        Op::Plain(OpKind::Fptosi) => {
            let value = if is_single { single(a).into() } else { double(a) };
            loom_base::truncate(
                if ty == Type::I32 { value as i32 as u64 } else { value as i64 as u64 },
                ty.width(32),
            )
        }
        Op::Plain(OpKind::Bitcast) => a,
        // A NaN's other bits stay.
        Op::Plain(OpKind::Absf) if is_single => a & 0x7fff_ffff,
        Op::Plain(OpKind::Absf) => a & i64::MAX as u64,
        Op::Plain(kind) if is_single => of_single(in_single(kind, single(a), single(b))),
        Op::Plain(kind) => of_double(in_double(kind, double(a), double(b))),
        op => panic!("{op:?}"),
    }
}

#[inline(always)]
fn signed(bits: u64, ty: Type) -> i64 {
    match ty {
        Type::I32 => (bits as i32).into(),
        _ => bits as i64,
    }
}

#[inline(always)]
fn compared(predicate: Predicate, a: i64, b: i64) -> bool {
    match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Slt => a < b,
        Predicate::Ult => (a as u64) < b as u64,
        predicate => panic!("{predicate:?}"),
    }
}

#[inline(always)]
fn of_integers(kind: OpKind, a: u64, b: u64, from: Type, ty: Type) -> u64 {
    let shift = |value: Option<u64>| value.unwrap_or(0);
    let by = u32::try_from(b).unwrap_or(u32::MAX);
    let value = match kind {
        OpKind::Addi => a.wrapping_add(b),
        OpKind::Subi => a.wrapping_sub(b),
        OpKind::Muli => a.wrapping_mul(b),
        OpKind::Andi => a & b,
        OpKind::Ori => a | b,
        OpKind::Xori => a ^ b,
        OpKind::Minsi => (a as i64).min(b as i64) as u64,
        OpKind::Maxsi => (a as i64).max(b as i64) as u64,
        OpKind::Shli => shift(a.checked_shl(by)),
        OpKind::Shrui => shift(a.checked_shr(by)),
        OpKind::Shrsi => (signed(a, from) >> by.min(63)) as u64,
        OpKind::Sitofp if ty == Type::F32 => of_single(signed(a, from) as f32),
        OpKind::Sitofp => of_double(signed(a, from) as f64),
        OpKind::Extui | OpKind::Trunci | OpKind::Bitcast => a,
        kind => panic!("{kind:?} from {from} to {ty}"),
    };
    loom_base::truncate(value, ty.width(32))
}

#[inline(always)]
fn in_single(kind: OpKind, a: f32, b: f32) -> f32 {
    match kind {
        OpKind::Addf => a + b,
        OpKind::Subf => a - b,
        OpKind::Mulf => a * b,
        OpKind::Divf => a / b,
        kind => panic!("{kind:?}"),
    }
}

#[inline(always)]
fn in_double(kind: OpKind, a: f64, b: f64) -> f64 {
    match kind {
        OpKind::Addf => a + b,
        OpKind::Subf => a - b,
        OpKind::Mulf => a * b,
        OpKind::Divf => a / b,
        OpKind::Sqrt => a.sqrt(),
        // Of zeros the negative one is the smaller.
        OpKind::Minimumf if a == b => f64::from_bits(a.to_bits() | b.to_bits()),
        OpKind::Minimumf if a.is_nan() || b.is_nan() => f64::NAN,
        OpKind::Minimumf => a.min(b),
        OpKind::Maximumf if a == b => f64::from_bits(a.to_bits() & b.to_bits()),
        OpKind::Maximumf if a.is_nan() || b.is_nan() => f64::NAN,
        OpKind::Maximumf => a.max(b),
        kind => panic!("{kind:?}"),
    }
}

#[inline(always)]
fn converted(a: u64, from: Type, ty: Type) -> u64 {
    match (from, ty) {
        (Type::F32, Type::F64) => of_double(single(a).into()),
        (Type::F64, Type::F32) => of_single(double(a) as f32),
        _ => float::from_f64(ty, float::to_f64(from, a)),
    }
}
