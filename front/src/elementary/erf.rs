//! The error function: 1 - 2^-p(|x|), where p, nearly a square, is a polynomial; near zero x times another one.

use super::fit::{fitted, fixed};
use super::pen::{Calculator, Pen};
use super::power;
use loom_dfg::{OpKind, Type};
use std::f64::consts::FRAC_2_SQRT_PI;
use std::sync::LazyLock;

/// Below, the polynomial in single precision.
const SMALL: f32 = 0.5;
/// From here on the function is 1.
const LARGE: f64 = 4.0;
/// Degree of p.
const DEGREE: usize = 11;

/// Of log2(1 - erf(x)), x from 0 to `LARGE` in units of that: with 54 binary places, the last with 23.
static DECAY: LazyLock<[i64; DEGREE + 1]> = LazyLock::new(|| {
    let real = fitted(|part| libm::log2(libm::erfc(LARGE * part)), (0.0, 1.0), DEGREE);
    std::array::from_fn(|k| fixed(real[k], if k == DEGREE { 23 } else { power::PLACES }))
});

/// Of erf(x) / x by x^2.
static NEAR_ZERO: LazyLock<[f32; 5]> = LazyLock::new(|| {
    let function = |square: f64| {
        let x = libm::sqrt(square);
        libm::erf(x) / x - FRAC_2_SQRT_PI
    };
    let real = fitted(function, (0.0, f64::from(SMALL * SMALL)), 4);
    std::array::from_fn(|k| real[k] as f32)
});

/// `math.erf`
pub fn single<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let magnitude = pen.float(OpKind::Absf, &[x], Type::F32);
    let wide = pen.double(magnitude);
    let most = pen.double_literal(LARGE);
    let bounded = pen.float(OpKind::Minimumf, &[wide, most], Type::F64);
    let part = pen.scaled(bounded, libm::scalbn(1.0 / LARGE, 31));
    let part = pen.whole(part);
    let mut decay = pen.int(DECAY[DEGREE]);
    for k in (0..DEGREE).rev() {
        if k + 1 < DEGREE {
            decay = pen.right(decay, 31);
        }
        let next = pen.product(decay, part);
        decay = pen.plus(next, DECAY[k]);
    }
    let rest = power::of(pen, decay);
    let one = pen.double_literal(1.0);
    let large = pen.float(OpKind::Subf, &[one, rest], Type::F64);
    let large = pen.cut(large);
    let small = near_zero(pen, magnitude);
    let value = pen.by_size(magnitude, SMALL, large, small);
    pen.with_sign(value, x)
}

/// The first factor in two parts, so that its rounding is not that of all small results; also a NaN's.
fn near_zero<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let square = pen.float(OpKind::Mulf, &[x, x], Type::F32);
    let sum = pen.polynomial(&NEAR_ZERO[..], square);
    let [wide, sum] = [x, sum].map(|v| pen.double(v));
    let first = pen.double_literal(FRAC_2_SQRT_PI);
    let factor = pen.float(OpKind::Addf, &[sum, first], Type::F64);
    let product = pen.float(OpKind::Mulf, &[wide, factor], Type::F64);
    pen.cut(product)
}
