//! Hyperbolic functions, from e^x - 1 as a double and the rest.

use super::super::pen::{Calculator, Pen};
use super::exp::{excess, less_one, reduced, times_power};
use loom_dfg::Predicate;

/// From here on all are infinite, or 1.
const LARGE: f64 = 800.0;

/// e^|x| - 1 by 2^k as a double and the rest, 2^-k and k.
struct Power<V> {
    value: [V; 2],
    inverse: V,
    k: V,
}

fn power<C: Calculator>(pen: &mut Pen<C>, size: C::Value) -> Power<C::Value> {
    let less = less_one(pen, size);
    let high = pen.sub(less.value, less.excess);
    let low = pen.sub(less.value, high);
    let low = pen.sub(low, less.excess);
    // What rounding took from 2^-k - 1.
    let back = pen.more(less.inverse_less_one, 1.0);
    let lost = pen.sub(back, less.inverse);
    let low = pen.add(low, lost);
    Power { value: [high, low], inverse: less.inverse, k: less.k }
}

/// The quotient of such a power and a double more: as a double of 26 bits and the rest.
fn by_more<C: Calculator>(pen: &mut Pen<C>, power: &Power<C::Value>, more: C::Value) -> [C::Value; 2] {
    let [high, low] = power.value;
    let below = pen.add(high, more);
    let front = pen.front(below);
    // Exact where the larger one is first.
    let is_more = pen.is(Predicate::Slt, power.k, 2);
    let large = pen.pick(is_more, more, high);
    let small = pen.pick(is_more, high, more);
    let rest = pen.sub(large, front);
    let rest = pen.add(rest, small);
    let rest = pen.add(rest, low);
    pen.ratio(power.value, [front, rest])
}

/// `math.sinh`: with m = e^|x| - 1 half of m + m / (m + 1).
pub fn sine<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let size = pen.size(x);
    let size = pen.at_most(size, LARGE);
    let power = power(pen, size);
    let [front, rest] = by_more(pen, &power, power.inverse).map(|part| pen.mul(part, power.inverse));
    let [high, low] = power.value;
    let sum = pen.add(high, front);
    let lost = pen.left_of_sum(sum, high, front);
    let rest = pen.add(rest, low);
    let rest = pen.add(rest, lost);
    let sum = pen.add(sum, rest);
    let half = pen.plus(power.k, -1);
    let value = times_power(pen, sum, half);
    pen.signed_as(value, x)
}

/// `math.cosh`: half of e^|x| and its inverse.
pub fn cosine<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let size = pen.size(x);
    let size = pen.at_most(size, LARGE);
    let reduced = reduced(pen, size);
    let excess = excess(pen, &reduced);
    let high = pen.more(reduced.high, 1.0);
    let lost = pen.less(high, 1.0);
    let lost = pen.sub(reduced.high, lost);
    let low = pen.sub(lost, excess);
    let power = pen.add(high, low);
    // 2^-2k, by two factors, of which each is no subnormal.
    let scale = pen.minus_from(1023 + 512, reduced.k);
    let scale = pen.power_of_two(scale);
    let scale = pen.scaled(scale, libm::scalbn(1.0, -512));
    let square = pen.mul(scale, scale);
    let inverse = pen.div(square, power);
    let low = pen.add(low, inverse);
    let sum = pen.add(high, low);
    let half = pen.plus(reduced.k, -1);
    times_power(pen, sum, half)
}

/// `math.tanh`: with m = e^(2|x|) - 1 the quotient m / (m + 2).
pub fn tangent<C: Calculator>(pen: &mut Pen<C>, x: C::Value) -> C::Value {
    let size = pen.size(x);
    let size = pen.at_most(size, 30.0);
    let twice = pen.add(size, size);
    let power = power(pen, twice);
    let two = pen.add(power.inverse, power.inverse);
    let [front, rest] = by_more(pen, &power, two);
    let value = pen.add(front, rest);
    pen.signed_as(value, x)
}
