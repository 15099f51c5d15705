//! Logarithms.
//!
//! A number is 2^k * (1 + f) with 1 + f about 1. With s = f / (2 + f) the logarithm of 1 + f is f - f^2 / 2 + s * (f^2 / 2 + R), where R is
//! a polynomial of s^2 (as in the library of Ng 1993): what is not exact in it is small beside f.

use super::super::fit::of_series;
use super::super::pen::{Calculator, Comparison, Pen, WORD};
use super::super::twofold::Twofold;
use super::exp::{LN_2_FRONT, LN_2_TAIL};
use super::steps::split;
use loom_dfg::{Predicate, Type};
use std::f64::consts::{LOG10_2, LOG10_E, LOG2_E, SQRT_2};
use std::sync::LazyLock;

/// Of R / s^2, by s^2: |s| is at most 3 - 2 sqrt(2).
static REST: LazyLock<[f64; 7]> =
    LazyLock::new(|| of_series(|k| Twofold::ratio(2.0, f64::from(2 * k + 3)), (0.0, 0.02945)));

/// The bits of the least 1 + f.
const BELOW: i64 = (SQRT_2 / 2.0).to_bits() as i64;

/// The whole k and 1 + f of a positive double that is no subnormal.
pub fn parts<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> [C::Value; 2] {
    let bits = pen.bits(x, WORD);
    let from_below = pen.plus(bits, -BELOW);
    let k = pen.right(from_below, 52);
    let rest = pen.masked(from_below, (1 << 52) - 1);
    let near_one = pen.plus(rest, BELOW);
    [k, pen.bits(near_one, Type::F64)]
}

/// The same of any positive double.
pub fn all_parts<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> [C::Value; 2] {
    let is_small = pen.meets(Comparison::Less, x, f64::MIN_POSITIVE);
    let larger = pen.scaled(x, libm::scalbn(1.0, 54));
    let x = pen.pick(is_small, larger, x);
    let [k, near_one] = parts(pen, x);
    let [less, none] = [-54, 0].map(|v| pen.int(v));
    let shift = pen.choice(is_small, less, none, WORD);
    let k = pen.sum(k, shift);
    [pen.number(k, Type::F64), near_one]
}

/// Of f: half its square, s, and s * (half + R).
fn steps<C: Calculator>(pen: &mut Pen<C>, f: C::Value) -> [C::Value; 3] {
    let below = pen.more(f, 2.0);
    let s = pen.div(f, below);
    let square = pen.mul(s, s);
    let rest = pen.horner(&*REST, square);
    let rest = pen.mul(rest, square);
    let half = pen.scaled(f, 0.5);
    let half = pen.mul(half, f);
    let rest = pen.add(half, rest);
    [half, s, pen.mul(s, rest)]
}

/// What is no number above the pole has the logarithm that the standard recommends.
fn checked<C: Calculator>(pen: &mut Pen<C>, x: C::Value, log: C::Value, pole: f64) -> C::Value {
    let is_finite = pen.meets(Comparison::Less, x, f64::INFINITY);
    let log = pen.pick(is_finite, log, x);
    let is_pole = pen.meets(Comparison::Equal, x, pole);
    let other = pen.literal_of(is_pole, f64::NEG_INFINITY, f64::NAN);
    let is_above = pen.meets(Comparison::Greater, x, pole);
    pen.pick(is_above, log, other)
}

/// k * log(2) + f - excess; f is smaller than log(2).
fn joined<C: Calculator>(pen: &mut Pen<C>, k: C::Value, f: C::Value, excess: C::Value) -> C::Value {
    let large = pen.scaled(k, LN_2_FRONT);
    let sum = pen.add(large, f);
    let lost = pen.left_of_sum(sum, large, f);
    let small = pen.scaled(k, LN_2_TAIL);
    let lost = pen.add(lost, small);
    let excess = pen.sub(excess, lost);
    pen.sub(sum, excess)
}

