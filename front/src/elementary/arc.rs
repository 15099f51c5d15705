//! Angles: of a quotient, of coordinates, of a sine and a cosine.
//!
//! All come from the angle whose tangent is a quotient of doubles up to 1, the smaller of two sides by the larger. That is the
//! quotient times a polynomial of its square, in double precision, so that small angles are as good as others.

use super::fit::{fitted, fixed};
use super::pen::{Calculator, Comparison, Pen};
use loom_dfg::{OpKind, Type};
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::LazyLock;

/// Degree of the polynomial.
const DEGREE: usize = 10;

/// Of atan(q) / q by q^2, q up to 1: with 62 binary places, the last with 31.
static ANGLE: LazyLock<[i64; DEGREE + 1]> = LazyLock::new(|| {
    let function = |square: f64| {
        let q = libm::sqrt(square);
        libm::atan(q) / q
    };
    let real = fitted(function, (0.0, 1.0), DEGREE);
    std::array::from_fn(|k| fixed(real[k], if k == DEGREE { 31 } else { 62 }))
});

/// The angle whose tangent is a double from 0 to 1; also a NaN's.
fn of_quotient<C: Calculator>(pen: &mut Pen<C>, quotient: C::Value) -> C::Value {
    let fraction = pen.scaled(quotient, libm::scalbn(1.0, 31));
    let fraction = pen.whole(fraction);
    let square = pen.product(fraction, fraction);
    let square = pen.down(square, 31);
    let mut factor = pen.int(ANGLE[DEGREE]);
    for k in (0..DEGREE).rev() {
        if k + 1 < DEGREE {
            factor = pen.right(factor, 31);
        }
        let next = pen.product(factor, square);
        factor = pen.plus(next, ANGLE[k]);
    }
    let factor = pen.number(factor, Type::F64);
    let factor = pen.scaled(factor, libm::scalbn(1.0, -62));
    pen.float(OpKind::Mulf, &[quotient, factor], Type::F64)
}

/// The angle from 0 to a quarter whose tangent is the quotient of two doubles that are not negative and not both zero or
/// infinite; whether `opposite` is the larger one is known.
fn of_sides<C: Calculator>(
    pen: &mut Pen<C>,
    opposite: C::Value,
    adjacent: C::Value,
    is_steep: C::Value,
) -> C::Value {
    let smaller = pen.choice(is_steep, adjacent, opposite, Type::F64);
    let larger = pen.choice(is_steep, opposite, adjacent, Type::F64);
    let quotient = pen.float(OpKind::Divf, &[smaller, larger], Type::F64);
    let angle = of_quotient(pen, quotient);
    let quarter = pen.double_literal(FRAC_PI_2);
    let other = pen.float(OpKind::Subf, &[quarter, angle], Type::F64);
    pen.choice(is_steep, other, angle, Type::F64)
}

/// `math.atan`
pub fn tangent<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let magnitude = pen.float(OpKind::Absf, &[x], Type::F32);
    let is_steep = pen.holds(Comparison::Greater, magnitude, 1.0);
    let opposite = pen.double(magnitude);
    let one = pen.double_literal(1.0);
    let angle = of_sides(pen, opposite, one, is_steep);
    let angle = pen.cut(angle);
    pen.with_sign(angle, x)
}

/// A double that is not infinite: larger than all others where it was.
fn bounded<C: Calculator>(pen: &mut Pen<C>, side: C::Value) -> C::Value {
    let most = pen.double_literal(libm::scalbn(1.0, 1000));
    pen.float(OpKind::Minimumf, &[side, most], Type::F64)
}

/// An angle from the axis of a side, which may point backwards.
fn towards<C: Calculator>(pen: &mut Pen<C>, angle: C::Value, side: C::Value) -> C::Value {
    let half = pen.double_literal(PI);
    let behind = pen.float(OpKind::Subf, &[half, angle], Type::F64);
    let is_behind = pen.is_negative(side);
    pen.choice(is_behind, behind, angle, Type::F64)
}

/// `math.atan2` of y and x.
pub fn coordinates<C: Calculator>(pen: &mut Pen<C>, y: C::Value, x: C::Value) -> C::Value {
    let [opposite, adjacent] = [y, x].map(|v| pen.float(OpKind::Absf, &[v], Type::F32));
    let is_steep = pen.compare(Comparison::Greater, opposite, adjacent);
    let [opposite, adjacent] = [opposite, adjacent].map(|v| pen.double(v));
    let opposite = bounded(pen, opposite);
    // No side but zero is as small as that, and none is changed by it.
    let least = pen.double_literal(libm::scalbn(1.0, -1000));
    let adjacent = bounded(pen, adjacent);
    let adjacent = pen.float(OpKind::Addf, &[adjacent, least], Type::F64);
    let angle = of_sides(pen, opposite, adjacent, is_steep);
    let angle = towards(pen, angle, x);
    let angle = pen.cut(angle);
    pen.with_sign(angle, y)
}

/// The other side of a right triangle with a long side of 1: a NaN where there is none.
fn other_side<C: Calculator>(pen: &mut Pen<C>, side: C::Value) -> C::Value {
    let one = pen.double_literal(1.0);
    let less = pen.float(OpKind::Subf, &[one, side], Type::F64);
    let more = pen.float(OpKind::Addf, &[one, side], Type::F64);
    let square = pen.float(OpKind::Mulf, &[less, more], Type::F64);
    pen.float(OpKind::Sqrt, &[square], Type::F64)
}

/// `math.asin`
pub fn sine<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let magnitude = pen.float(OpKind::Absf, &[x], Type::F32);
    let is_steep = pen.holds(Comparison::Greater, magnitude, std::f32::consts::FRAC_1_SQRT_2);
    let opposite = pen.double(magnitude);
    let adjacent = other_side(pen, opposite);
    let angle = of_sides(pen, opposite, adjacent, is_steep);
    let angle = pen.cut(angle);
    pen.with_sign(angle, x)
}

/// `math.acos`
pub fn cosine<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let magnitude = pen.float(OpKind::Absf, &[x], Type::F32);
    let is_steep = pen.holds(Comparison::Less, magnitude, std::f32::consts::FRAC_1_SQRT_2);
    let adjacent = pen.double(magnitude);
    let opposite = other_side(pen, adjacent);
    let angle = of_sides(pen, opposite, adjacent, is_steep);
    let angle = towards(pen, angle, x);
    pen.cut(angle)
}
