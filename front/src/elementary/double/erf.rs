//! The error function: near zero x and x times a polynomial of x^2; about 1 a number and a polynomial of x - 1; then 1 - e^(-x^2) * g, where g,
//! about 1 / x, is a polynomial of 1 / (x + 3).

use super::super::fit::{fitted, of_series};
use super::super::pen::{Calculator, Comparison, Pen};
use super::super::twofold::Twofold;
use super::exp::{of_reduced, reduced};
use std::f64::consts::FRAC_2_SQRT_PI;
use std::sync::LazyLock;

/// Below, the first polynomial.
const SMALL: f64 = 0.75;
/// Below, the second.
const MIDDLE: f64 = 1.25;
/// The value at 1, by so many bits that few are left for the polynomial.
const AT_ONE: f64 = 0.842_700_958_251_953_1;
/// From here on the function is 1.
const LARGE: f64 = 6.0;
/// What is added to x before it is inverted.
const SHIFT: f64 = 3.0;
/// 2 / sqrt(pi).
const FACTOR: Twofold = Twofold { high: FRAC_2_SQRT_PI, low: 1.533_545_961_316_588e-17 };

/// The terms of erf(x) / x, by x^2.
fn term(k: i32) -> Twofold {
    let factorial = (1..=k).fold(Twofold::from(1.0), |p, k| p * Twofold::from(f64::from(k)));
    let sign = Twofold::from(if k % 2 == 0 { 1.0 } else { -1.0 });
    sign * FACTOR / (factorial * Twofold::from(f64::from(2 * k + 1)))
}

/// Of erf(x) / x - 1, by x^2.
static NEAR_ZERO: LazyLock<[f64; 15]> = LazyLock::new(|| {
    let less_one = |k: i32| if k == 0 { term(0) - Twofold::from(1.0) } else { term(k) };
    of_series(less_one, (0.0, SMALL * SMALL))
});

/// Of erf(x) - erf(1), nearly, by x - 1.
static NEAR_ONE: LazyLock<[f64; 15]> = LazyLock::new(|| {
    let terms: Vec<Twofold> = (0..60).map(term).collect();
    let function = |less: f64| {
        let x = Twofold::from(1.0) + Twofold::from(less);
        let sum = terms.iter().rev().fold(Twofold::from(0.0), |sum, &term| sum * x * x + term);
        sum * x - Twofold::from(AT_ONE)
    };
    let real = fitted(function, (SMALL - 1.0, MIDDLE - 1.0), 14);
    std::array::from_fn(|k| real[k].high)
});

/// Of g, which is e^(x^2) less what the error function has of it: 2 / sqrt(pi) * (x + 2 x^3 / 3 + 4 x^5 / 15 + ...).
static DECAY: LazyLock<[f64; 15]> = LazyLock::new(|| {
    let function = |inverse: f64| {
        let x = Twofold::ratio(1.0, inverse) - Twofold::from(SHIFT);
        let square = x * x;
        let [mut power, mut odd] = [Twofold::from(1.0), x * FACTOR];
        let mut sum = power - odd;
        for n in 1..200 {
            power = power * square / Twofold::from(f64::from(n));
            odd = odd * square / Twofold::from(f64::from(n) + 0.5);
            sum = sum + (power - odd);
        }
        sum
    };
    let real = fitted(function, (1.0 / (LARGE + SHIFT), 1.0 / (MIDDLE + SHIFT)), 14);
    std::array::from_fn(|k| real[k].high)
});

/// `math.erf`
pub fn value<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let size = pen.size(x);
    let bounded = pen.at_most(size, LARGE);
    let square = pen.mul(bounded, bounded);
    let is_small = pen.meets(Comparison::Less, bounded, SMALL);
    let less = pen.less(bounded, 1.0);
    let argument = pen.pick(is_small, square, less);
    let coefficients: Vec<[f64; 2]> = NEAR_ZERO.iter().zip(&*NEAR_ONE).map(|(&z, &o)| [z, o]).collect();
    let sum = pen.horner_of_two(is_small, &coefficients, argument);
    let by = pen.except_not(is_small, bounded, 1.0);
    let product = pen.mul(sum, by);
    let base = pen.except_not(is_small, bounded, AT_ONE);
    let small = pen.add(base, product);
    let exponent = pen.scaled(square, -1.0);
    let reduced = reduced(pen, exponent);
    let power = of_reduced(pen, &reduced);
    let below = pen.more(bounded, SHIFT);
    let one = pen.double_literal(1.0);
    let inverse = pen.div(one, below);
    let factor = pen.horner(&*DECAY, inverse);
    let rest = pen.mul(power, factor);
    let large = pen.taken_from(1.0, rest);
    let is_large = pen.meets(Comparison::AtLeast, bounded, MIDDLE);
    let value = pen.pick(is_large, large, small);
    pen.signed_as(value, x)
}
