//! Casts between integers and floats by those that fabrics have more of, without any error.
//!
//! What a cast makes of numbers out of range is what the op table says: the nearest integer, 0 of a NaN.

use super::pen::{Calculator, Comparison, Pen, WORD};
use loom_dfg::OpKind::{Fptosi, Fptoui, Sitofp, Uitofp};
use loom_dfg::Type::{Bf16, F16, F32, F64};
use loom_dfg::{Op, OpKind, Predicate, Type};

/// The casts that have a formula. Not from integers to `bf16`: rounded to `f32` first they would be rounded twice. Those that
/// are in the range of `f16` at all are in `f32` as they are.
pub const ALL: [(OpKind, Type, Type); 14] = [
    (Uitofp, Type::I32, F32),
    (Uitofp, Type::I32, F64),
    (Uitofp, WORD, F32),
    (Uitofp, WORD, F64),
    (Fptoui, F32, Type::I32),
    (Fptoui, F64, Type::I32),
    (Fptoui, F32, WORD),
    (Fptoui, F64, WORD),
    (Fptosi, Bf16, Type::I32),
    (Fptosi, F16, Type::I32),
    (Fptosi, Bf16, WORD),
    (Fptosi, F16, WORD),
    (Sitofp, Type::I32, F16),
    (Sitofp, WORD, F16),
];

/// A cast's value. Panics where it is not in the list.
#[inline(always)]
pub fn value<C: Calculator>(pen: &mut Pen<C>, kind: OpKind, from: Type, to: Type, x: C::Value) -> C::Value {
    let cast = |pen: &mut Pen<C>, kind, v, ty| pen.0.op(Op::Plain(kind), &[v], ty);
    match (kind, from, to) {
        (Uitofp, Type::I32, _) => {
            let wide = cast(pen, OpKind::Extui, x, WORD);
            pen.number(wide, to)
        }
        (Uitofp, _, F32) => halved(pen, x),
        (Uitofp, ..) => in_halves(pen, x),
        (Fptoui, _, WORD) => from_two_ranges(pen, from, x),
        (Fptoui, ..) => {
            let wide = pen.whole(x);
            let within = clamped(pen, wide);
            cast(pen, OpKind::Trunci, within, to)
        }
        (Fptosi, ..) => {
            let single = cast(pen, OpKind::Extf, x, F32);
            cast(pen, Fptosi, single, to)
        }
        (Sitofp, ..) => {
            let single = pen.number(x, F32);
            cast(pen, OpKind::Truncf, single, to)
        }
        (kind, ..) => unreachable!("{kind} is not in the list"),
    }
}

/// An unsigned word in single precision. From 2^63 on it is halved; the bit that is lost then is below all that rounding looks
/// at, but for whether there is any.
#[inline(always)]
fn halved<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let is_large = pen.is(Predicate::Slt, x, 0);
    let half = pen.down(x, 1);
    let lost = pen.masked(x, 1);
    let half = pen.joined(half, lost);
    let word = pen.choice(is_large, half, x, WORD);
    let number = pen.number(word, F32);
    let [two, one] = [2.0, 1.0].map(|v| pen.single(v));
    let scale = pen.choice(is_large, two, one, F32);
    pen.float(OpKind::Mulf, &[number, scale], F32)
}

/// An unsigned word in double precision: both halves are exact, and their sum is rounded once.
#[inline(always)]
fn in_halves<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let high = pen.down(x, 32);
    let low = pen.masked(x, 0xffff_ffff);
    let [high, low] = [high, low].map(|v| pen.number(v, F64));
    let high = pen.scaled(high, libm::exp2(32.0));
    pen.float(OpKind::Addf, &[high, low], F64)
}

/// A float as an unsigned word: from 2^63 on what it is above that, which is exact.
#[inline(always)]
fn from_two_ranges<C: Calculator>(pen: &mut Pen<C>, from: Type, x: C::Value) -> C::Value {
    let literal = |pen: &mut Pen<C>, value: f64| match from {
        F32 => pen.single(value as f32),
        _ => pen.double_literal(value),
    };
    let [top, zero] = [libm::exp2(63.0), 0.0].map(|v| literal(pen, v));
    let is_large = pen.compare(Comparison::AtLeast, x, top);
    let base = pen.choice(is_large, top, zero, from);
    let above = pen.float(OpKind::Subf, &[x, base], from);
    let above = pen.whole(above);
    let above = not_negative(pen, above);
    let [top, zero] = [i64::MIN, 0].map(|v| pen.int(v));
    let base = pen.choice(is_large, top, zero, WORD);
    pen.joined(above, base)
}

#[inline(always)]
fn not_negative<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let is_negative = pen.is(Predicate::Slt, x, 0);
    let zero = pen.int(0);
    pen.choice(is_negative, zero, x, WORD)
}

/// The nearest word that 32 bits hold without a sign.
#[inline(always)]
fn clamped<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let x = not_negative(pen, x);
    let fits = pen.is(Predicate::Slt, x, 1 << 32);
    let most = pen.int(0xffff_ffff);
    pen.choice(fits, x, most, WORD)
}
