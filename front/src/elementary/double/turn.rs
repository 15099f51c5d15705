//! Sine, cosine and tangent of any number, however large.
//!
//! A double is a whole m of 53 bits times 2^s. What counts is m * 2^s * 2/pi modulo 4, the quarter turns: of 2/pi only 192 bits from a
//! place on that s says, those above giving whole turns (Payne and Hanek 1983). They are shifted out of 19 words. The product,
//! modulo 2^192, has the quarter in its highest bits; as no double comes nearer to a multiple of pi/2 than 2^-61, enough bits
//! are right of what is left, which is at most an eighth of a turn and kept as a double of 26 bits and the rest.

use super::super::fit::of_series;
use super::super::pen::{Calculator, Comparison, Pen, WORD};
use super::super::twofold::Twofold;
use loom_dfg::{Op, Predicate, Type};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
use std::sync::LazyLock;

/// The first 1216 bits of 2/pi behind the point.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];

/// The least exponent field that is asked for: that of pi/4.
const FIRST: i64 = 1022;
/// The zeros before 2/pi that stand in the highest places with it: quarter turns have 62 binary places in the first word.
const ZEROS: i64 = 64 - (FIRST - (1075 - 62));

/// Four words of 2/pi behind so many zeros, from one on that a word below 16 counts.
fn window<C: Calculator>(pen: &mut Pen<C>, first: C::Value) -> [C::Value; 4] {
    let before = [0].into_iter().chain(TWO_OVER_PI);
    let shifted = before.zip(TWO_OVER_PI).map(|(high, low)| high << (64 - ZEROS) | low >> ZEROS);
    let mut words: Vec<C::Value> = shifted.map(|word| pen.int(word as i64)).collect();
    // By eight words, four, two, one: each time of those that may still be asked for.
    for (step, left) in [(8, 11), (4, 7), (2, 5), (1, 4)] {
        let bit = pen.down(first, libm::log2(f64::from(step)) as i64);
        let is_later = pen.is_odd(bit);
        let step = step as usize;
        words = (0..left)
            .map(|k| match words.get(k + step) {
                Some(&later) => pen.choice(is_later, later, words[k], WORD),
                None => words[k],
            })
            .collect();
    }
    words.try_into().unwrap_or_else(|_| unreachable!("four are left"))
}

/// The halves of a word.
fn halves<C: Calculator>(pen: &mut Pen<C>, word: C::Value) -> [C::Value; 2] {
    [pen.down(word, 32), pen.masked(word, 0xffff_ffff)]
}

/// The higher word of a product of halves, by whether what the lowest ones carry is wanted.
fn higher<C: Calculator>(pen: &mut Pen<C>, a: [C::Value; 2], b: [C::Value; 2], exact: bool) -> C::Value {
    let [mut first, mut second] = [(0, 1), (1, 0)].map(|(i, k)| pen.product(a[i], b[k]));
    if exact {
        let low = pen.product(a[1], b[1]);
        let low = pen.down(low, 32);
        first = pen.sum(first, low);
        let low = pen.masked(first, 0xffff_ffff);
        second = pen.sum(second, low);
    }
    let high = pen.product(a[0], b[0]);
    [first, second].into_iter().fold(high, |sum, part| {
        let part = pen.down(part, 32);
        pen.sum(sum, part)
    })
}

/// The angle of a magnitude's bits modulo a turn, in two words: quarter turns are 2^62 of the first.
fn quarters<C: Calculator>(pen: &mut Pen<C>, magnitude: C::Value) -> [C::Value; 2] {
    let exponent = pen.down(magnitude, 52);
    let fraction = pen.masked(magnitude, (1 << 52) - 1);
    let m = pen.with_bits(fraction, 1 << 52);
    let places = pen.plus(exponent, -FIRST);
    // The largest exponent's are a whole word from the last.
    let first = pen.down(places, 6);
    let first = pen.not_above(first, 15);
    let window = window(pen, first);
    let skipped = pen.left(first, 6);
    let by = pen.difference(places, skipped);
    let back = pen.minus_from(64, by);
    let [high, middle, low] = [0, 1, 2].map(|k| {
        let high = pen.left_by(window[k], by);
        let low = pen.down_by(window[k + 1], back);
        pen.joined(high, low)
    });
    let m_halves = halves(pen, m);
    let [middle_halves, low_halves] = [middle, low].map(|word| halves(pen, word));
    let turns = pen.product(high, m);
    let carried = higher(pen, m_halves, middle_halves, true);
    let turns = pen.sum(turns, carried);
    let second = pen.product(middle, m);
    let third = higher(pen, m_halves, low_halves, false);
    let second = pen.sum(second, third);
    let carry = pen.0.op(Op::Cmpi(Predicate::Ult), &[second, third], Type::I1);
    let more = pen.plus(turns, 1);
    [pen.choice(carry, more, turns, WORD), second]
}

