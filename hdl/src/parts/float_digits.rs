//! Quotients, remainders, square roots and their reciprocals of floats, one bit of the significand a cycle (contract, section 5).
//!
//! The first working cycle brings the significands of subnormals to the top, the last one rounds; between them a digit is 1
//! where what it costs still fits into the remainder, and what remains in the end is the sticky bit. So the results are
//! rounded once, as `loom_dfg::float` defines them. The cases without digits (NaN, infinity, zero) are told apart on firing.

use super::bits;
use super::digits::Digits;
use super::float::{round, round_normalized, signed, special, unpack, Format, Unrounded};
use crate::ir::{Expr, Module};
use crate::Channel;
use loom_adg::model::FunctionUnit;

/// Results that do not come from digits, as they were when the unit fired.
struct Special {
    sign: Expr,
    nan: Expr,
    infinite: Expr,
    zero: Expr,
}

impl Special {
    /// Registers that keep them.
    fn keep(self, m: &mut Module, fire: &Expr) -> Special {
        let mut kept = |name: &str, value: Expr| {
            let reg = m.reg_no_reset(name, 1);
            m.next(&reg, Some(fire.clone()), value);
            reg.q
        };
        Special {
            sign: kept("sign_q", self.sign),
            nan: kept("nan_q", self.nan),
            infinite: kept("infinite_q", self.infinite),
            zero: kept("zero_q", self.zero),
        }
    }

    /// Rounds in working cycle `at` and shows the result.
    fn finish(
        &self,
        m: &mut Module,
        (fu, at): (&FunctionUnit, u32),
        digits: &Digits,
        v: &Unrounded,
        out: &Channel,
    ) {
        let ty = fu.inputs[0];
        let rounded = round_normalized(m, ty, v);
        let width = rounded.width();
        let zero = Expr::concat(&[self.sign.clone(), Expr::zero(width - 1)]);
        let value = special(ty, &self.sign, &self.nan, &self.infinite, &self.zero.mux(&zero, &rounded));
        let result = m.reg_no_reset("result_q", width);
        m.next(&result, Some(digits.is_cycle(at)), value);
        m.drive(&out.data, result.q);
    }
}

/// How far a significand is below the top.
fn distance(m: &mut Module, significand: &Expr, wide: u32) -> Expr {
    let zeros = bits::leading_zeros(m, significand);
    zeros.slice(0, significand.width().next_power_of_two().ilog2() + 1).zext(wide)
}

/// Fills the module of a unit of `arith.divf`, all but its channels.
pub(super) fn quotient(m: &mut Module, fu: &FunctionUnit, inputs: &[Channel], out: &Channel) {
    let ty = fu.inputs[0];
    let f = Format::of(ty);
    let digits = Digits::new(m, fu, inputs, out);
    let fire = digits.fire.clone();
    let (a, b) = (unpack(ty, &inputs[0].data), unpack(ty, &inputs[1].data));
    let (width, count, wide) = (f.fraction + 1, f.fraction + 3, f.exponent + 2);
    let a_zero = m.wire("a_zero", a.significand.reduce_or().not());
    let b_zero = m.wire("b_zero", b.significand.reduce_or().not());
    let special = Special {
        sign: a.sign.xor(&b.sign),
        nan: Expr::any_of(&[a.nan, b.nan, a.infinite.and(&b.infinite), a_zero.and(&b_zero)]),
        infinite: a.infinite.or(&b_zero),
        zero: a_zero.or(&b.infinite),
    };
    let special = special.keep(m, &fire);

    let remainder = m.reg_no_reset("remainder_q", width + 1);
    let divisor = m.reg_no_reset("divisor_q", width);
    let exponent = m.reg_no_reset("exponent_q", wide);
    let quotient = m.reg_no_reset("quotient_q", count);
    let (first, step) = digits.first_and_steps(m, count);
    let dividend = remainder.q.slice(0, width);
    let dividend_up = distance(m, &dividend, wide);
    let divisor_up = distance(m, &divisor.q, wide);

    let by = divisor.q.zext(width + 1);
    let fits = m.wire("fits", by.ule(&remainder.q));
    let rest = m.wire("rest", fits.mux(&remainder.q.sub(&by), &remainder.q));
    m.unused(&rest.msb());
    let next = Expr::concat(&[rest.slice(0, width), Expr::zero(1)]);
    let next = first.mux(&dividend.shl(&dividend_up).zext(width + 1), &next);
    let load = m.wire("load", Expr::any_of(&[fire.clone(), first.clone(), step.clone()]));
    m.next(&remainder, Some(load), fire.mux(&a.significand.zext(width + 1), &next));
    let set = m.wire("set", fire.or(&first));
    m.next(&divisor, Some(set.clone()), fire.mux(&b.significand, &divisor.q.shl(&divisor_up)));
    let apart = a.exponent.zext(wide).sub(&b.exponent.zext(wide)).add(&signed(wide, f.bias()));
    m.next(&exponent, Some(set), fire.mux(&apart, &exponent.q.sub(&dividend_up).add(&divisor_up)));
    m.next(&quotient, Some(step), Expr::concat(&[quotient.q.slice(0, count - 1), fits]));

    m.comment("The quotient is at least a half: at most one place below the top.");
    let sticky = m.wire("sticky", remainder.q.reduce_or());
    let top = quotient.q.msb();
    let upper = Expr::concat(&[quotient.q.clone(), sticky.clone()]);
    let lower = Expr::concat(&[quotient.q.slice(0, count - 1), Expr::zero(1), sticky]);
    let value = Unrounded {
        sign: special.sign.clone(),
        exponent: exponent.q.sub(&top.not().zext(wide)),
        significand: top.mux(&upper, &lower),
        least: -i64::from(f.fraction) - f.bias(),
    };
    special.finish(m, (fu, 1 + count), &digits, &value, out);
}

