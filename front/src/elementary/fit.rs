//! Polynomials that stand for a function on an interval, with coefficients as whole numbers.
//!
//! They go through the function at the zeros of a Chebyshev polynomial, which is as close to the best polynomial of that degree
//! as matters here (a factor below 2 for the degrees in use). Sums, products and the functions of `libm` give the same bits
//! on every machine, and so the same coefficients (D12). What a fit is good for is measured in the tests of the formulas.

use super::twofold::Twofold;
use std::f64::consts::PI;
use std::ops::{Add, Div, Mul, Sub};

/// What coefficients are computed in: doubles, or numbers of twice their digits.
pub trait Real:
    Copy + From<f64> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
}

impl Real for f64 {}
impl Real for Twofold {}

/// Coefficients in real numbers, the constant one first: of the polynomial of this degree through `function` on an interval.
pub fn fitted<R: Real>(function: impl Fn(f64) -> R, (from, to): (f64, f64), degree: usize) -> Vec<R> {
    let (middle, half) = ((from + to) / 2.0, (to - from) / 2.0);
    let points: Vec<f64> = (0..=degree)
        .map(|k| middle + half * libm::cos(PI * (k as f64 + 0.5) / (degree as f64 + 1.0)))
        .collect();
    // Newton's divided differences, then the products multiplied out, innermost first.
    let mut newton: Vec<R> = points.iter().map(|&x| function(x)).collect();
    for order in 1..=degree {
        for k in (order..=degree).rev() {
            newton[k] = (newton[k] - newton[k - 1]) / (R::from(points[k]) - R::from(points[k - order]));
        }
    }
    let mut coefficients = vec![newton[degree]];
    for k in (0..degree).rev() {
        let mut next = vec![R::from(0.0); coefficients.len() + 1];
        for (power, &c) in coefficients.iter().enumerate() {
            next[power + 1] = next[power + 1] + c;
            next[power] = next[power] - c * R::from(points[k]);
        }
        next[0] = next[0] + newton[k];
        coefficients = next;
    }
    coefficients
}

/// A number with so many binary places, rounded.
pub fn fixed(value: f64, places: i32) -> i64 {
    libm::round(libm::scalbn(value, places)) as i64
}

/// The same of a power series, whose terms are below 2^-104 of it on the interval from the 100th on, rounded to doubles.
pub fn of_series<const N: usize>(term: impl Fn(i32) -> Twofold, interval: (f64, f64)) -> [f64; N] {
    let terms: Vec<Twofold> = (0..SERIES).map(term).collect();
    let function =
        |x: f64| terms.iter().rev().fold(Twofold::from(0.0), |sum, &term| sum * Twofold::from(x) + term);
    let real = fitted(function, interval, N - 1);
    std::array::from_fn(|k| real[k].high)
}

/// How many terms of a power series are taken.
const SERIES: i32 = 100;
