//! Ops on floats that formulas compute without any error: whole numbers, signs, and a product and a sum rounded once.
//!
//! Each result is that of the op table for every operand, bit by bit; so every NaN that is computed is the canonical one, and
//! `math.copysign` keeps a NaN's other bits. `bf16` and `f16` go through `f32`, which holds their whole numbers.

use super::pen::{Calculator, Comparison, Pen, WORD};
use loom_dfg::{float, Op, OpKind, Predicate, Type};

/// A float type that is computed in, and the integers that hold its bits.
#[derive(Clone, Copy)]
struct Format {
    ty: Type,
    bits: Type,
}

impl Format {
    const SINGLE: Format = Format { ty: Type::F32, bits: Type::I32 };
    const DOUBLE: Format = Format { ty: Type::F64, bits: WORD };

    fn of(ty: Type) -> Format {
        if ty == Type::F64 {
            Format::DOUBLE
        } else {
            Format::SINGLE
        }
    }

    /// A literal.
    #[inline(always)]
    fn number<C: Calculator>(self, pen: &mut Pen<C>, value: f64) -> C::Value {
        pen.0.literal(float::from_f64(self.ty, value), self.ty)
    }

    #[inline(always)]
    fn integer<C: Calculator>(self, pen: &mut Pen<C>, value: i64) -> C::Value {
        let bits = loom_base::truncate(value as u64, self.bits.width(64));
        pen.0.literal(bits, self.bits)
    }

    /// An op on bits and a literal.
    #[inline(always)]
    fn with<C: Calculator>(self, pen: &mut Pen<C>, kind: OpKind, a: C::Value, b: i64) -> C::Value {
        let b = self.integer(pen, b);
        self.words(pen, kind, a, b)
    }

    #[inline(always)]
    fn words<C: Calculator>(self, pen: &mut Pen<C>, kind: OpKind, a: C::Value, b: C::Value) -> C::Value {
        pen.0.op(Op::Plain(kind), &[a, b], self.bits)
    }

    #[inline(always)]
    fn floats<C: Calculator>(self, pen: &mut Pen<C>, kind: OpKind, a: C::Value, b: C::Value) -> C::Value {
        pen.0.op(Op::Plain(kind), &[a, b], self.ty)
    }

    #[inline(always)]
    fn choice<C: Calculator>(self, pen: &mut Pen<C>, condition: C::Value, yes: f64, no: f64) -> C::Value {
        let [yes, no] = [yes, no].map(|v| self.number(pen, v));
        pen.choice(condition, yes, no, self.ty)
    }

    /// Of the bits, the one that is the sign.
    fn sign(self) -> i64 {
        -1 << (self.bits.width(64) - 1)
    }

    /// A literal with a number's sign. Panics unless it is positive.
    #[inline(always)]
    fn signed_as<C: Calculator>(self, pen: &mut Pen<C>, value: f64, x: C::Value) -> C::Value {
        let bits = pen.bits(x, self.bits);
        let sign = self.with(pen, OpKind::Andi, bits, self.sign());
        let value = float::from_f64(self.ty, value) as i64;
        assert!(value >= 0, "not negative");
        let signed = self.with(pen, OpKind::Ori, sign, value);
        pen.bits(signed, self.ty)
    }
}

/// `math.floor`, `ceil`, `trunc`, `round` and `roundeven`, in `f32` or `f64`. Panics on another op.
#[inline(always)]
pub fn whole<C: Calculator>(pen: &mut Pen<C>, kind: OpKind, ty: Type, x: C::Value) -> C::Value {
    let format = Format::of(ty);
    match kind {
        // Times one: a NaN becomes the canonical one.
        OpKind::Trunc => {
            let one = format.number(pen, 1.0);
            let x = format.floats(pen, OpKind::Mulf, x, one);
            cut(pen, format, x)
        }
        // A difference keeps the sign of a zero that nothing is taken from.
        OpKind::Floor | OpKind::Ceil => {
            let below = kind == OpKind::Floor;
            let whole = cut(pen, format, x);
            let predicate = if below { Comparison::Less } else { Comparison::Greater };
            let is_past = pen.compare(predicate, x, whole);
            let step = format.choice(pen, is_past, if below { 1.0 } else { -1.0 }, 0.0);
            format.floats(pen, OpKind::Subf, whole, step)
        }
        // With the largest number below a half no sum is rounded up to a whole number that should not be reached; a half
        // and it make a tie, which goes to the even number, the whole one.
        OpKind::Round => {
            let nearly = 0.5 - libm::exp2(-f64::from(ty.fraction_bits()) - 2.0);
            let nearly = format.signed_as(pen, nearly, x);
            let sum = format.floats(pen, OpKind::Addf, x, nearly);
            cut(pen, format, sum)
        }
        OpKind::Roundeven => even(pen, format, x),
        kind => unreachable!("{kind} is not in the list"),
    }
}

/// The bits of a number that are no fraction. A NaN stays as it is.
#[inline(always)]
fn cut<C: Calculator>(pen: &mut Pen<C>, format: Format, x: C::Value) -> C::Value {
    let fraction = i64::from(format.ty.fraction_bits());
    let width = i64::from(format.bits.width(64));
    let (fields, bias) = ((1 << (width - 1 - fraction)) - 1, (1 << (width - 2 - fraction)) - 1);
    let bits = pen.bits(x, format.bits);
    let exponent = format.with(pen, OpKind::Shrui, bits, fraction);
    let exponent = format.with(pen, OpKind::Andi, exponent, fields);
    let exponent = format.with(pen, OpKind::Subi, exponent, bias);
    // Of numbers of an exponent below 0 only the sign; a shift by more than there are bits leaves copies of the highest.
    let all = format.integer(pen, -1 << fraction);
    let kept = format.words(pen, OpKind::Shrsi, all, exponent);
    let zero = format.integer(pen, 0);
    let is_small = pen.0.op(Op::Cmpi(Predicate::Slt), &[exponent, zero], Type::I1);
    let sign = format.integer(pen, format.sign());
    let kept = pen.choice(is_small, sign, kept, format.bits);
    let bits = format.words(pen, OpKind::Andi, bits, kept);
    pen.bits(bits, format.ty)
}