/// Fills the module of a unit of `arith.remf`, all but its channels.
///
/// The divisor goes to the top; it is taken, where it fits, at each place from the dividend's exponent down to its own, and what is left
/// has its exponent. Cycles for places that are not there are left out. No digit is lost, so the rounder only places the rest.
pub(super) fn remainder(m: &mut Module, fu: &FunctionUnit, inputs: &[Channel], out: &Channel) {
    let ty = fu.inputs[0];
    let f = Format::of(ty);
    let digits = Digits::uncounted(m, fu, inputs, out);
    let fire = digits.fire.clone();
    let (a, b) = (unpack(ty, &inputs[0].data), unpack(ty, &inputs[1].data));
    m.unused(&b.sign);
    let (width, wide) = (f.fraction + 1, f.exponent + 2);
    let count = (1 << f.exponent) + f.fraction;
    let by_zero = m.wire("by_zero", b.significand.reduce_or().not());
    let (sign, nan) = (m.reg_no_reset("sign_q", 1), m.reg_no_reset("nan_q", 1));
    m.next(&sign, Some(fire.clone()), a.sign);
    m.next(&nan, Some(fire.clone()), Expr::any_of(&[a.nan, a.infinite, b.nan, by_zero]));

    let rest = m.reg_no_reset("rest_q", width + 1);
    let divisor = m.reg_no_reset("divisor_q", width);
    let exponent = m.reg_no_reset("exponent_q", wide);
    let lower = m.reg_no_reset("lower_q", wide);
    let (first, step) = digits.first_and_steps(m, count);
    let up = distance(m, &divisor.q, wide);
    let own = m.wire("own_exponent", lower.q.sub(&up));
    let places = m.wire("places", exponent.q.sub(&own).add(&signed(wide, 1)));
    m.comment("Below the divisor the dividend is what is left, with its exponent.");
    let is_below = m.wire("is_below", places.sle(&signed(wide, 0)));
    let bits = digits.counter_bits();
    let places = if bits < wide { places.slice(0, bits) } else { places.zext(bits) };
    let taken = is_below.mux(&Expr::zero(bits), &places);
    let left_out = m.wire("left_out", Expr::konst(bits, count).sub(&taken));
    digits.count(m, Some((&first, &left_out)));

    let last = m.wire("last", digits.is_cycle(count));
    let by = divisor.q.zext(width + 1);
    let fits = m.wire("fits", by.ule(&rest.q));
    let less = m.wire("less", fits.mux(&rest.q.sub(&by), &rest.q));
    let next = last.mux(&less, &Expr::concat(&[less.slice(0, width), Expr::zero(1)]));
    m.next(&rest, Some(fire.or(&step)), fire.mux(&a.significand.zext(width + 1), &next));
    let set = m.wire("set", fire.or(&first));
    m.next(&divisor, Some(set.clone()), fire.mux(&b.significand, &divisor.q.shl(&up)));
    m.next(&lower, Some(fire.clone()), b.exponent.zext(wide));
    let of_rest = is_below.mux(&exponent.q, &own);
    m.next(&exponent, Some(set), fire.mux(&a.exponent.zext(wide), &of_rest));

    let value = Unrounded {
        sign: sign.q.clone(),
        exponent: exponent.q.clone(),
        significand: rest.q.slice(0, width),
        least: -i64::from(f.fraction),
    };
    let rounded = round(m, ty, &value);
    let value = special(ty, &sign.q, &nan.q, &Expr::zero(1), &rounded);
    let result = m.reg_no_reset("result_q", ty.width(0));
    m.next(&result, Some(digits.is_cycle(1 + count)), value);
    m.drive(&out.data, result.q);
}

