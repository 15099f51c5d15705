//! Powers of e and of 2: a whole power of two, and a polynomial for what is left, at most half of a power.
//!
//! What is left is exact but for the last bits of a smaller number that is kept apart (Cody and Waite 1980).

use super::super::fit::of_series;
use super::super::pen::{Calculator, Pen, WORD};
use super::super::twofold::Twofold;
use super::steps::split;
use loom_dfg::Type;
use std::f64::consts::{LN_2, LOG2_E};
use std::sync::LazyLock;

/// What the double nearest to log(2) is too small by.
const LN_2_REST: f64 = 2.319_046_813_846_299_6e-17;
/// log(2) by so many bits that its product with an exponent is exact.
pub const LN_2_FRONT: f64 = split(LN_2, LN_2_REST, 13)[0];
/// What that is too small by.
pub const LN_2_TAIL: f64 = split(LN_2, LN_2_REST, 13)[1];

/// An argument as k * log(2) + high - low; `sum` is high - low, rounded.
pub struct Reduced<V> {
    /// The whole k, a word.
    pub k: V,
    /// Most of what is left.
    pub high: V,
    /// The rest.
    pub low: V,
    /// Both.
    pub sum: V,
}

/// What is left is from log(3/4) to log(3/2): so 1 taken from the power leaves no number whose last place is small beside errors.
const BIAS: f64 = 0.084_962_500_721_156_18;

/// Takes a double below 2^11 apart.
pub fn reduced<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> Reduced<C::Value> {
    let quotient = pen.scaled(x, LOG2_E);
    let quotient = pen.less(quotient, BIAS);
    let [whole, k] = pen.nearest(quotient);
    let large = pen.scaled(whole, LN_2_FRONT);
    let high = pen.sub(x, large);
    let low = pen.scaled(whole, LN_2_TAIL);
    let sum = pen.sub(high, low);
    Reduced { k, high, low, sum }
}

/// Of (e^r - 1 - r - r^2 / 2) / (r^3 / 2).
static TAIL: LazyLock<[f64; 10]> = LazyLock::new(|| {
    let factorial = |n: i32| (1..=n).fold(Twofold::from(1.0), |p, k| p * Twofold::from(f64::from(k)));
    of_series(|k| Twofold::from(2.0) / factorial(k + 3), (-0.347, 0.4058))
});

/// What 1 + high is larger by than the power: low - (e^sum - 1 - sum). Not negative where the argument is zero.
pub fn excess<C: Calculator>(pen: &mut Pen<C>, reduced: &Reduced<C::Value>) -> C::Value {
    let half = pen.scaled(reduced.sum, -0.5);
    let square = pen.mul(half, reduced.sum);
    let tail = pen.horner(&*TAIL, reduced.sum);
    let tail = pen.mul(tail, reduced.sum);
    let tail = pen.mul(tail, square);
    let low = pen.add(reduced.low, tail);
    pen.add(square, low)
}

/// A double near 1 times 2^k, rounded once more where that is a subnormal.
pub fn scaled_by<C: Calculator>(pen: &mut Pen<C>, value: C::Value, k: C::Value) -> C::Value {
    let half = pen.right(k, 1);
    let other = pen.difference(k, half);
    let bits = pen.bits(value, WORD);
    let exponent = pen.left(half, 52);
    let bits = pen.sum(bits, exponent);
    let value = pen.bits(bits, Type::F64);
    let other = pen.plus(other, 1023);
    let other = pen.power_of_two(other);
    pen.mul(value, other)
}

/// A double between bounds behind which powers are infinite or zero.
fn bounded<C: Calculator>(pen: &mut Pen<C>, x: C::Value, least: f64, most: f64) -> C::Value {
    let x = pen.at_most(x, most);
    pen.not_below(x, least)
}

/// 2^k * (1 + high - (low - ...)).
pub fn of_reduced<C: Calculator>(pen: &mut Pen<C>, reduced: &Reduced<C::Value>) -> C::Value {
    let excess = excess(pen, reduced);
    let rest = pen.sub(reduced.high, excess);
    let value = pen.more(rest, 1.0);
    scaled_by(pen, value, reduced.k)
}

/// `math.exp`
pub fn natural<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let x = bounded(pen, x, -800.0, 800.0);
    let reduced = reduced(pen, x);
    of_reduced(pen, &reduced)
}

/// log(2) by 26 bits, and the rest.
const FRONT: f64 = split(LN_2, LN_2_REST, 27)[0];
const REST: f64 = split(LN_2, LN_2_REST, 27)[1];

/// k * log(2), and a double of at most 1/2 times that.
pub fn of_binary<C: Calculator>(pen: &mut Pen<C>, k: C::Value, x: C::Value) -> Reduced<C::Value> {
    let front = pen.front(x);
    let back = pen.sub(x, front);
    let high = pen.scaled(front, FRONT);
    let low = pen.scaled(back, -LN_2);
    let of_front = pen.scaled(front, REST);
    let low = pen.sub(low, of_front);
    let sum = pen.sub(high, low);
    Reduced { k, high, low, sum }
}

/// `math.exp2`
pub fn binary<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let x = bounded(pen, x, -1200.0, 1200.0);
    let [whole, k] = pen.nearest(x);
    let rest = pen.sub(x, whole);
    let reduced = of_binary(pen, k, rest);
    of_reduced(pen, &reduced)
}

/// e^x - 1 by 2^k: a double, and what it is too large by; and 2^-k.
pub struct LessOne<V> {
    /// The double.
    pub value: V,
    /// What it is too large by.
    pub excess: V,
    /// 2^-k.
    pub inverse: V,
    /// 2^-k - 1.
    pub inverse_less_one: V,
    /// k, a word.
    pub k: V,
}

/// Of a double from -40 to 900.
pub fn less_one<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> LessOne<C::Value> {
    let reduced = reduced(pen, x);
    let excess = excess(pen, &reduced);
    // 2^-k by way of 2^(512 - k), which is no subnormal.
    let inverse = pen.minus_from(1023 + 512, reduced.k);
    let inverse = pen.power_of_two(inverse);
    let inverse = pen.scaled(inverse, libm::scalbn(1.0, -512));
    // high - (2^-k - 1), and what rounding took; a zero keeps its sign.
    let inverse_less_one = pen.less(inverse, 1.0);
    let value = pen.sub(reduced.high, inverse_less_one);
    let back = pen.add(value, inverse_less_one);
    let lost = pen.sub(reduced.high, back);
    let excess = pen.sub(excess, lost);
    LessOne { value, excess, inverse, inverse_less_one, k: reduced.k }
}

/// `math.expm1`
pub fn natural_less_one<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let x = bounded(pen, x, -40.0, 800.0);
    let less = less_one(pen, x);
    let value = pen.sub(less.value, less.excess);
    times_power(pen, value, less.k)
}

/// A double times 2^k, which may be a zero.
pub fn times_power<C: Calculator>(pen: &mut Pen<C>, value: C::Value, k: C::Value) -> C::Value {
    let half = pen.right(k, 1);
    let other = pen.difference(k, half);
    [half, other].into_iter().fold(value, |value, part| {
        let biased = pen.plus(part, 1023);
        let power = pen.power_of_two(biased);
        pen.mul(value, power)
    })
}