/// `math.log`
pub fn natural<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let [k, near_one] = all_parts(pen, x);
    let f = pen.less(near_one, 1.0);
    let [half, _, rest] = steps(pen, f);
    let excess = pen.sub(half, rest);
    let log = joined(pen, k, f, excess);
    checked(pen, x, log, 0.0)
}

/// A logarithm to another base: of e by 26 bits and the rest, and of 2 in the same way.
pub struct LogBase {
    of_e: [f64; 2],
    of_two: [f64; 2],
}

/// To base 2.
pub const BINARY: LogBase =
    LogBase { of_e: split(LOG2_E, 2.035_527_374_093_103_3e-17, 27), of_two: [1.0, 0.0] };
/// To base 10.
pub const DECIMAL: LogBase = LogBase {
    of_e: split(LOG10_E, 1.098_319_650_216_765e-17, 27),
    of_two: split(LOG10_2, -2.803_728_127_785_170_4e-18, 13),
};

/// `math.log2` and `math.log10`: the natural one as a double of 26 bits and the rest, times another one's.
pub fn to_base<C: Calculator>(pen: &mut Pen<C>, x: C::Value, base: &LogBase) -> C::Value {
    let [k, near_one] = all_parts(pen, x);
    let f = pen.less(near_one, 1.0);
    let [half, _, rest] = steps(pen, f);
    let high = pen.sub(f, half);
    let high = pen.front(high);
    let low = pen.sub(f, high);
    let low = pen.sub(low, half);
    let low = pen.add(low, rest);
    let large = pen.scaled(k, base.of_two[0]);
    let high_part = pen.scaled(high, base.of_e[0]);
    let sum = pen.add(large, high_part);
    let lost = pen.left_of_sum(sum, large, high_part);
    let low_part = pen.scaled(low, base.of_e[0] + base.of_e[1]);
    let of_high = pen.scaled(high, base.of_e[1]);
    let low_part = pen.add(low_part, of_high);
    let low_part = if base.of_two[1] == 0.0 {
        low_part
    } else {
        let small = pen.scaled(k, base.of_two[1]);
        pen.add(low_part, small)
    };
    let lost = pen.add(lost, low_part);
    let log = pen.add(sum, lost);
    checked(pen, x, log, 0.0)
}

/// `math.log1p`: of 1 + x, and then of what rounding took from that. Where k is 0 f is x itself.
pub fn one_more<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let sum = pen.more(x, 1.0);
    // What rounding took (Knuth).
    let added = pen.less(sum, 1.0);
    let of_one = pen.sub(sum, added);
    let of_x = pen.sub(x, added);
    let of_one = pen.taken_from(1.0, of_one);
    let lost = pen.add(of_x, of_one);
    let [k, near_one] = parts(pen, sum);
    let f = pen.less(near_one, 1.0);
    let is_near = pen.is(Predicate::Eq, k, 0);
    let f = pen.pick(is_near, x, f);
    let lost = pen.except(is_near, 0.0, lost);
    let [half, s, rest] = steps(pen, f);
    let excess = pen.sub(half, rest);
    // Divided by 2^k and by 1 + f, which is about (1 - s)^2.
    let scale = pen.minus_from(1023 + 512, k);
    let scale = pen.power_of_two(scale);
    let lost = pen.mul(lost, scale);
    let by = pen.taken_from(1.0, s);
    let by_square = pen.mul(by, by);
    let lost = pen.mul(lost, by_square);
    let lost = pen.scaled(lost, 1.015 * libm::scalbn(1.0, -512));
    let excess = pen.sub(excess, lost);
    let k = pen.number(k, Type::F64);
    let log = joined(pen, k, f, excess);
    let is_zero = pen.meets(Comparison::Equal, x, 0.0);
    let log = pen.pick(is_zero, x, log);
    checked(pen, x, log, -1.0)
}