/// The nearest whole number: behind the largest number with a fraction sums are rounded to it.
#[inline(always)]
fn even<C: Calculator>(pen: &mut Pen<C>, format: Format, x: C::Value) -> C::Value {
    let end = libm::exp2(format.ty.fraction_bits().into());
    let magnitude = pen.0.op(Op::Plain(OpKind::Absf), &[x], format.ty);
    let limit = format.number(pen, end);
    let may_have_fraction = pen.compare(Comparison::Less, magnitude, limit);
    let end = format.choice(pen, may_have_fraction, end, 0.0);
    let sum = format.floats(pen, OpKind::Addf, magnitude, end);
    let whole = format.floats(pen, OpKind::Subf, sum, end);
    // A product, which keeps the sign of zeros and makes one NaN of all.
    let one = format.signed_as(pen, 1.0, x);
    format.floats(pen, OpKind::Mulf, whole, one)
}

/// `math.copysign`, in any type.
#[inline(always)]
pub fn sign_of<C: Calculator>(pen: &mut Pen<C>, ty: Type, x: C::Value, of: C::Value) -> C::Value {
    let format = Format { ty, bits: Type::Int(ty.width(64) as u8) };
    let [x, of] = [x, of].map(|v| pen.bits(v, format.bits));
    let magnitude = format.with(pen, OpKind::Andi, x, !format.sign());
    let sign = format.with(pen, OpKind::Andi, of, format.sign());
    let bits = format.words(pen, OpKind::Ori, magnitude, sign);
    pen.bits(bits, ty)
}

/// `math.fma` in `bf16`, `f16` or `f32`. In a type of twice the digits the product is exact. The sum there is rounded to an odd
/// last digit where it is not exact, so that a second rounding to half the digits goes as if it were the only one.
#[inline(always)]
pub fn product_and_sum<C: Calculator>(pen: &mut Pen<C>, ty: Type, operands: &[C::Value]) -> C::Value {
    let convert = |pen: &mut Pen<C>, kind, v, ty| pen.0.op(Op::Plain(kind), &[v], ty);
    // Products of bf16 leave the range of f32, those of f16 do not.
    let wide = if ty == Type::F16 { Format::SINGLE } else { Format::DOUBLE };
    let [a, b, c] = [operands[0], operands[1], operands[2]].map(|v| match (ty, wide.ty) {
        (Type::Bf16, _) => {
            let single = convert(pen, OpKind::Extf, v, Type::F32);
            convert(pen, OpKind::Extf, single, Type::F64)
        }
        (_, wide) => convert(pen, OpKind::Extf, v, wide),
    });
    let product = wide.floats(pen, OpKind::Mulf, a, b);
    let sum = wide.floats(pen, OpKind::Addf, product, c);
    // What rounding took away, exactly (Knuth).
    let added = wide.floats(pen, OpKind::Subf, sum, product);
    let kept = wide.floats(pen, OpKind::Subf, sum, added);
    let of_product = wide.floats(pen, OpKind::Subf, product, kept);
    let of_c = wide.floats(pen, OpKind::Subf, c, added);
    let rest = wide.floats(pen, OpKind::Addf, of_product, of_c);
    let sum = odd(pen, wide, sum, rest, wide);
    if ty != Type::Bf16 {
        return convert(pen, OpKind::Truncf, sum, ty);
    }
    let single = convert(pen, OpKind::Truncf, sum, Type::F32);
    let back = convert(pen, OpKind::Extf, single, Type::F64);
    let rest = wide.floats(pen, OpKind::Subf, sum, back);
    let single = odd(pen, Format::SINGLE, single, rest, wide);
    convert(pen, OpKind::Truncf, single, ty)
}

/// A number that was rounded to the nearest one, and what is left to the exact one: the odd one of the two beside the exact one.
/// Infinities, whose rest is no number, stay; a sum that is not exact is no zero.
#[inline(always)]
fn odd<C: Calculator>(
    pen: &mut Pen<C>,
    format: Format,
    nearest: C::Value,
    rest: C::Value,
    of_rest: Format,
) -> C::Value {
    let zero = of_rest.number(pen, 0.0);
    let is_inexact = pen.compare(Comparison::Unequal, rest, zero);
    let rest = match format.ty == of_rest.ty {
        true => rest,
        false => pen.0.op(Op::Plain(OpKind::Truncf), &[rest], format.ty),
    };
    let [bits, rest] = [nearest, rest].map(|v| pen.bits(v, format.bits));
    // One down where the exact number is nearer to zero; then the odd one of two.
    let signs = format.words(pen, OpKind::Xori, bits, rest);
    let down = format.with(pen, OpKind::Shrsi, signs, i64::from(format.bits.width(64)) - 1);
    let below = format.words(pen, OpKind::Addi, bits, down);
    let below = format.with(pen, OpKind::Ori, below, 1);
    let bits = pen.choice(is_inexact, below, bits, format.bits);
    pen.bits(bits, format.ty)
}
