//! The cube root: an estimate by the exponent, a polynomial, and a step of Newton's.

use super::super::fit::fitted;
use super::super::pen::{Calculator, Comparison, Pen, WORD};
use loom_dfg::{Predicate, Type};
use std::sync::LazyLock;

/// Added to a third of a double's bits it makes an estimate of the root, at most 3.5 % away from it.
const ESTIMATE: i64 = 0x2a9f_7893 << 32;

/// Of r^(-1/3), r a cube of the estimate by the number.
static CORRECTION: LazyLock<[f64; 5]> = LazyLock::new(|| {
    let real = fitted(|r: f64| 1.0 / libm::cbrt(r), (0.89, 1.12), 4);
    std::array::from_fn(|k| real[k])
});

/// `math.cbrt`
pub fn cube<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let size = pen.size(x);
    // Between 1 and 8, and a third of what the exponent is above that.
    let is_small = pen.meets(Comparison::Less, size, f64::MIN_POSITIVE);
    let larger = pen.scaled(size, libm::scalbn(1.0, 54));
    let number = pen.pick(is_small, larger, size);
    let bits = pen.bits(number, WORD);
    let exponent = pen.down(bits, 52);
    // A third, rounded down: right for all 11 bits.
    let third = pen.times(exponent, 21_846);
    let third = pen.down(third, 16);
    let thrice = pen.times(third, 3);
    let rest = pen.left(thrice, 52);
    let near_one = pen.difference(bits, rest);
    let near_one = pen.plus(near_one, 1023 << 52);
    let z = pen.bits(near_one, Type::F64);
    let estimate = pen.down(near_one, 32);
    let estimate = pen.times(estimate, 0x5555_5556);
    // A third of the higher half in the higher half.
    let estimate = pen.plus(estimate, ESTIMATE);
    let estimate = pen.bits(estimate, Type::F64);
    let one = pen.double_literal(1.0);
    let inverse = pen.div(one, z);
    let square = pen.mul(estimate, estimate);
    let cube = pen.mul(square, estimate);
    let ratio = pen.mul(cube, inverse);
    let correction = pen.horner(&*CORRECTION, ratio);
    let root = pen.mul(estimate, correction);
    let root = pen.front(root);
    // With d = z - root^3 by z the root is d / 3 + 2 (d / 3)^2 parts larger, and nothing that counts.
    let square = pen.mul(root, root);
    let cube = pen.mul(square, root);
    let left = pen.sub(z, cube);
    let left = pen.scaled(left, 1.0 / 3.0);
    let part = pen.mul(left, inverse);
    let part_square = pen.mul(part, part);
    let part_square = pen.scaled(part_square, 2.0);
    let part = pen.add(part, part_square);
    let more = pen.mul(part, root);
    let root = pen.add(root, more);
    let [less, none] = [1023 - 1023 / 3 - 18, 1023 - 1023 / 3].map(|v| pen.int(v));
    let bias = pen.choice(is_small, less, none, WORD);
    let scale = pen.sum(third, bias);
    let scale = pen.power_of_two(scale);
    let root = pen.mul(root, scale);
    // Zeros, infinities and NaNs are their own root.
    let is_number = pen.is(Predicate::Slt, exponent, 2047);
    let root = pen.pick(is_number, root, size);
    let is_zero = pen.meets(Comparison::Equal, size, 0.0);
    let root = pen.except(is_zero, 0.0, root);
    pen.signed_as(root, x)
}
