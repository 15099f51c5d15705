//! A number to the power of another: 2 to y times the logarithm of |x|, and then what signs, zeros, infinities and NaNs ask for.
//!
//! The logarithm is a double of 26 bits and the rest, with an error below 2^-65 of it, as an exponent has up to 10 bits before the point.

use super::super::fit::of_series;
use super::super::pen::{Calculator, Comparison, Pen, WORD};
use super::super::twofold::Twofold;
use super::exp::{of_binary, of_reduced};
use super::log::all_parts;
use super::steps::split;
use loom_dfg::Predicate;
use std::f64::consts::LOG2_E;
use std::sync::LazyLock;

/// 2 log2(e), and what it is too small by.
const FACTOR: [f64; 2] = [2.0 * LOG2_E, 2.0 * 2.035_527_374_093_103_3e-17];
/// A third of that.
const THIRD: [f64; 2] = [0.961_796_693_925_975_6, 5.057_761_664_812_590_7e-17];

/// A fifth of it.
const FIFTH: [f64; 2] = [0.5770780163555853, 5.2551030481378675e-17];

/// Of 2 log2(e) (atanh(s) - s - s^3 / 3 - s^5 / 5) / s^7, by s^2.
static REST: LazyLock<[f64; 8]> = LazyLock::new(|| {
    let factor = Twofold { high: FACTOR[0], low: FACTOR[1] };
    of_series(|k| factor / Twofold::from(f64::from(2 * k + 7)), (0.0, 0.02945))
});

/// A double's 26 bits, and the rest of it and another one.
fn apart<C: Calculator>(pen: &mut Pen<C>, [high, low]: [C::Value; 2]) -> [C::Value; 2] {
    let front = pen.front(high);
    let rest = pen.sub(high, front);
    [front, pen.add(rest, low)]
}

/// A product of two of those: the first is exact.
fn product<C: Calculator>(pen: &mut Pen<C>, a: [C::Value; 2], b: [C::Value; 2]) -> [C::Value; 2] {
    let high = pen.mul(a[0], b[0]);
    let whole = pen.add(b[0], b[1]);
    let first = pen.mul(a[1], whole);
    let second = pen.mul(a[0], b[1]);
    [high, pen.add(first, second)]
}

fn literals<C: Calculator>(pen: &mut Pen<C>, [high, low]: [f64; 2]) -> [C::Value; 2] {
    split(high, low, 27).map(|v| pen.double_literal(v))
}

/// The logarithm to base 2 of a positive double.
fn log2<C: Calculator>(pen: &mut Pen<C>, size: C::Value) -> [C::Value; 2] {
    let [k, near_one] = all_parts(pen, size);
    let f = pen.less(near_one, 1.0);
    // s = f / (2 + f)
    let below = pen.more(f, 2.0);
    let front = pen.front(below);
    let rest = pen.taken_from(2.0, front);
    let rest = pen.add(rest, f);
    let zero = pen.double_literal(0.0);
    let s = pen.ratio([f, zero], [front, rest]);
    let square = product(pen, s, s);
    let square = apart(pen, square);
    let cube = product(pen, square, s);
    let cube = apart(pen, cube);
    let fifth = product(pen, square, cube);
    let fifth = apart(pen, fifth);
    let factors = [FACTOR, THIRD, FIFTH].map(|v| literals(pen, v));
    let first = product(pen, s, factors[0]);
    let second = product(pen, cube, factors[1]);
    let third = product(pen, fifth, factors[2]);
    let [square, fifth] = [square, fifth].map(|[high, low]| pen.add(high, low));
    let rest = pen.horner(&*REST, square);
    let rest = pen.mul(rest, square);
    let rest = pen.mul(rest, fifth);
    let rest = pen.add(rest, third[1]);
    // k + first + second + third + rest, each smaller than the one before.
    let small = pen.add(second[0], third[0]);
    let lost_of_third = pen.left_of_sum(small, second[0], third[0]);
    let rest = pen.add(rest, lost_of_third);
    let near = pen.add(first[0], small);
    let lost = pen.left_of_sum(near, first[0], small);
    let sum = pen.add(k, near);
    let lost_of_k = pen.left_of_sum(sum, k, near);
    let low = pen.add(first[1], second[1]);
    let low = pen.add(low, rest);
    let low = pen.add(low, lost);
    let low = pen.add(low, lost_of_k);
    let high = pen.add(sum, low);
    let low_rest = pen.left_of_sum(high, sum, low);
    apart(pen, [high, low_rest])
}

