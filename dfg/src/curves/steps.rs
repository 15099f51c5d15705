//! The shorthand that functions are written in: operands taken apart, words widened, numbers of a type.

use super::circuit::Circuit;
use crate::Type;

/// The types that units of elementary functions have.
pub const TYPES: [Type; 3] = [Type::Bf16, Type::F16, Type::F32];

/// How a type splits its bits.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub ty: Type,
    pub fraction: u32,
    pub exponent: u32,
}

impl Shape {
    pub fn of(ty: Type) -> Option<Shape> {
        let exponent = match ty {
            Type::F16 => 5,
            Type::Bf16 | Type::F32 => 8,
            _ => return None,
        };
        Some(Shape { ty, fraction: ty.fraction_bits(), exponent })
    }

    pub fn width(self) -> u32 {
        self.ty.width(0)
    }

    /// The exponent field of 1.0.
    pub fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Bits of exponents before they are rounded: enough for twice the range, with a sign.
    pub fn wide(self) -> u32 {
        self.exponent + 3
    }

    /// Binary places that tables and reduced operands have: six more than the fraction, so that all roundings before the
    /// last cost a few hundredths of an ulp.
    pub fn places(self) -> u32 {
        self.fraction + 6
    }

    /// Degree of polynomials that keep tables small.
    pub fn degree(self) -> usize {
        if self.fraction < 10 {
            1
        } else {
            2
        }
    }

    /// What its index among those with tables is.
    pub fn index(self) -> usize {
        TYPES.iter().position(|&ty| ty == self.ty).expect("a type with units")
    }
}

/// An operand taken apart.
pub(super) struct Parts<W> {
    pub sign: W,
    /// The field that counts: 1 for subnormals, too.
    pub exponent: W,
    /// With the hidden bit, which is 0 for subnormals.
    pub significand: W,
    pub is_nan: W,
    pub is_infinite: W,
    pub is_zero: W,
}

/// The shorthand that functions are written in.
pub(super) struct Steps<'c, C: Circuit> {
    pub c: &'c mut C,
    pub shape: Shape,
}

impl<C: Circuit> Steps<'_, C> {
    pub fn bit(&mut self, a: &C::Word, at: u32) -> C::Word {
        self.c.slice(a, at, 1)
    }

    pub fn top(&mut self, a: &C::Word) -> C::Word {
        let width = self.c.width(a);
        self.bit(a, width - 1)
    }

    /// The highest bits, so many.
    pub fn highest(&mut self, a: &C::Word, count: u32) -> C::Word {
        let width = self.c.width(a);
        self.c.slice(a, width - count, count)
    }

    pub fn extended(&mut self, a: &C::Word, width: u32) -> C::Word {
        let zeros = self.c.literal(width - self.c.width(a), 0);
        self.c.join(&zeros, a)
    }

    pub fn sign_extended(&mut self, a: &C::Word, width: u32) -> C::Word {
        let sign = self.top(a);
        let copies = self.c.copies(&sign, width - self.c.width(a));
        self.c.join(&copies, a)
    }

    /// Zeros below.
    pub fn raised(&mut self, a: &C::Word, by: u32) -> C::Word {
        let zeros = self.c.literal(by, 0);
        self.c.join(a, &zeros)
    }

    pub fn not(&mut self, bit: &C::Word) -> C::Word {
        let one = self.c.literal(1, 1);
        self.c.differing(bit, &one)
    }

    /// a, or -a where the bit is set.
    pub fn negated(&mut self, bit: &C::Word, a: &C::Word) -> C::Word {
        let width = self.c.width(a);
        let copies = self.c.copies(bit, width);
        let turned = self.c.differing(a, &copies);
        let one = self.extended(bit, width);
        self.c.sum(&turned, &one)
    }

    /// A number in two's complement.
    pub fn number(&mut self, width: u32, value: i64) -> C::Word {
        self.c.literal(width, value as u128 & ((1 << width) - 1))
    }

    /// A sum with a number, wrapping.
    pub fn plus(&mut self, a: &C::Word, value: i64) -> C::Word {
        let value = self.number(self.c.width(a), value);
        self.c.sum(a, &value)
    }

    pub fn is_below(&mut self, a: &C::Word, value: i64) -> C::Word {
        let value = self.number(self.c.width(a), value);
        self.c.below(a, &value)
    }

    pub fn apart(&mut self, x: &C::Word) -> Parts<C::Word> {
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
    pub fn normalized(&mut self, parts: &Parts<C::Word>) -> (C::Word, C::Word) {
        let wide = self.shape.wide();
        self.c.part("normal", "The highest one goes to the top.");
        let zeros = self.c.zeros(&parts.significand);
        let significand = self.c.up(&parts.significand, &zeros);
        let (exponent, zeros) = (self.extended(&parts.exponent, wide), self.extended(&zeros, wide));
        (significand, self.c.difference(&exponent, &zeros))
    }

    pub fn infinity(&mut self, sign: &C::Word) -> C::Word {
        let Shape { fraction, exponent, .. } = self.shape;
        let rest = self.c.literal(fraction + exponent, ((1 << exponent) - 1) << fraction);
        self.c.join(sign, &rest)
    }

    pub fn one(&mut self, sign: &C::Word) -> C::Word {
        let Shape { fraction, exponent, .. } = self.shape;
        let rest = self.c.literal(fraction + exponent, (self.shape.bias() as u128) << fraction);
        self.c.join(sign, &rest)
    }

    pub fn nan(&mut self) -> C::Word {
        let Shape { fraction, exponent, .. } = self.shape;
        self.c.literal(self.shape.width(), ((2 << exponent) - 1) << (fraction - 1))
    }
}
