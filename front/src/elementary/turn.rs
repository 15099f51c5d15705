//! Sine and cosine of any number, however large.
//!
//! A float is a whole number m of 24 bits times 2^s. What counts is m * 2^s * 2/pi modulo 4, the quarter turns: of 2/pi only 104 bits
//! from a place on that s says, those above giving whole turns (Payne and Hanek 1983). They are shifted out of four words. The
//! product, modulo 2^64, has the quarter in its highest bits; what is left of the angle is below an eighth of a turn, and as no
//! float comes nearer to a multiple of pi/2 than 2^-30 of itself, enough bits of it are right.

use super::fit::{fitted, fixed};
use super::pen::{Calculator, Pen, WORD};
use loom_dfg::{Op, OpKind, Predicate, Type};
use std::f64::consts::FRAC_PI_2;
use std::sync::LazyLock;

/// The first 256 bits of 2/pi behind the point.
const TWO_OVER_PI: [u64; 4] =
    [0xa2f9_836e_4e44_1529, 0xfc27_57d1_f534_ddc0, 0xdb62_9599_3c43_9041, 0xfe51_63ab_debb_c561];

/// Below, a number is its own sine, and its cosine is 1.
const SMALL: f32 = 1.0 / 4096.0;
/// The exponent field with which the whole part of 2^s * 2/pi begins, quarter turns having 62 binary places.
const FIRST: i64 = 150 - 62;

/// Of sin(pi/2 f) / f by f^2, f up to 1: the last with 31 binary places, the others with 62.
static SINE: LazyLock<[i64; 5]> = LazyLock::new(|| {
    let function = |square: f64| {
        let f = libm::sqrt(square);
        libm::sin(FRAC_PI_2 * f) / f
    };
    let real = fitted(function, (0.0, 1.0), 4);
    std::array::from_fn(|k| fixed(real[k], if k == 4 { 31 } else { 62 }))
});

/// The angle of a magnitude's bits in quarter turns, 2^62 of a word each, modulo a turn.
fn quarters<C: Calculator>(pen: &mut Pen<C>, magnitude: C::Value) -> C::Value {
    let exponent = pen.down(magnitude, 23);
    let fraction = pen.masked(magnitude, (1 << 23) - 1);
    let m = pen.plus(fraction, 1 << 23);
    let places = pen.plus(exponent, -FIRST);
    let is_first = pen.is(Predicate::Slt, places, 64);
    let is_second = pen.is(Predicate::Slt, places, 128);
    let words = TWO_OVER_PI.map(|w| pen.int(w as i64));
    let zero = pen.int(0);
    let list = [zero, words[0], words[1], words[2], words[3]];
    let window: [C::Value; 3] = std::array::from_fn(|k| {
        let later = pen.choice(is_second, list[k + 1], list[k + 2], WORD);
        pen.choice(is_first, list[k], later, WORD)
    });
    let by = pen.masked(places, 63);
    let back = pen.minus_from(64, by);
    let mut pair = |high, low| {
        let high = pen.left_by(high, by);
        let low = pen.down_by(low, back);
        pen.joined(high, low)
    };
    let (high, low) = (pair(window[0], window[1]), pair(window[1], window[2]));
    let turns = pen.product(high, m);
    // 40 bits more.
    let low = pen.down(low, 24);
    let rest = pen.product(low, m);
    let rest = pen.down(rest, 40);
    pen.sum(turns, rest)
}

/// The sine of a word of quarter turns.
fn of_quarters<C: Calculator>(pen: &mut Pen<C>, quarters: C::Value) -> C::Value {
    let sine = scaled_sine(pen, quarters);
    let sine = pen.cut(sine);
    pen.scaled_single(sine, libm::scalbnf(1.0, -124))
}

/// The same times 2^124, as a double.
fn scaled_sine<C: Calculator>(pen: &mut Pen<C>, quarters: C::Value) -> C::Value {
    // Beyond a quarter the sine is that of what is missing to two quarters.
    let doubled = pen.left(quarters, 1);
    let differ = pen.differing(quarters, doubled);
    let is_beyond = pen.is(Predicate::Slt, differ, 0);
    let mirrored = pen.minus_from(i64::MIN, quarters);
    let f = pen.choice(is_beyond, mirrored, quarters, WORD);
    let high = pen.right(f, 31);
    let square = pen.product(high, high);
    let square = pen.down(square, 31);
    let mut factor = pen.int(SINE[4]);
    for k in (0..4).rev() {
        if k < 3 {
            factor = pen.right(factor, 31);
        }
        let next = pen.product(factor, square);
        factor = pen.plus(next, SINE[k]);
    }
    let [f, factor] = [f, factor].map(|v| pen.number(v, Type::F64));
    pen.float(OpKind::Mulf, &[f, factor], Type::F64)
}

/// The bits of a number without its sign.
fn magnitude<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let bits = pen.bits(x, Type::I32);
    let bits = pen.narrow(OpKind::Andi, bits, i32::MAX);
    pen.0.op(Op::Plain(OpKind::Extui), &[bits], WORD)
}

/// What is no number has no sine.
fn checked<C: Calculator>(
    pen: &mut Pen<C>,
    magnitude: C::Value,
    small: C::Value,
    large: C::Value,
) -> C::Value {
    let is_small = pen.is(Predicate::Slt, magnitude, SMALL.to_bits().into());
    let value = pen.choice(is_small, small, large, Type::F32);
    let is_finite = pen.is(Predicate::Slt, magnitude, f32::INFINITY.to_bits().into());
    let nan = pen.single(f32::NAN);
    pen.choice(is_finite, value, nan, Type::F32)
}

/// `math.sin`
pub fn sine<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let magnitude = magnitude(pen, x);
    let quarters = quarters(pen, magnitude);
    let value = of_quarters(pen, quarters);
    let value = pen.turned(value, x);
    checked(pen, magnitude, x, value)
}

/// `math.cos`: the sine a quarter later.
pub fn cosine<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let magnitude = magnitude(pen, x);
    let quarters = quarters(pen, magnitude);
    let later = pen.plus(quarters, 1 << 62);
    let value = of_quarters(pen, later);
    let one = pen.single(1.0);
    checked(pen, magnitude, one, value)
}

/// `math.tan`: the sine by the cosine.
pub fn tangent<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let magnitude = magnitude(pen, x);
    let quarters = quarters(pen, magnitude);
    let later = pen.plus(quarters, 1 << 62);
    let sides = [quarters, later].map(|v| scaled_sine(pen, v));
    let quotient = pen.float(OpKind::Divf, &sides, Type::F64);
    let value = pen.cut(quotient);
    let value = pen.turned(value, x);
    checked(pen, magnitude, x, value)
}
