//! A number to the power of another: 2 to y times the logarithm of |x|, and then what signs, zeros, infinities and NaNs ask for.
//!
//! The logarithm has 35 good bits and keeps them near zero: it is a double, the sum of the whole k and of what is left, as `log`
//! takes a number apart. Times y it is below 256 where the power is neither zero nor infinite.

use super::fit::{fitted, fixed};
use super::log::{self, U, WAY};
use super::pen::{Calculator, Comparison, Pen, WORD};
use super::power;
use loom_dfg::{OpKind, Predicate, Type};
use std::f64::consts::LOG2_E;
use std::sync::LazyLock;

/// Of log2(1 + u) / u, with `WAY` binary places.
static QUOTIENT: LazyLock<[i64; 14]> = LazyLock::new(|| {
    let function = |u: f64| if u == 0.0 { LOG2_E } else { libm::log1p(u) / u * LOG2_E };
    let real = fitted(function, (-1.0 / 3.0, 1.0 / 3.0), 13);
    std::array::from_fn(|k| fixed(real[k], WAY as i32))
});

/// The logarithm to base 2 of a double that is no NaN, not negative, and has 24 bits; times 2^54.
fn log2<C: Calculator>(pen: &mut Pen<C>, magnitude: C::Value) -> C::Value {
    let wide = pen.double(magnitude);
    let [k, u] = log::parts(pen, wide);
    let mut quotient = pen.int(QUOTIENT[13]);
    for power in (0..13).rev() {
        let product = pen.product(quotient, u);
        let next = pen.right(product, U);
        quotient = pen.plus(next, QUOTIENT[power]);
    }
    // 62 binary places, and all of them count.
    let small = pen.product(quotient, u);
    let small = pen.number(small, Type::F64);
    let small = pen.scaled(small, libm::scalbn(1.0, power::PLACES - (WAY + U) as i32));
    let large = pen.left(k, power::PLACES.into());
    let large = pen.number(large, Type::F64);
    let log = pen.float(OpKind::Addf, &[small, large], Type::F64);
    let is_zero = pen.holds(Comparison::Equal, magnitude, 0.0);
    let low = pen.double_literal(f64::NEG_INFINITY);
    let log = pen.choice(is_zero, low, log, Type::F64);
    let is_infinite = pen.holds(Comparison::Equal, magnitude, f32::INFINITY);
    let high = pen.double_literal(f64::INFINITY);
    pen.choice(is_infinite, high, log, Type::F64)
}

/// Of y the bit that counts ones as the highest of a word, halves and less below it; 0 is taken for a fraction.
fn ones<C: Calculator>(pen: &mut Pen<C>, y: C::Value) -> C::Value {
    let bits = pen.bits(y, Type::I32);
    let bits = pen.narrow(OpKind::Andi, bits, i32::MAX);
    let bits = pen.float(OpKind::Extui, &[bits], WORD);
    let fraction = pen.masked(bits, (1 << 23) - 1);
    let whole = pen.plus(fraction, 1 << 23);
    let exponent = pen.down(bits, 23);
    let by = pen.plus(exponent, 63 - 150);
    let by = pen.at_least(by, 0);
    pen.left_by(whole, by)
}

/// `math.powf`
pub fn single<C: Calculator>(pen: &mut Pen<C>, x: C::Value, y: C::Value) -> C::Value {
    let magnitude = pen.float(OpKind::Absf, &[x], Type::F32);
    let log = log2(pen, magnitude);
    let factor = pen.double(y);
    let number = pen.float(OpKind::Mulf, &[log, factor], Type::F64);
    // Infinity times zero is no number and becomes 0: the power is 1.
    let number = pen.whole(number);
    let power = power::of(pen, number);
    let power = pen.cut(power);
    // The sign of x where y is odd.
    let ones = ones(pen, y);
    let bits = pen.bits(x, Type::I32);
    let sign = pen.narrow(OpKind::Andi, bits, i32::MIN);
    let is_odd = pen.is(Predicate::Eq, ones, i64::MIN);
    let zero = pen.narrow_literal(0);
    let sign = pen.choice(is_odd, sign, zero, Type::I32);
    let bits = pen.bits(power, Type::I32);
    let signed = pen.float(OpKind::Ori, &[bits, sign], Type::I32);
    let power = pen.bits(signed, Type::F32);
    // No power: of a negative number but infinity to a fraction, and of NaNs, unless y is 0 or x is 1.
    let halves = pen.left(ones, 1);
    let is_fraction = pen.is(Predicate::Ne, halves, 0);
    let is_negative = pen.holds(Comparison::Less, x, 0.0);
    let is_finite = pen.holds(Comparison::Greater, x, f32::NEG_INFINITY);
    let is_negative = pen.both(is_negative, is_finite);
    let is_imaginary = pen.both(is_negative, is_fraction);
    let is_unknown = pen.compare(Comparison::Unordered, x, y);
    let is_none = pen.either(is_imaginary, is_unknown);
    let is_above = pen.holds(Comparison::Differs, y, 0.0);
    let is_other = pen.holds(Comparison::Differs, x, 1.0);
    let counts = pen.both(is_above, is_other);
    let is_none = pen.both(is_none, counts);
    pen.unless(is_none, f32::NAN, power)
}
