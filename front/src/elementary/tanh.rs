//! The hyperbolic tangent: (1 - d) / (1 + d) for d = e^(-2|x|), whose quotient is taken in double precision.
//!
//! Below 1/16 the difference would lose bits; there it is the first terms of the series.

use super::pen::{Calculator, Pen};
use super::power;
use loom_dfg::{OpKind, Type};
use std::f64::consts::LOG2_E;

/// Where the series ends.
const SMALL: f32 = 0.0625;

/// `math.tanh`
pub fn single<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let magnitude = pen.float(OpKind::Absf, &[x], Type::F32);
    let wide = pen.double(magnitude);
    let number = pen.scaled(wide, libm::scalbn(-2.0 * LOG2_E, power::PLACES));
    let number = pen.whole(number);
    // d with 62 binary places.
    let fraction = power::of_fraction(pen, number);
    let whole = pen.right(number, power::PLACES as i64);
    let by = pen.minus_from(0, whole);
    let decay = pen.down_by(fraction, by);
    let above = pen.minus_from(1 << 62, decay);
    let below = pen.plus(decay, 1 << 62);
    let [above, below] = [above, below].map(|v| pen.number(v, Type::F64));
    let quotient = pen.float(OpKind::Divf, &[above, below], Type::F64);
    let large = pen.cut(quotient);
    let small = series(pen, magnitude);
    let value = pen.by_size(magnitude, SMALL, large, small);
    pen.with_sign(value, x)
}

/// x - x^3 / 3 + 2 x^5 / 15; also a NaN's.
fn series<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let square = pen.float(OpKind::Mulf, &[x, x], Type::F32);
    let fifth = pen.scaled_single(square, 2.0 / 15.0);
    let third = pen.single(1.0 / 3.0);
    let factor = pen.float(OpKind::Subf, &[fifth, third], Type::F32);
    let scaled = pen.float(OpKind::Mulf, &[square, factor], Type::F32);
    let rest = pen.float(OpKind::Mulf, &[scaled, x], Type::F32);
    pen.float(OpKind::Addf, &[x, rest], Type::F32)
}