/// A radicand with its highest bit brought to the top, or one above it so that its exponent is even; and half that exponent,
/// of which `exponent` is the field.
fn to_even(m: &mut Module, f: Format, radicand: &Expr, exponent: &Expr) -> (Expr, Expr) {
    let (width, wide) = (f.fraction + 1, f.exponent + 2);
    let significand = radicand.slice(0, width);
    let up = distance(m, &significand, wide);
    let raised = m.wire("raised", significand.shl(&up));
    let power = m.wire("power", exponent.sub(&up).sub(&signed(wide, f.bias())));
    let odd = power.bit(0);
    let even = odd.mux(&Expr::concat(&[raised.clone(), Expr::zero(1)]), &raised.zext(width + 1));
    (even, power.slice(1, wide - 1).sext(wide))
}

/// Fills the module of a unit of `math.sqrt`, all but its channels.
pub(super) fn root(m: &mut Module, fu: &FunctionUnit, inputs: &[Channel], out: &Channel) {
    let ty = fu.inputs[0];
    let f = Format::of(ty);
    let digits = Digits::new(m, fu, inputs, out);
    let fire = digits.fire.clone();
    let a = unpack(ty, &inputs[0].data);
    let (width, count, wide) = (f.fraction + 1, f.fraction + 2, f.exponent + 2);
    let zero = m.wire("zero", a.significand.reduce_or().not());
    let special = Special {
        sign: a.sign.clone(),
        nan: a.nan.or(&a.sign.and(&zero.not())),
        infinite: a.infinite.clone(),
        zero,
    };
    let special = special.keep(m, &fire);

    m.comment("The radicand has two bits before the point, so that its exponent is even; two of its bits make a digit.");
    let radicand = m.reg_no_reset("radicand_q", width + 1);
    let exponent = m.reg_no_reset("exponent_q", wide);
    let remainder = m.reg_no_reset("remainder_q", count + 1);
    let root = m.reg_no_reset("root_q", count);
    let (first, step) = digits.first_and_steps(m, count);
    let (even, half) = to_even(m, f, &radicand.q, &exponent.q);
    let half = half.add(&signed(wide, f.bias()));

    let trial = m.wire("trial", Expr::concat(&[remainder.q.clone(), radicand.q.slice(width - 1, 2)]));
    let cost = m.wire("cost", Expr::concat(&[Expr::zero(1), root.q.clone(), Expr::konst(2, 1u32)]));
    let fits = m.wire("fits", cost.ule(&trial));
    let rest = m.wire("rest", fits.mux(&trial.sub(&cost), &trial));
    m.unused(&rest.slice(count + 1, 2));
    let load = m.wire("load", Expr::any_of(&[fire.clone(), first.clone(), step.clone()]));
    let shifted = Expr::concat(&[radicand.q.slice(0, width - 1), Expr::zero(2)]);
    m.next(&radicand, Some(load), fire.mux(&a.significand.zext(width + 1), &first.mux(&even, &shifted)));
    m.next(&exponent, Some(fire.or(&first)), fire.mux(&a.exponent.zext(wide), &half));
    let clear = fire.or(&step);
    m.next(&remainder, Some(clear.clone()), fire.mux(&Expr::zero(count + 1), &rest.slice(0, count + 1)));
    let longer = Expr::concat(&[root.q.slice(0, count - 1), fits]);
    m.next(&root, Some(clear), fire.mux(&Expr::zero(count), &longer));

    let sticky = remainder.q.reduce_or();
    let value = Unrounded {
        sign: special.sign.clone(),
        exponent: exponent.q.clone(),
        significand: Expr::concat(&[root.q.clone(), sticky]),
        least: 1,
    };
    special.finish(m, (fu, 1 + count), &digits, &value, out);
}