/// Of y the bit that counts ones as the highest of a word, halves and less below it; 0 is taken for a fraction.
fn ones<C: Calculator>(pen: &mut Pen<C>, y: C::Value) -> C::Value {
    let bits = pen.bits(y, WORD);
    let fraction = pen.masked(bits, (1 << 52) - 1);
    let whole = pen.with_bits(fraction, 1 << 52);
    let exponent = pen.down(bits, 52);
    let exponent = pen.masked(exponent, 2047);
    let by = pen.plus(exponent, 63 - 1075);
    let is_less = pen.is_below_zero(by);
    let shifted = pen.left_by(whole, by);
    // A number below 2^-10 has no ones.
    let fraction = pen.int(1);
    pen.choice(is_less, fraction, shifted, WORD)
}

/// `math.powf`
pub fn value<C: Calculator>(pen: &mut Pen<C>, x: C::Value, y: C::Value) -> C::Value {
    let size = pen.size(x);
    let log = log2(pen, size);
    // Exponents behind 2^12 have no need of more: y is held below 2^66, which is enough for the number beside 1.
    let factor = pen.at_most(y, libm::scalbn(1.0, 66));
    let factor = pen.not_below(factor, -libm::scalbn(1.0, 66));
    let zero = pen.double_literal(0.0);
    let factor = apart(pen, [factor, zero]);
    let [high, low] = product(pen, log, factor);
    let sum = pen.add(high, low);
    let bounded = pen.at_most(sum, 1200.0);
    let bounded = pen.not_below(bounded, -1200.0);
    let [whole, k] = pen.nearest(bounded);
    let is_bounded = pen.compare(Comparison::Equal, sum, bounded);
    let left = pen.sub(high, whole);
    let left = pen.add(left, low);
    let left = pen.except_not(is_bounded, left, 0.0);
    let reduced = of_binary(pen, k, left);
    let power = of_reduced(pen, &reduced);
    let power = of_ends(pen, size, y, power);
    signed(pen, x, y, power)
}

/// Powers of zero and infinity, which have no logarithm.
fn of_ends<C: Calculator>(pen: &mut Pen<C>, size: C::Value, y: C::Value, power: C::Value) -> C::Value {
    let is_zero = pen.meets(Comparison::Equal, size, 0.0);
    let is_infinite = pen.meets(Comparison::Equal, size, f64::INFINITY);
    let is_end = pen.either(is_zero, is_infinite);
    let y_bits = pen.bits(y, WORD);
    let is_inverse = pen.is_below_zero(y_bits);
    let inverse = pen.literal_of(is_zero, f64::INFINITY, 0.0);
    let other = pen.literal_of(is_zero, 0.0, f64::INFINITY);
    let end = pen.pick(is_inverse, inverse, other);
    let power = pen.pick(is_end, end, power);
    // Of anything to zero, and of 1 to anything.
    let is_nothing = pen.meets(Comparison::Equal, y, 0.0);
    pen.except(is_nothing, 1.0, power)
}

/// The sign of x where y is odd; and no power of a negative number, but infinity, to a fraction, nor of NaNs, unless y is 0 or x is 1.
fn signed<C: Calculator>(pen: &mut Pen<C>, x: C::Value, y: C::Value, power: C::Value) -> C::Value {
    let ones = ones(pen, y);
    let is_odd = pen.is(Predicate::Eq, ones, i64::MIN);
    let bits = pen.bits(x, WORD);
    let none = pen.int(0);
    let sign = pen.choice(is_odd, bits, none, WORD);
    let power = pen.flipped(power, sign);
    let halves = pen.left(ones, 1);
    let is_fraction = pen.is(Predicate::Ne, halves, 0);
    let is_negative = pen.meets(Comparison::Less, x, 0.0);
    let is_finite = pen.meets(Comparison::Greater, x, f64::NEG_INFINITY);
    let is_negative = pen.both(is_negative, is_finite);
    let is_imaginary = pen.both(is_negative, is_fraction);
    let is_unknown = pen.compare(Comparison::Unordered, x, y);
    let is_none = pen.either(is_imaginary, is_unknown);
    let is_above = pen.meets(Comparison::Differs, y, 0.0);
    let is_other = pen.meets(Comparison::Differs, x, 1.0);
    let is_none = pen.both(is_none, is_above);
    let power = pen.except(is_none, f64::NAN, power);
    pen.except_not(is_other, power, 1.0)
}
