//! Hyperbolic functions and e^x - 1, from e^x as a double.
//!
//! Near zero the differences would lose bits; there the odd ones are polynomials in single precision.

use super::fit::fitted;
use super::pen::{Calculator, Comparison, Pen};
use super::power;
use loom_dfg::{OpKind, Type};
use std::f64::consts::LOG2_E;
use std::sync::LazyLock;

/// Where the polynomials end.
const SMALL: f32 = 0.25;

/// e^x * 2^shift as a double; of a NaN 2^shift.
fn power<C: Calculator>(pen: &mut Pen<C>, x: C::Value, shift: i32) -> C::Value {
    let wide = pen.double(x);
    let number = pen.scaled(wide, libm::scalbn(LOG2_E, power::PLACES));
    let number = pen.whole(number);
    power::scaled(pen, number, shift)
}

/// Half of e^x and half of e^-x.
fn halves<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> [C::Value; 2] {
    let half = power(pen, x, -1);
    let quarter = pen.double_literal(0.25);
    [half, pen.float(OpKind::Divf, &[quarter, half], Type::F64)]
}

/// x + x * x * polynomial(argument), all in single precision; `argument` is x or its square.
fn near_zero<C: Calculator>(
    pen: &mut Pen<C>,
    x: C::Value,
    argument: C::Value,
    factor: C::Value,
    coefficients: &[f32],
) -> C::Value {
    let sum = pen.polynomial(coefficients, argument);
    let product = pen.float(OpKind::Mulf, &[sum, factor], Type::F32);
    let rest = pen.float(OpKind::Mulf, &[product, x], Type::F32);
    pen.float(OpKind::Addf, &[x, rest], Type::F32)
}

/// The value of large numbers, but for those near zero, and NaNs, that of the polynomial.
fn by_size<C: Calculator>(pen: &mut Pen<C>, x: C::Value, large: C::Value, small: C::Value) -> C::Value {
    let magnitude = pen.float(OpKind::Absf, &[x], Type::F32);
    pen.by_size(magnitude, SMALL, large, small)
}

/// `math.cosh`
pub fn cosine<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let halves = halves(pen, x);
    let sum = pen.float(OpKind::Addf, &halves, Type::F64);
    let sum = pen.cut(sum);
    let is_nan = pen.compare(Comparison::Unordered, x, x);
    pen.unless(is_nan, f32::NAN, sum)
}

/// Of (sinh(x) / x - 1) / x^2, by x^2.
static SINE: LazyLock<[f32; 3]> = LazyLock::new(|| {
    let function = |square: f64| {
        let x = libm::sqrt(square);
        (libm::sinh(x) / x - 1.0) / square
    };
    let real = fitted(function, (0.0, f64::from(SMALL * SMALL)), 2);
    std::array::from_fn(|k| real[k] as f32)
});

/// `math.sinh`
pub fn sine<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let halves = halves(pen, x);
    let difference = pen.float(OpKind::Subf, &halves, Type::F64);
    let large = pen.cut(difference);
    let square = pen.float(OpKind::Mulf, &[x, x], Type::F32);
    let small = near_zero(pen, x, square, square, &*SINE);
    by_size(pen, x, large, small)
}

/// Of (e^x - 1 - x) / x^2.
static LESS_ONE: LazyLock<[f32; 6]> = LazyLock::new(|| {
    let real = fitted(|x| (libm::expm1(x) - x) / (x * x), (-f64::from(SMALL), f64::from(SMALL)), 5);
    std::array::from_fn(|k| real[k] as f32)
});

/// `math.expm1`
pub fn less_one<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let power = power(pen, x, 0);
    let one = pen.double_literal(1.0);
    let difference = pen.float(OpKind::Subf, &[power, one], Type::F64);
    let large = pen.cut(difference);
    let small = near_zero(pen, x, x, x, &*LESS_ONE);
    let value = by_size(pen, x, large, small);
    // The sum has lost the sign of a zero.
    let is_zero = pen.holds(Comparison::Equal, x, 0.0);
    pen.choice(is_zero, x, value, Type::F32)
}
