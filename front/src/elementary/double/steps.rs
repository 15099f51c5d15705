//! Shorthand for formulas in double precision.

use super::super::pen::{Calculator, Comparison, Pen, WORD};
use loom_dfg::{Op, OpKind, Predicate, Type};

/// Added to a double below 2^51 and taken away again, it leaves the nearest whole number, which then is the lowest bits of the sum.
const SHIFTER: f64 = 6_755_399_441_055_744.0;

/// A number by its first bits, but for so many of the lowest, and what that is too small by; `rest` is what the double is too small by.
pub const fn split(value: f64, rest: f64, dropped: u32) -> [f64; 2] {
    let front = f64::from_bits(value.to_bits() & (-1i64 << dropped) as u64);
    [front, (value - front) + rest]
}

impl<C: Calculator> Pen<'_, C> {
    /// a + b
    #[inline(always)]
    pub fn add(&mut self, a: C::Value, b: C::Value) -> C::Value {
        self.float(OpKind::Addf, &[a, b], Type::F64)
    }

    /// a - b
    #[inline(always)]
    pub fn sub(&mut self, a: C::Value, b: C::Value) -> C::Value {
        self.float(OpKind::Subf, &[a, b], Type::F64)
    }

    /// a * b
    #[inline(always)]
    pub fn mul(&mut self, a: C::Value, b: C::Value) -> C::Value {
        self.float(OpKind::Mulf, &[a, b], Type::F64)
    }

    /// a / b
    #[inline(always)]
    pub fn div(&mut self, a: C::Value, b: C::Value) -> C::Value {
        self.float(OpKind::Divf, &[a, b], Type::F64)
    }

    /// a + literal
    #[inline(always)]
    pub fn more(&mut self, a: C::Value, b: f64) -> C::Value {
        let b = self.double_literal(b);
        self.add(a, b)
    }

    /// a - literal
    #[inline(always)]
    pub fn less(&mut self, a: C::Value, b: f64) -> C::Value {
        let b = self.double_literal(b);
        self.sub(a, b)
    }

    /// literal - a
    #[inline(always)]
    pub fn taken_from(&mut self, a: f64, b: C::Value) -> C::Value {
        let a = self.double_literal(a);
        self.sub(a, b)
    }

    /// The smaller of a and a literal; a NaN stays one.
    #[inline(always)]
    pub fn at_most(&mut self, a: C::Value, most: f64) -> C::Value {
        let most = self.double_literal(most);
        self.float(OpKind::Minimumf, &[a, most], Type::F64)
    }

    /// The larger of a and a literal; a NaN stays one.
    #[inline(always)]
    pub fn not_below(&mut self, a: C::Value, least: f64) -> C::Value {
        let least = self.double_literal(least);
        self.float(OpKind::Maximumf, &[a, least], Type::F64)
    }

    /// A polynomial by Horner's rule; coefficients from the constant one on. Panics without any.
    #[inline(always)]
    pub fn horner(&mut self, coefficients: &[f64], x: C::Value) -> C::Value {
        let (&last, others) = coefficients.split_last().expect("a polynomial");
        let mut sum = self.double_literal(last);
        for &c in others.iter().rev() {
            let product = self.mul(sum, x);
            sum = self.more(product, c);
        }
        sum
    }

    /// One of two polynomials, as a condition holds or not; the coefficients of both in pairs. Panics without any.
    #[inline(always)]
    pub fn horner_of_two(&mut self, first: C::Value, coefficients: &[[f64; 2]], x: C::Value) -> C::Value {
        let (last, others) = coefficients.split_last().expect("a polynomial");
        let mut sum = self.literal_of(first, last[0], last[1]);
        for c in others.iter().rev() {
            let product = self.mul(sum, x);
            let c = self.literal_of(first, c[0], c[1]);
            sum = self.add(product, c);
        }
        sum
    }

    /// Whether a compares so with a literal.
    #[inline(always)]
    pub fn meets(&mut self, predicate: Comparison, a: C::Value, b: f64) -> C::Value {
        let b = self.double_literal(b);
        self.compare(predicate, a, b)
    }

    /// One of two doubles.
    #[inline(always)]
    pub fn pick(&mut self, condition: C::Value, yes: C::Value, no: C::Value) -> C::Value {
        self.choice(condition, yes, no, Type::F64)
    }

    /// One of two literals.
    #[inline(always)]
    pub fn literal_of(&mut self, condition: C::Value, yes: f64, no: f64) -> C::Value {
        let [yes, no] = [yes, no].map(|v| self.double_literal(v));
        self.pick(condition, yes, no)
    }

    /// A literal in the place of a value.
    #[inline(always)]
    pub fn except(&mut self, condition: C::Value, literal: f64, otherwise: C::Value) -> C::Value {
        let literal = self.double_literal(literal);
        self.pick(condition, literal, otherwise)
    }

    /// A value, a literal where a condition does not hold.
    #[inline(always)]
    pub fn except_not(&mut self, condition: C::Value, value: C::Value, literal: f64) -> C::Value {
        let literal = self.double_literal(literal);
        self.pick(condition, value, literal)
    }

    /// A double whose bits a mask keeps.
    #[inline(always)]
    pub fn kept(&mut self, a: C::Value, mask: i64) -> C::Value {
        let bits = self.bits(a, WORD);
        let bits = self.masked(bits, mask);
        self.bits(bits, Type::F64)
    }

    /// A double without its sign, by its bits: units for those are more than for floats.
    #[inline(always)]
    pub fn size(&mut self, a: C::Value) -> C::Value {
        self.kept(a, i64::MAX)
    }

    /// The first 26 bits of a double: the product of two such is exact.
    #[inline(always)]
    pub fn front(&mut self, a: C::Value) -> C::Value {
        self.kept(a, -1 << 27)
    }

    /// 2^exponent, where that is no subnormal: of a word that is larger by 1023.
    #[inline(always)]
    pub fn power_of_two(&mut self, biased: C::Value) -> C::Value {
        let bits = self.left(biased, 52);
        self.bits(bits, Type::F64)
    }

    /// The nearest whole number of a double below 2^51, as a double and as a word.
    #[inline(always)]
    pub fn nearest(&mut self, a: C::Value) -> [C::Value; 2] {
        let sum = self.more(a, SHIFTER);
        let bits = self.bits(sum, WORD);
        [self.less(sum, SHIFTER), self.plus(bits, -(SHIFTER.to_bits() as i64))]
    }

    /// A double with the sign of another one: a NaN becomes the canonical one. The double must not be negative.
    #[inline(always)]
    pub fn signed_as(&mut self, a: C::Value, of: C::Value) -> C::Value {
        let bits = self.bits(of, WORD);
        let sign = self.masked(bits, i64::MIN);
        let one = self.with_bits(sign, 1.0f64.to_bits() as i64);
        let one = self.bits(one, Type::F64);
        self.mul(a, one)
    }

    /// A word with more bits set.
    #[inline(always)]
    pub fn with_bits(&mut self, a: C::Value, bits: i64) -> C::Value {
        let bits = self.int(bits);
        self.joined(a, bits)
    }

    /// A double times 1 or -1, as a word's highest bit is clear or set.
    #[inline(always)]
    pub fn flipped(&mut self, a: C::Value, by: C::Value) -> C::Value {
        let sign = self.masked(by, i64::MIN);
        let bits = self.bits(a, WORD);
        let bits = self.differing(bits, sign);
        self.bits(bits, Type::F64)
    }

    /// Whether a word is negative.
    #[inline(always)]
    pub fn is_below_zero(&mut self, a: C::Value) -> C::Value {
        self.is(Predicate::Slt, a, 0)
    }

    /// What is left to the exact sum of two doubles, the first of which is not smaller, by their rounded sum (Dekker 1971).
    #[inline(always)]
    pub fn left_of_sum(&mut self, sum: C::Value, large: C::Value, small: C::Value) -> C::Value {
        let added = self.sub(sum, large);
        self.sub(small, added)
    }

    /// Whether the lowest bit of a word is set.
    #[inline(always)]
    pub fn is_odd(&mut self, a: C::Value) -> C::Value {
        self.0.op(Op::Plain(OpKind::Trunci), &[a], Type::I1)
    }

    /// The quotient of two numbers, each a double and what is to be added to it, which is smaller by 2^26: as a double and the
    /// rest. The second's double has 26 bits.
    #[inline(always)]
    pub fn ratio(&mut self, [n, n_rest]: [C::Value; 2], [d, d_rest]: [C::Value; 2]) -> [C::Value; 2] {
        let whole = self.add(d, d_rest);
        let one = self.double_literal(1.0);
        let inverse = self.div(one, whole);
        let quotient = self.mul(n, inverse);
        let front = self.front(quotient);
        let product = self.mul(front, d);
        let rest = self.sub(n, product);
        let product = self.mul(front, d_rest);
        let rest = self.sub(rest, product);
        let rest = self.add(rest, n_rest);
        [front, self.mul(rest, inverse)]
    }
}