/// pi/2 by 26 bits, and the rest.
const FRONT: f64 = f64::from_bits(FRAC_PI_2.to_bits() & (-1i64 << 27) as u64);
const REST: f64 = (FRAC_PI_2 - FRONT) + 6.123_233_995_736_766e-17;

/// An angle: the whole quarters as a word, and what is left, at most an eighth of a turn, as a double and the rest.
struct Angle<V> {
    quarters: V,
    high: V,
    low: V,
}

/// The angle of a magnitude.
fn angle<C: Calculator>(pen: &mut Pen<C>, size: C::Value) -> Angle<C::Value> {
    let bits = pen.bits(size, WORD);
    let [turns, below] = quarters(pen, bits);
    let rounded = pen.plus(turns, 1 << 61);
    let quarters = pen.down(rounded, 62);
    let left = pen.left(turns, 2);
    let left = pen.right(left, 2);
    let high = pen.number(left, Type::F64);
    let high = pen.front(high);
    let back = pen.whole(high);
    let rest = pen.difference(left, back);
    let rest = pen.number(rest, Type::F64);
    let below = pen.down(below, 1);
    let below = pen.number(below, Type::F64);
    let below = pen.scaled(below, libm::scalbn(1.0, -63));
    let rest = pen.add(rest, below);
    let unit = libm::scalbn(1.0, -62);
    let of_front = pen.scaled(high, REST * unit);
    let high = pen.scaled(high, FRONT * unit);
    let low = pen.scaled(rest, FRAC_PI_2 * unit);
    let low = pen.add(low, of_front);
    // Small ones are themselves, with all their bits.
    let is_small = pen.meets(Comparison::Less, size, FRAC_PI_4);
    let high = pen.pick(is_small, size, high);
    let low = pen.except(is_small, 0.0, low);
    let none = pen.int(0);
    let quarters = pen.choice(is_small, none, quarters, WORD);
    Angle { quarters, high, low }
}

/// Of (sin(r) / r - 1) / r^2, by r^2, r up to pi/4.
static SINE: LazyLock<[f64; 7]> = LazyLock::new(|| series(3));
/// Of (cos(r) - 1 + r^2 / 2) / r^4.
static COSINE: LazyLock<[f64; 7]> = LazyLock::new(|| series(4));

/// Of (sin(r) / r - 1 + r^2 / 6) / r^4.
static FINE_SINE: LazyLock<[f64; 6]> = LazyLock::new(|| series(5));

/// Of terms with every other factorial, from one on; the sign of the first is that of the sine's.
fn series<const N: usize>(first: i32) -> [f64; N] {
    let sign = if first == 3 { -1.0 } else { 1.0 };
    let factorial = |n: i32| (1..=n).fold(Twofold::from(1.0), |p, k| p * Twofold::from(f64::from(k)));
    let term = |k: i32| match 2 * k + first {
        n if n < 100 => Twofold::from(if k % 2 == 0 { sign } else { -sign }) / factorial(n),
        _ => Twofold::from(0.0),
    };
    of_series(term, (0.0, 0.617))
}

/// What sine and cosine of an angle of at most an eighth of a turn have in common; signs and quarters are left.
struct Start<V> {
    /// The angle, rounded.
    r: V,
    /// Its square.
    square: V,
    /// Half the square, as a double that is exact, of at most 52 bits, and the rest.
    half_square: [V; 2],
    /// 1 - r^2 / 2, as a double and the rest.
    cosine: [V; 2],
}

