//! The cube root: a third of the exponent, and a polynomial for the rest.
//!
//! A number is 2^(3k + r) * (1 + f) with r 0, 1 or 2. Its root is 2^k times that of 2^r, a literal, times that of 1 + f.

use super::fit::{fitted, fixed};
use super::pen::{Calculator, Comparison, Pen, WORD};
use loom_dfg::{OpKind, Predicate, Type};
use std::sync::LazyLock;

/// Degree of the polynomial.
const DEGREE: usize = 8;

/// Of the root of 1 + f, f from 0 to 1: with 62 binary places, the last with 31.
static ROOT: LazyLock<[i64; DEGREE + 1]> = LazyLock::new(|| {
    let real = fitted(|f| libm::cbrt(1.0 + f), (0.0, 1.0), DEGREE);
    std::array::from_fn(|k| fixed(real[k], if k == DEGREE { 31 } else { 62 }))
});

/// Of a double's exponent field, which is 1023 where the exponent is 0 and a multiple of 3.
const BIAS: i64 = 1023;

/// `math.cbrt`
pub fn cube<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let magnitude = pen.float(OpKind::Absf, &[x], Type::F32);
    let wide = pen.double(magnitude);
    let bits = pen.bits(wide, WORD);
    let exponent = pen.down(bits, 52);
    // A third, rounded down: right for all 11 bits.
    let third = pen.times(exponent, 21_846);
    let third = pen.down(third, 16);
    let whole = pen.times(third, 3);
    let rest = pen.difference(exponent, whole);
    let fraction = pen.masked(bits, (1 << 52) - 1);
    let fraction = pen.down(fraction, 52 - 31);
    let mut root = pen.int(ROOT[DEGREE]);
    for k in (0..DEGREE).rev() {
        if k + 1 < DEGREE {
            root = pen.right(root, 31);
        }
        let next = pen.product(root, fraction);
        root = pen.plus(next, ROOT[k]);
    }
    // Times 1, 2^(1/3) or 2^(2/3): 30 binary places, as with 31 the product might not fit.
    let [none, one, two] = [0.0, 1.0, 2.0].map(|r: f64| fixed(libm::exp2(r / 3.0), 30));
    let is_two = pen.is(Predicate::Eq, rest, 2);
    let [one, two] = [one, two].map(|v| pen.int(v));
    let factor = pen.choice(is_two, two, one, WORD);
    let is_none = pen.is(Predicate::Eq, rest, 0);
    let none = pen.int(none);
    let factor = pen.choice(is_none, none, factor, WORD);
    let root = pen.down(root, 31);
    let root = pen.product(root, factor);
    // The exponent of the product, a word with 61 binary places, is 2^k.
    let root = pen.number(root, Type::F64);
    let scale = pen.plus(third, BIAS - BIAS / 3 - 61);
    let scale = pen.left(scale, 52);
    let scale = pen.bits(scale, Type::F64);
    let root = pen.float(OpKind::Mulf, &[root, scale], Type::F64);
    let root = pen.cut(root);
    // Zeros, infinities and NaNs are their own root.
    let is_number = pen.is(Predicate::Slt, exponent, 2047);
    let root = pen.choice(is_number, root, magnitude, Type::F32);
    let is_zero = pen.holds(Comparison::Equal, magnitude, 0.0);
    let root = pen.unless(is_zero, 0.0, root);
    pen.with_sign(root, x)
}
