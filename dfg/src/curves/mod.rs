//! What the units of elementary functions compute, bit by bit, for `bf16`, `f16` and `f32`.
//!
//! Each function is written once, as steps on words of bits ([`Circuit`]): the golden and the native model compute the steps
//! ([`value`]), the generator draws them. Steps are whole numbers only: the operand taken apart, an exact reduction of
//! its range, a polynomial from a table ([`pieces`]), one rounding, and what IEEE 754 says of special operands.
//!
//! Guarantees: total; less than 1 ulp from the true value (docs/dfg.md has the largest errors, which tests measure); subnormals
//! are kept; a computed NaN is the canonical one; where the true value is a float, as at `exp2(3)`, it is the result. The functions
//! are odd, or even, where the true ones are. Refuses nothing: [`is_built`] says which functions there are, and at which types.

mod arc;
mod host;
mod log;
mod odd;
pub mod pieces;
mod power;
mod root;
mod turn;

use crate::op::{Elementary, Form};
use crate::{OpKind, Type};
pub use host::value;

/// The types that units of elementary functions have.
pub const TYPES: [Type; 3] = [Type::Bf16, Type::F16, Type::F32];

/// Takes the steps of a function: one computes them, another draws them. Words are unsigned; operands of a sum, a difference or
/// an operator on bits have one width, and so has the result, which wraps.
pub trait Circuit {
    /// Some bits.
    type Word: Clone;