/// Fills the module of a unit of `math.rsqrt`, all but its channels.
///
/// With a radicand m from 1 up to 4 and a result y of j digits so far, a digit is 1 where m (y + 2^-(j+1))^2 is at most 1. What remains of
/// that 1 is kept as `2^j (1 - m y^2)`, and m y beside it; both are exact, in registers that get a place below the point with each digit. Another
/// digit costs `2 m y + m 2^-(j+1)` of twice the rest.
pub(super) fn reciprocal_root(m: &mut Module, fu: &FunctionUnit, inputs: &[Channel], out: &Channel) {
    let ty = fu.inputs[0];
    let f = Format::of(ty);
    let digits = Digits::new(m, fu, inputs, out);
    let fire = digits.fire.clone();
    let a = unpack(ty, &inputs[0].data);
    let (width, count, wide) = (f.fraction + 1, f.fraction + 2, f.exponent + 2);
    let zero = m.wire("zero", a.significand.reduce_or().not());
    let special = Special {
        sign: a.sign.clone(),
        nan: a.nan.or(&a.sign.and(&zero.not())),
        infinite: zero,
        zero: a.infinite.clone(),
    };
    let special = special.keep(m, &fire);

    let radicand = m.reg_no_reset("radicand_q", width + 1);
    let exponent = m.reg_no_reset("exponent_q", wide);
    m.comment("Below 4 and below 2, with the fraction's places and one more for each digit but the last.");
    let places = f.fraction + count - 1;
    let remainder = m.reg_no_reset("remainder_q", 2 + places);
    let product = m.reg_no_reset("product_q", 1 + places);
    let root = m.reg_no_reset("root_q", count);
    let (first, step) = digits.first_and_steps(m, count);
    let (even, half) = to_even(m, f, &radicand.q, &exponent.q);
    let set = m.wire("set", fire.or(&first));
    m.next(&radicand, Some(set.clone()), fire.mux(&a.significand.zext(width + 1), &even));
    m.comment("The first digit is a half.");
    let least = signed(wide, f.bias() - 1).sub(&half);
    m.next(&exponent, Some(set), fire.mux(&a.exponent.zext(wide), &least));

    let trial = m.wire("trial", Expr::concat(&[remainder.q.clone(), Expr::zero(2)]));
    let four_products = Expr::concat(&[Expr::zero(1), product.q.clone(), Expr::zero(2)]);
    let cost = m.wire("cost", four_products.add(&radicand.q.zext(4 + places)));
    let fits = m.wire("fits", cost.ule(&trial));
    let rest = m.wire("rest", fits.mux(&trial.sub(&cost), &trial));
    m.unused(&rest.slice(2 + places, 2));
    let load = m.wire("load", fire.or(&step));
    let whole = Expr::concat(&[Expr::konst(2 + places - f.fraction, 1u32), Expr::zero(f.fraction)]);
    m.next(&remainder, Some(load.clone()), fire.mux(&whole, &rest.slice(0, 2 + places)));
    let twice = Expr::concat(&[product.q.slice(0, places), Expr::zero(1)]);
    let added = fits.repeat(width + 1).and(&radicand.q).zext(1 + places);
    m.next(&product, Some(load.clone()), fire.mux(&Expr::zero(1 + places), &twice.add(&added)));
    let longer = Expr::concat(&[root.q.slice(0, count - 1), fits]);
    m.next(&root, Some(load), fire.mux(&Expr::zero(count), &longer));

    m.comment("What is exact is the root of 1, whose digits are all ones: it is rounded up. All else has something below them.");
    let value = Unrounded {
        sign: special.sign.clone(),
        exponent: exponent.q.clone(),
        significand: Expr::concat(&[root.q.clone(), Expr::ones(1)]),
        least: 1,
    };
    special.finish(m, (fu, 1 + count), &digits, &value, out);
}
