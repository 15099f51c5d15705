//! Polynomials that stand for a function on an interval, with coefficients as whole numbers.
//!
//! They go through the function at the zeros of a Chebyshev polynomial, which is as close to the best polynomial of that degree
//! as matters here (a factor below 2 for the degrees in use). Sums, products and the functions of `libm` give the same bits
//! on every machine, and so the same coefficients (D12). What a fit is good for is measured in the tests of the formulas.

use std::f64::consts::PI;

/// Coefficients in real numbers, the constant one first: of the polynomial of this degree through `function` on an interval.
pub fn fitted(function: impl Fn(f64) -> f64, (from, to): (f64, f64), degree: usize) -> Vec<f64> {
    let (middle, half) = ((from + to) / 2.0, (to - from) / 2.0);
    let points: Vec<f64> = (0..=degree)
        .map(|k| middle + half * libm::cos(PI * (k as f64 + 0.5) / (degree as f64 + 1.0)))
        .collect();
    // Newton's divided differences, then the products multiplied out, innermost first.
    let mut newton: Vec<f64> = points.iter().map(|&x| function(x)).collect();
    for order in 1..=degree {
        for k in (order..=degree).rev() {
            newton[k] = (newton[k] - newton[k - 1]) / (points[k] - points[k - order]);
        }
    }
    let mut coefficients = vec![newton[degree]];
    for k in (0..degree).rev() {
        let mut next = vec![0.0; coefficients.len() + 1];
        for (power, c) in coefficients.iter().enumerate() {
            next[power + 1] += c;
            next[power] -= c * points[k];
        }
        next[0] += newton[k];
        coefficients = next;
    }
    coefficients
}

/// A number with so many binary places, rounded.
pub fn fixed(value: f64, places: i32) -> i64 {
    libm::round(libm::scalbn(value, places)) as i64
}
