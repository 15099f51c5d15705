//! The angle of a point: the arc tangent of the smaller coordinate by the larger, as `arc` has it, taken from or added to what a quarter
//! or a half turn is, as the larger coordinate and its sign say.

use super::arc::table;
use super::circuit::{Circuit, Finite};
use super::steps::{Shape, Steps};
use std::f64::consts::PI;

/// `atan2`
pub(super) fn value<C: Circuit>(s: &mut Steps<C>, [y, x]: [&C::Word; 2]) -> C::Word {
    let shape @ Shape { fraction, exponent: field, .. } = s.shape;
    let (bias, places, wide) = (shape.bias(), shape.places(), shape.wide());
    s.c.part("coordinate", "The coordinates by size. A NaN is larger than any number.");
    let (sign, is_left) = (s.top(y), s.top(x));
    let [of_y, of_x] = [y, x].map(|word| s.c.slice(word, 0, fraction + field));
    let is_steep = s.c.below(&of_x, &of_y);
    let small = s.c.choice(&is_steep, &of_x, &of_y);
    let large = s.c.choice(&is_steep, &of_y, &of_x);
    let [small, large] = [small, large].map(|magnitude| {
        let word = s.extended(&magnitude, shape.width());
        s.apart(&word)
    });
    let (dividend, upper) = s.normalized(&small);
    let (divisor, lower) = s.normalized(&large);
    let f = s.c.slice(&divisor, 0, fraction);
    let reciprocal = table(shape, true).value(s, None, &f);

    s.c.part("ratio", "One by the other, with all its digits and then in fixed point. By an infinity it is 0, unless both are.");
    let product = s.c.product(&dividend, &reciprocal, fraction + 1 + places);
    let ratio = s.highest(&product, places + 1);
    let is_finite = s.not(&large.is_infinite);
    let has_ratio = s.c.or(&is_finite, &small.is_infinite);
    let kept = s.c.copies(&has_ratio, places + 1);
    let ratio = s.c.and(&ratio, &kept);
    let distance = s.c.difference(&lower, &upper);
    let fixed = s.c.down(&ratio, &distance);
    // What should be 1, or a little less, may be more by the error of the reciprocal.
    let is_over = s.top(&fixed);
    let ones = s.c.copies(&is_over, places);
    let argument = s.c.slice(&fixed, 0, places);
    let argument = s.c.or(&argument, &ones);
    let factor = table(shape, false).value(s, None, &argument);

    s.c.part(
        "angle",
        "From the right: the ratio times its factor. Else a quarter or half a turn, less that or more.",
    );
    let turned = s.c.or(&is_steep, &is_left);
    let argument = s.extended(&argument, places + 1);
    let multiplied = s.c.choice(&turned, &argument, &ratio);
    let product = s.c.product(&multiplied, &factor, 2 * places + 2);
    let width = places + 5;
    let alone = s.c.slice(&product, 2 * places + 1 - width, width);
    let sum_places = places + 2;
    let cut = s.c.slice(&product, 2 * places - sum_places, sum_places + 2);
    let [quarter, half] = [PI / 2.0, PI].map(|turn| {
        let turn = libm::round(turn * libm::exp2(f64::from(sum_places))) as u128;
        s.c.literal(sum_places + 2, turn)
    });
    let turn = s.c.choice(&is_steep, &quarter, &half);
    let adds = s.c.and(&is_steep, &is_left);
    let takes = s.not(&adds);
    let rest = s.negated(&takes, &cut);
    let sum = s.c.sum(&turn, &rest);
    let sum = s.raised(&sum, 1);
    let significand = s.c.choice(&turned, &sum, &alone);
    let [one, two] = [s.number(wide, bias), s.number(wide, bias + 1)];
    let of_alone = s.c.difference(&one, &distance);
    let exponent = s.c.choice(&turned, &two, &of_alone);
    let least = bias - (1 << field) - i64::from(fraction);
    let value = s.c.rounded(shape.ty, Finite { sign, exponent, least, significand, is_normal: false });
    let nan = s.nan();
    s.c.choice(&large.is_nan, &nan, &value)
}
