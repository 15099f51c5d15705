//! Angles: of a quotient, of coordinates, of a sine and a cosine.

use super::super::fit::of_series;
use super::super::pen::{Calculator, Comparison, Pen, WORD};
use super::super::twofold::Twofold;
use loom_dfg::{Op, OpKind, Predicate, Type};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use std::sync::LazyLock;

/// Of (asin(r) / r - 1) / r^2, by r^2 up to 1/4.
static SINE: LazyLock<[f64; 13]> = LazyLock::new(|| {
    let term = |k: i32| {
        let odds = (1..=k + 1).fold(Twofold::from(1.0), |product, n| {
            product * Twofold::ratio(f64::from(2 * n - 1), f64::from(2 * n))
        });
        odds / Twofold::from(f64::from(2 * k + 3))
    };
    of_series(term, (0.0, 0.25))
});

/// What the doubles nearest to pi/2 is too small by.
const HALF_PI_REST: f64 = 6.123_233_995_736_766e-17;

/// Of a magnitude: whether it is above a half; the number whose arcsine is computed, half of what is missing to 1 or the magnitude
/// squared, its root or the magnitude; and the arcsine less that.
struct Arc<V> {
    is_large: V,
    square: V,
    root: V,
    rest: V,
}

fn arc<C: Calculator>(pen: &mut Pen<C>, size: C::Value) -> Arc<C::Value> {
    let is_large = pen.meets(Comparison::Greater, size, 0.5);
    let missing = pen.taken_from(1.0, size);
    let missing = pen.scaled(missing, 0.5);
    let square = pen.mul(size, size);
    let square = pen.pick(is_large, missing, square);
    let root = pen.float(OpKind::Sqrt, &[missing], Type::F64);
    let root = pen.pick(is_large, root, size);
    let rest = pen.horner(&*SINE, square);
    let rest = pen.mul(rest, square);
    Arc { is_large, square, root, rest: pen.mul(rest, root) }
}

/// What a root is too small by, of a number: by its first 26 bits, which are given.
fn left_of_root<C: Calculator>(pen: &mut Pen<C>, arc: &Arc<C::Value>, front: C::Value) -> C::Value {
    let product = pen.mul(front, front);
    let left = pen.sub(arc.square, product);
    let sum = pen.add(arc.root, front);
    // A root of zero has nothing left.
    let sum = pen.more(sum, f64::MIN_POSITIVE);
    pen.div(left, sum)
}

/// `math.asin`: for magnitudes above a half pi/2 less twice the arcsine of the root of half of what is missing to 1.
pub fn sine<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let size = pen.size(x);
    let arc = arc(pen, size);
    let front = pen.front(arc.root);
    let left = left_of_root(pen, &arc, front);
    // pi/4 - front is exact but for a last bit of pi/4.
    let rest = pen.add(left, arc.rest);
    let rest = pen.taken_from(HALF_PI_REST / 2.0, rest);
    let large = pen.taken_from(FRAC_PI_4, front);
    let large = pen.add(large, rest);
    let large = pen.scaled(large, 2.0);
    let small = pen.add(size, arc.rest);
    let value = pen.pick(arc.is_large, large, small);
    pen.signed_as(value, x)
}

/// `math.acos`: twice the arcsine of that root, or pi less it, or pi/2 less the arcsine.
pub fn cosine<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let size = pen.size(x);
    let arc = arc(pen, size);
    let front = pen.front(arc.root);
    let left = left_of_root(pen, &arc, front);
    let bits = pen.bits(x, WORD);
    // Twice root and rest.
    let rest = pen.add(left, arc.rest);
    let twice = pen.add(front, rest);
    let twice = pen.scaled(twice, 2.0);
    // Twice pi/2 less root and rest.
    let below = pen.taken_from(HALF_PI_REST, rest);
    let large = pen.taken_from(FRAC_PI_2, front);
    let behind = pen.add(large, below);
    let behind = pen.scaled(behind, 2.0);
    let is_negative = pen.is_below_zero(bits);
    let large = pen.pick(is_negative, behind, twice);
    // pi/2 less x and rest.
    let rest = pen.flipped(arc.rest, bits);
    let rest = pen.taken_from(HALF_PI_REST, rest);
    let small = pen.sub(rest, x);
    let small = pen.more(small, FRAC_PI_2);
    pen.pick(arc.is_large, large, small)
}

/// Of (atan(t) / t - 1) / t^2, by t^2, t up to 7/16.
static TANGENT: LazyLock<[f64; 11]> = LazyLock::new(|| {
    let term = |k: i32| Twofold::ratio(if k % 2 == 0 { -1.0 } else { 1.0 }, f64::from(2 * k + 3));
    of_series(term, (0.0, 0.1915))
});

/// Angles whose tangents are 0, 1/2 and 1: doubles, and what they are too small by.
const KNOWN: [[f64; 2]; 3] =
    [[0.0, 0.0], [0.463_647_609_000_806_1, 2.269_877_745_296_168_7e-17], [FRAC_PI_4, HALF_PI_REST / 2.0]];

/// The angle of two sides, of which none is negative; quarter or half turns with the rest are added where a condition asks for
/// them, and the angle is counted backwards then.
struct Sides<V> {
    /// The smaller side.
    small: V,
    /// The larger side.
    large: V,
    /// What the angle is added to or taken from.
    base: [V; 2],
    /// In the highest bit of a word, whether it is taken.
    backwards: V,
    /// Whether the larger side is 1 or the quotient of both is near the known tangents.
    is_plain: bool,
}

