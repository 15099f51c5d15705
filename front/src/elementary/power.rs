//! Powers: 2 to a number in words of 64 bits with 54 binary places.
//!
//! The number's fraction goes through a polynomial, its whole part into the exponent of a double. Conversions do the rest: to a
//! word they saturate, which holds the exponent in range, and to single precision they round, to subnormals and
//! infinities too.

use super::fit::{fitted, fixed};
use super::pen::{Calculator, Comparison, Pen};
use loom_dfg::Type;
use std::sync::LazyLock;

/// Binary places of exponents; they saturate at 2^±512.
pub const PLACES: i32 = 54;

/// Of 2^f on [0, 1]: the highest with 31 binary places, the others with 62.
pub static POWER: LazyLock<[i64; 7]> = LazyLock::new(|| {
    let real = fitted(libm::exp2, (0.0, 1.0), 6);
    std::array::from_fn(|k| fixed(real[k], if k == 6 { 31 } else { 62 }))
});

/// 2^f with 62 binary places, f the fraction of a number.
pub fn of_fraction<C: Calculator>(pen: &mut Pen<C>, number: C::Value) -> C::Value {
    let high = pen.down(number, PLACES as i64 - 31);
    let fraction = pen.masked(high, (1 << 31) - 1);
    let mut power = pen.int(POWER[6]);
    for k in (0..6).rev() {
        if k < 5 {
            power = pen.down(power, 31);
        }
        let next = pen.product(power, fraction);
        power = pen.plus(next, POWER[k]);
    }
    power
}

/// 2 to a number, as a double.
pub fn of<C: Calculator>(pen: &mut Pen<C>, number: C::Value) -> C::Value {
    scaled(pen, number, 0)
}

/// 2 to a number and a shift, as a double.
pub fn scaled<C: Calculator>(pen: &mut Pen<C>, number: C::Value, shift: i32) -> C::Value {
    let power = of_fraction(pen, number);
    // One and its fraction, the one being the lowest bit of an exponent that is one less.
    let significand = pen.down(power, 10);
    let whole = pen.right(number, PLACES as i64 - 52);
    let exponent = pen.masked(whole, -1 << 52);
    let scaled = pen.sum(significand, exponent);
    let biased = pen.plus(scaled, (1022 + i64::from(shift)) << 52);
    pen.bits(biased, Type::F64)
}

/// `math.exp2`, and `math.exp` where the base is e: its logarithm to base 2 is given.
pub fn single<C: Calculator>(pen: &mut Pen<C>, x: C::Value, log2_of_base: f64) -> C::Value {
    let wide = pen.double(x);
    let number = pen.scaled(wide, libm::scalbn(log2_of_base, PLACES));
    let number = pen.whole(number);
    let power = of(pen, number);
    let rounded = pen.cut(power);
    let is_nan = pen.compare(Comparison::Unordered, x, x);
    pen.unless(is_nan, f32::NAN, rounded)
}