fn start<C: Calculator>(pen: &mut Pen<C>, angle: &Angle<C::Value>) -> Start<C::Value> {
    let r = pen.add(angle.high, angle.low);
    let square = pen.mul(r, r);
    let front = pen.front(r);
    let half = pen.scaled(front, 0.5);
    let half_square = pen.mul(half, front);
    let large = pen.taken_from(1.0, half_square);
    let back = pen.taken_from(1.0, large);
    let lost = pen.sub(back, half_square);
    // Of the square what the front's has not.
    let back = pen.sub(angle.high, front);
    let back = pen.add(back, angle.low);
    let sum = pen.add(front, r);
    let sum = pen.scaled(sum, 0.5);
    let left = pen.mul(back, sum);
    Start { r, square, half_square: [half_square, left], cosine: [large, pen.sub(lost, left)] }
}

/// What is no number has no sine.
fn checked<C: Calculator>(pen: &mut Pen<C>, size: C::Value, value: C::Value) -> C::Value {
    let is_finite = pen.meets(Comparison::Less, size, f64::INFINITY);
    let nan = pen.double_literal(f64::NAN);
    pen.pick(is_finite, value, nan)
}

/// The sine some quarters later: of whole quarters every other one is a cosine, and two of four are negative. One polynomial is
/// computed, the coefficients of either.
fn turned<C: Calculator>(pen: &mut Pen<C>, size: C::Value, later: i64) -> C::Value {
    let angle = angle(pen, size);
    let start = start(pen, &angle);
    let quarters = match later {
        0 => angle.quarters,
        later => pen.plus(angle.quarters, later),
    };
    let is_cosine = pen.is_odd(quarters);
    let coefficients: Vec<[f64; 2]> = COSINE.iter().zip(&*SINE).map(|(&c, &s)| [c, s]).collect();
    let factor = pen.horner_of_two(is_cosine, &coefficients, start.square);
    let factor = pen.mul(factor, start.square);
    let by = pen.pick(is_cosine, start.square, start.r);
    let rest = pen.mul(factor, by);
    let low = pen.pick(is_cosine, start.cosine[1], angle.low);
    let high = pen.pick(is_cosine, start.cosine[0], angle.high);
    let rest = pen.add(rest, low);
    let value = pen.add(high, rest);
    let sign = pen.left(quarters, 62);
    pen.flipped(value, sign)
}

/// `math.sin`
pub fn sine<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let size = pen.size(x);
    let value = turned(pen, size, 0);
    let bits = pen.bits(x, WORD);
    let value = pen.flipped(value, bits);
    checked(pen, size, value)
}

/// `math.cos`
pub fn cosine<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let size = pen.size(x);
    let value = turned(pen, size, 1);
    checked(pen, size, value)
}

/// `math.tan`: of the two sides one by the other.
pub fn tangent<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let size = pen.size(x);
    let angle = angle(pen, size);
    let Start { r, square, half_square, cosine: [large, left] } = start(pen, &angle);
    let fourth = pen.mul(square, square);
    // Of the sine, r^3 / 6 is what errors count in.
    let sine = pen.horner(&*FINE_SINE, square);
    let sine = pen.mul(sine, fourth);
    let sine = pen.mul(sine, r);
    let sine = pen.add(sine, angle.low);
    let sixth = half_square.map(|part| {
        let cube = pen.mul(part, r);
        pen.scaled(cube, 1.0 / 3.0)
    });
    let sine = pen.sub(sine, sixth[1]);
    let sine = [angle.high, pen.sub(sine, sixth[0])];
    let cosine = pen.horner(&*COSINE, square);
    let cosine = pen.mul(cosine, fourth);
    let cosine = [large, pen.add(cosine, left)];
    let is_odd = pen.is_odd(angle.quarters);
    let numerator = [0, 1].map(|k| pen.pick(is_odd, cosine[k], sine[k]));
    let denominator = [0, 1].map(|k| pen.pick(is_odd, sine[k], cosine[k]));
    let sum = pen.add(numerator[0], numerator[1]);
    let lost = pen.left_of_sum(sum, numerator[0], numerator[1]);
    let numerator = [sum, lost];
    // The denominator's first 26 bits, and the rest.
    let whole = pen.add(denominator[0], denominator[1]);
    let front = pen.front(whole);
    let rest = pen.sub(denominator[0], front);
    let rest = pen.add(rest, denominator[1]);
    let [front, rest] = pen.ratio(numerator, [front, rest]);
    let value = pen.add(front, rest);
    let sign = pen.left(angle.quarters, 63);
    let bits = pen.bits(x, WORD);
    let sign = pen.differing(sign, bits);
    let value = pen.flipped(value, sign);
    checked(pen, size, value)
}