fn of_sides<C: Calculator>(pen: &mut Pen<C>, sides: &Sides<C::Value>) -> C::Value {
    let &Sides { small, large, base, backwards, is_plain } = sides;
    // The nearest tangent that is known, c: the rest's is (small - c * large) / (large + c * small).
    let [low, high] = [7.0 / 16.0, 11.0 / 16.0].map(|bound| {
        let bound = pen.scaled(large, bound);
        pen.compare(Comparison::AtLeast, small, bound)
    });
    let mut chosen = |of: [f64; 3]| {
        let upper = pen.literal_of(high, of[2], of[1]);
        pen.except_not(low, upper, of[0])
    };
    let c = chosen([0.0, 0.5, 1.0]);
    let [known, known_rest] = [0, 1].map(|k| chosen(KNOWN.map(|angle| angle[k])));
    let less = pen.mul(c, large);
    let numerator = pen.sub(small, less);
    let more = pen.mul(c, small);
    let denominator = pen.add(large, more);
    let [tangent, rest] = if is_plain {
        let zero = pen.double_literal(0.0);
        [pen.div(numerator, denominator), zero]
    } else {
        let front = pen.front(denominator);
        let left = pen.sub(large, front);
        let left = pen.add(left, more);
        let zero = pen.double_literal(0.0);
        pen.ratio([numerator, zero], [front, left])
    };
    let whole = if is_plain { tangent } else { pen.add(tangent, rest) };
    let square = pen.mul(whole, whole);
    let factor = pen.horner(&*TANGENT, square);
    let factor = pen.mul(factor, square);
    let product = pen.mul(factor, whole);
    let rest = if is_plain { product } else { pen.add(product, rest) };
    let rest = pen.add(rest, known_rest);
    let [known, tangent, rest] = [known, tangent, rest].map(|v| pen.flipped(v, backwards));
    // Both known angles, exactly.
    let sum = pen.add(base[0], known);
    let lost = pen.left_of_sum(sum, base[0], known);
    let rest = pen.add(rest, lost);
    let rest = pen.add(rest, base[1]);
    let rest_sum = pen.add(tangent, rest);
    pen.add(sum, rest_sum)
}

/// `math.atan`
pub fn tangent<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let size = pen.size(x);
    let size = pen.at_most(size, f64::MAX);
    let is_steep = pen.meets(Comparison::Greater, size, 1.0);
    let one = pen.double_literal(1.0);
    let small = pen.pick(is_steep, one, size);
    let large = pen.pick(is_steep, size, one);
    let base = [FRAC_PI_2, HALF_PI_REST].map(|v| pen.literal_of(is_steep, v, 0.0));
    let [backwards, none] = [i64::MIN, 0].map(|v| pen.int(v));
    let backwards = pen.choice(is_steep, backwards, none, WORD);
    let value = of_sides(pen, &Sides { small, large, base, backwards, is_plain: true });
    pen.signed_as(value, x)
}

/// `math.atan2` of y and x.
pub fn coordinates<C: Calculator>(pen: &mut Pen<C>, y: C::Value, x: C::Value) -> C::Value {
    let [y_bits, x_bits] = [y, x].map(|v| pen.bits(v, WORD));
    let [y_size, x_size] = [y_bits, x_bits].map(|bits| pen.masked(bits, i64::MAX));
    let is_steep = pen.0.op(Op::Cmpi(Predicate::Slt), &[x_size, y_size], Type::I1);
    let small = pen.choice(is_steep, x_size, y_size, WORD);
    let large = pen.choice(is_steep, y_size, x_size, WORD);
    // Beside an infinity what is none is nothing.
    let infinity = f64::INFINITY.to_bits() as i64;
    let is_infinite = pen.is(Predicate::Eq, large, infinity);
    let is_finite = pen.is(Predicate::Slt, small, infinity);
    let is_nothing = pen.both(is_infinite, is_finite);
    // Both by one power of two, so that the larger one is about 2^500 unless it is small.
    let exponent = pen.down(large, 52);
    let scale = pen.minus_from(1023 + 1023 + 500, exponent);
    let scale = pen.not_above(scale, 2046);
    let scale = pen.power_of_two(scale);
    let [small, large] = [small, large].map(|v| {
        let v = pen.bits(v, Type::F64);
        let v = pen.at_most(v, f64::MAX);
        pen.mul(v, scale)
    });
    let small = pen.except(is_nothing, 0.0, small);
    // No side but zero is as small as that, and none is changed by it.
    let large = pen.more(large, libm::scalbn(1.0, -1000));
    let is_behind = pen.is_below_zero(x_bits);
    let base = [[FRAC_PI_2, PI], [HALF_PI_REST, 2.0 * HALF_PI_REST]].map(|[quarter, half]| {
        let flat = pen.literal_of(is_behind, half, 0.0);
        pen.except(is_steep, quarter, flat)
    });
    // Backwards from a half turn, and from a quarter turn where x is not negative.
    let ones = pen.int(i64::MIN);
    let other = pen.differing(x_bits, ones);
    let backwards = pen.choice(is_steep, other, x_bits, WORD);
    let value = of_sides(pen, &Sides { small, large, base, backwards, is_plain: false });
    pen.signed_as(value, y)
}