    /// Says what follows, for who reads the drawing; names of its wires begin with `name`.
    fn part(&mut self, name: &'static str, what: &str);

    /// How many bits.
    fn width(&self, a: &Self::Word) -> u32;
    /// A literal.
    fn literal(&mut self, width: u32, value: u128) -> Self::Word;
    /// a + b
    fn sum(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// a - b
    fn difference(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// The low `width` bits of a * b, of factors of any widths up to that.
    fn product(&mut self, a: &Self::Word, b: &Self::Word, width: u32) -> Self::Word;
    /// a & b
    fn and(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// a | b
    fn or(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// a ^ b
    fn differing(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// a << amount; an amount of any width.
    fn up(&mut self, a: &Self::Word, amount: &Self::Word) -> Self::Word;
    /// a >> amount; an amount of any width.
    fn down(&mut self, a: &Self::Word, amount: &Self::Word) -> Self::Word;
    /// `width` bits from bit `low` up.
    fn slice(&mut self, a: &Self::Word, low: u32, width: u32) -> Self::Word;
    /// The bits of `high` above those of `low`.
    fn join(&mut self, high: &Self::Word, low: &Self::Word) -> Self::Word;
    /// One bit so many times.
    fn copies(&mut self, bit: &Self::Word, times: u32) -> Self::Word;
    /// `then` where the bit is set.
    fn choice(&mut self, bit: &Self::Word, then: &Self::Word, otherwise: &Self::Word) -> Self::Word;
    /// One bit: whether a < b.
    fn below(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// One bit: whether any is set.
    fn any(&mut self, a: &Self::Word) -> Self::Word;
    /// Zeros above the highest one, the width for 0, in as few bits as hold the width.
    fn zeros(&mut self, a: &Self::Word) -> Self::Word;
    /// The entry of a table; 0 beyond its end.
    fn entry(&mut self, index: &Self::Word, table: &[u128], width: u32) -> Self::Word;
    /// The nearest float, ties to even, of a finite number: `value.exponent` is the exponent field that the highest bit of the
    /// significand would have, in two's complement.
    fn rounded(&mut self, ty: Type, value: Finite<Self::Word>) -> Self::Word;
}

/// A number before it is rounded.
pub struct Finite<W> {
    /// One bit.
    pub sign: W,
    /// In two's complement, two bits wider than the field at least.
    pub exponent: W,
    /// Never below this.
    pub least: i64,
    /// Its bits.
    pub significand: W,
    /// Whether the highest of them is always set.
    pub is_normal: bool,
}

/// Whether a unit of the op on this type can be built; true of what is no elementary function.
pub fn is_built(kind: OpKind, ty: Type) -> bool {
    match kind.form() {
        Form::Elementary(_) => kind.in_hardware() && TYPES.contains(&ty),
        _ => true,
    }
}

/// Takes the steps of a function; `None` of one that has none.
pub fn draw<C: Circuit>(c: &mut C, op: Elementary, ty: Type, x: &C::Word) -> Option<C::Word> {
    let shape = Shape::of(ty)?;
    let mut steps = Steps { c, shape };
    Some(match op {
        Elementary::Exp => power::value(&mut steps, x, Elementary::Exp),
        Elementary::Exp2 => power::value(&mut steps, x, Elementary::Exp2),
        Elementary::Log => log::value(&mut steps, x, Elementary::Log),
        Elementary::Log2 => log::value(&mut steps, x, Elementary::Log2),
        Elementary::Log10 => log::value(&mut steps, x, Elementary::Log10),
        Elementary::Sin => turn::value(&mut steps, x, false),
        Elementary::Cos => turn::value(&mut steps, x, true),
        Elementary::Tan => turn::tangent(&mut steps, x),
        Elementary::Cbrt => root::value(&mut steps, x),
        Elementary::Atan => arc::value(&mut steps, x),
        Elementary::Tanh => odd::value(&mut steps, x, Elementary::Tanh),
        Elementary::Erf => odd::value(&mut steps, x, Elementary::Erf),
        Elementary::Asin
        | Elementary::Acos
        | Elementary::Sinh
        | Elementary::Cosh
        | Elementary::Expm1
        | Elementary::Log1p => return None,
    })
}

/// How a type splits its bits.
#[derive(Clone, Copy)]
struct Shape {
    ty: Type,
    fraction: u32,
    exponent: u32,
}

impl Shape {
    fn of(ty: Type) -> Option<Shape> {
        let exponent = match ty {
            Type::F16 => 5,
            Type::Bf16 | Type::F32 => 8,
            _ => return None,
        };
        Some(Shape { ty, fraction: ty.fraction_bits(), exponent })
    }

    fn width(self) -> u32 {
        self.ty.width(0)
    }

    /// The exponent field of 1.0.
    fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Bits of exponents before they are rounded: enough for twice the range, with a sign.
    fn wide(self) -> u32 {
        self.exponent + 3
    }

    /// Binary places that tables and reduced operands have: six more than the fraction, so that all roundings before the
    /// last cost a few hundredths of an ulp.
    fn places(self) -> u32 {
        self.fraction + 6
    }

    /// What its index among those with tables is.
    fn index(self) -> usize {
        TYPES.iter().position(|&ty| ty == self.ty).expect("a type with units")
    }
}

/// An operand taken apart.
struct Parts<W> {
    sign: W,
    /// The field that counts: 1 for subnormals, too.
    exponent: W,
    /// With the hidden bit, which is 0 for subnormals.
    significand: W,
    is_nan: W,
    is_infinite: W,
    is_zero: W,
}

/// The shorthand that functions are written in.
struct Steps<'c, C: Circuit> {
    c: &'c mut C,
    shape: Shape,
}

impl<C: Circuit> Steps<'_, C> {
    fn bit(&mut self, a: &C::Word, at: u32) -> C::Word {
        self.c.slice(a, at, 1)
    }

    fn top(&mut self, a: &C::Word) -> C::Word {
        let width = self.c.width(a);
        self.bit(a, width - 1)
    }

    /// The highest bits, so many.
    fn highest(&mut self, a: &C::Word, count: u32) -> C::Word {
        let width = self.c.width(a);
        self.c.slice(a, width - count, count)
    }

    fn extended(&mut self, a: &C::Word, width: u32) -> C::Word {
        let zeros = self.c.literal(width - self.c.width(a), 0);
        self.c.join(&zeros, a)
    }

    fn sign_extended(&mut self, a: &C::Word, width: u32) -> C::Word {
        let sign = self.top(a);
        let copies = self.c.copies(&sign, width - self.c.width(a));
        self.c.join(&copies, a)
    }

    /// Zeros below.
    fn raised(&mut self, a: &C::Word, by: u32) -> C::Word {
        let zeros = self.c.literal(by, 0);
        self.c.join(a, &zeros)
    }

    fn not(&mut self, bit: &C::Word) -> C::Word {
        let one = self.c.literal(1, 1);
        self.c.differing(bit, &one)
    }

    /// a, or -a where the bit is set.
    fn negated(&mut self, bit: &C::Word, a: &C::Word) -> C::Word {
        let width = self.c.width(a);
        let copies = self.c.copies(bit, width);
        let turned = self.c.differing(a, &copies);
        let one = self.extended(bit, width);
        self.c.sum(&turned, &one)
    }

    /// A number in two's complement.
    fn number(&mut self, width: u32, value: i64) -> C::Word {
        self.c.literal(width, value as u128 & ((1 << width) - 1))
    }

    /// A sum with a number, wrapping.
    fn plus(&mut self, a: &C::Word, value: i64) -> C::Word {
        let value = self.number(self.c.width(a), value);
        self.c.sum(a, &value)
    }

    fn is_below(&mut self, a: &C::Word, value: i64) -> C::Word {
        let value = self.number(self.c.width(a), value);
        self.c.below(a, &value)
    }

    fn apart(&mut self, x: &C::Word) -> Parts<C::Word> {
        let Shape { fraction, exponent, .. } = self.shape;
        self.c.part(
            "operand",
            "The operand: exponent and significand of subnormals as of the least normal numbers.",
        );
        let (sign, field) = (self.top(x), self.c.slice(x, fraction, exponent));
        let below = self.c.slice(x, 0, fraction);
        let is_normal = self.c.any(&field);
        let is_denormal = self.not(&is_normal);
        let one = self.extended(&is_denormal, exponent);
        let is_large = {
            let top = self.number(exponent, (1 << exponent) - 1);
            let less = self.c.below(&field, &top);
            self.not(&less)
        };
        let has_fraction = self.c.any(&below);
        let has_none = self.not(&has_fraction);
        Parts {
            sign,
            exponent: self.c.or(&field, &one),
            significand: self.c.join(&is_normal, &below),
            is_nan: self.c.and(&is_large, &has_fraction),
            is_infinite: self.c.and(&is_large, &has_none),
            is_zero: self.c.and(&is_denormal, &has_none),
        }
    }

    /// The significand with its highest one at the top, and the exponent field that belongs to it, in two's complement.
    fn normalized(&mut self, parts: &Parts<C::Word>) -> (C::Word, C::Word) {
        let wide = self.shape.wide();
        self.c.part("normal", "The highest one goes to the top.");
        let zeros = self.c.zeros(&parts.significand);
        let significand = self.c.up(&parts.significand, &zeros);
        let (exponent, zeros) = (self.extended(&parts.exponent, wide), self.extended(&zeros, wide));
        (significand, self.c.difference(&exponent, &zeros))
    }

    fn infinity(&mut self, sign: &C::Word) -> C::Word {
        let Shape { fraction, exponent, .. } = self.shape;
        let rest = self.c.literal(fraction + exponent, ((1 << exponent) - 1) << fraction);
        self.c.join(sign, &rest)
    }

    fn one(&mut self, sign: &C::Word) -> C::Word {
        let Shape { fraction, exponent, .. } = self.shape;
        let rest = self.c.literal(fraction + exponent, (self.shape.bias() as u128) << fraction);
        self.c.join(sign, &rest)
    }

    fn nan(&mut self) -> C::Word {
        self.c.literal(self.shape.width(), crate::float::canonical_nan(self.shape.ty).into())
    }
}
