//! Logarithms.
//!
//! A number is 2^k * (1 + u) with u from -1/3 to 1/3, which has 24 binary places: exactly. The logarithm of 1 + u is u times a
//! polynomial, whose product keeps all bits, so that results near zero are as good as others.

use super::fit::{fitted, fixed};
use super::pen::{Calculator, Comparison, Pen, WORD};
use loom_dfg::{OpKind, Type};
use std::sync::LazyLock;

/// Binary places of u.
pub const U: i64 = 24;
/// Binary places of the polynomial on its way.
pub const WAY: i64 = 38;
/// The bits of the least 1 + u, as a double.
const BELOW: i64 = (2.0f64 / 3.0).to_bits() as i64;
/// The bits of 1.
const ONE: i64 = 1.0f64.to_bits() as i64;
/// Degree of the polynomials.
const DEGREE: usize = 9;

/// Coefficients of log(1 + u) / u, natural.
static REAL: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let function = |u: f64| if u == 0.0 { 1.0 } else { libm::log1p(u) / u };
    fitted(function, (-1.0 / 3.0, 1.0 / 3.0), DEGREE)
});

/// A logarithm to some base, in fixed point.
pub struct LogBase {
    /// Of u's quotient, with `WAY` binary places, the first with `places` less `U`.
    quotient: [i64; DEGREE + 1],
    /// The logarithm of 2.
    of_two: i64,
    /// Binary places of the result.
    places: i64,
}

impl LogBase {
    fn new(of_e: f64, of_two: f64, places: i64) -> LogBase {
        let quotient =
            std::array::from_fn(|k| fixed(REAL[k] * of_e, if k == 0 { places - U } else { WAY } as i32));
        LogBase { quotient, of_two: fixed(of_two, places as i32), places }
    }
}

/// To base e.
pub static NATURAL: LazyLock<LogBase> = LazyLock::new(|| LogBase::new(1.0, std::f64::consts::LN_2, 56));
/// To base 2; 149 times 1 takes a bit more than in the others.
pub static BINARY: LazyLock<LogBase> = LazyLock::new(|| LogBase::new(std::f64::consts::LOG2_E, 1.0, 55));
/// To base 10.
pub static DECIMAL: LazyLock<LogBase> =
    LazyLock::new(|| LogBase::new(std::f64::consts::LOG10_E, std::f64::consts::LOG10_2, 56));

/// The whole k and the small u of a double that is 2^k * (1 + u), u with 24 binary places. The double has no more bits.
pub fn parts<C: Calculator>(pen: &mut Pen<C>, wide: C::Value) -> [C::Value; 2] {
    let bits = pen.bits(wide, WORD);
    let from_below = pen.plus(bits, -BELOW);
    let k = pen.right(from_below, 52);
    let rest = pen.masked(from_below, (1 << 52) - 1);
    // Above 1 the fraction counts from 1 in 2^-52, below in half of that.
    let fraction = pen.plus(rest, BELOW - ONE);
    let is_below = pen.down(fraction, 63);
    let by = pen.plus(is_below, 52 - U);
    [k, pen.right_by(fraction, by)]
}

/// The logarithm of such parts.
pub fn of_parts<C: Calculator>(pen: &mut Pen<C>, [k, u]: [C::Value; 2], base: &LogBase) -> C::Value {
    let mut quotient = pen.int(base.quotient[DEGREE]);
    for power in (0..DEGREE).rev() {
        let product = pen.product(quotient, u);
        let dropped = if power == 0 { WAY + 2 * U - base.places } else { U };
        let next = pen.right(product, dropped);
        quotient = pen.plus(next, base.quotient[power]);
    }
    let small = pen.product(quotient, u);
    let large = pen.times(k, base.of_two);
    pen.sum(small, large)
}

/// What is no number above the pole has the logarithm that the standard recommends.
fn checked<C: Calculator>(pen: &mut Pen<C>, x: C::Value, log: C::Value, pole: f32) -> C::Value {
    let is_finite = pen.holds(Comparison::Less, x, f32::INFINITY);
    let log = pen.choice(is_finite, log, x, Type::F32);
    let is_pole = pen.holds(Comparison::Equal, x, pole);
    let nan = pen.single(f32::NAN);
    let other = pen.unless(is_pole, f32::NEG_INFINITY, nan);
    let is_above = pen.holds(Comparison::Greater, x, pole);
    pen.choice(is_above, log, other, Type::F32)
}

/// `math.log`, `math.log2`, `math.log10`.
pub fn single<C: Calculator>(pen: &mut Pen<C>, x: C::Value, base: &LogBase) -> C::Value {
    let wide = pen.double(x);
    let parts = parts(pen, wide);
    let log = of_parts(pen, parts, base);
    let log = pen.number(log, Type::F32);
    let log = pen.scaled_single(log, libm::scalbnf(1.0, -base.places as i32));
    checked(pen, x, log, 0.0)
}

/// Of log(1 + u) / u, with 31 binary places.
static QUOTIENT: LazyLock<[i64; DEGREE + 1]> = LazyLock::new(|| std::array::from_fn(|k| fixed(REAL[k], 31)));

/// `math.log1p`: of 1 + x as a double, whose u has more bits than words have room for. The last product is in double precision.
pub fn one_more<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let wide = pen.double(x);
    let one = pen.double_literal(1.0);
    let wide = pen.float(OpKind::Addf, &[wide, one], Type::F64);
    let bits = pen.bits(wide, WORD);
    let from_below = pen.plus(bits, -BELOW);
    let k = pen.right(from_below, 52);
    let rest = pen.masked(from_below, (1 << 52) - 1);
    let near_one = pen.plus(rest, BELOW);
    let near_one = pen.bits(near_one, Type::F64);
    let u = pen.float(OpKind::Subf, &[near_one, one], Type::F64);
    let argument = pen.scaled(u, libm::scalbn(1.0, 31));
    let argument = pen.whole(argument);
    let mut quotient = pen.int(QUOTIENT[DEGREE]);
    for power in (0..DEGREE).rev() {
        let product = pen.product(quotient, argument);
        let next = pen.right(product, 31);
        quotient = pen.plus(next, QUOTIENT[power]);
    }
    let [quotient, k] = [quotient, k].map(|v| pen.number(v, Type::F64));
    let small = pen.float(OpKind::Mulf, &[quotient, u], Type::F64);
    let large = pen.scaled(k, libm::scalbn(std::f64::consts::LN_2, 31));
    let log = pen.float(OpKind::Addf, &[small, large], Type::F64);
    let log = pen.cut(log);
    let log = pen.scaled_single(log, libm::scalbnf(1.0, -31));
    // Of smaller numbers too much is lost in the sum; they are their own logarithm.
    let magnitude = pen.float(OpKind::Absf, &[x], Type::F32);
    let is_tiny = pen.holds(Comparison::Less, magnitude, libm::scalbnf(1.0, -25));
    let log = pen.choice(is_tiny, x, log, Type::F32);
    checked(pen, x, log, -1.0)
}
