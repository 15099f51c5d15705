//! The arc tangent: of an operand below 1 it is that times a factor that a table has; of another it is what that of the reciprocal
//! lacks to a quarter turn. The reciprocal comes from a table of its own, in fixed point.

use super::circuit::{Circuit, Finite};
use super::pieces::{Pieces, Wanted};
use super::steps::{Shape, Steps};
use std::f64::consts::FRAC_PI_2;
use std::sync::OnceLock;

/// Factors and reciprocals, by type.
static TABLES: [[OnceLock<Pieces>; 3]; 2] = [const { [const { OnceLock::new() }; 3] }; 2];

/// By the last bits of a number from 1 to 2 its reciprocal, or by a number below 1 the arc tangent by it.
pub(super) fn table(shape: Shape, is_reciprocal: bool) -> &'static Pieces {
    TABLES[usize::from(is_reciprocal)][shape.index()].get_or_init(|| {
        let places = shape.places();
        let factor = |_, f: f64| if f == 0.0 { 1.0 } else { libm::atan(f) / f };
        let reciprocal = |_, f: f64| 1.0 / (1.0 + f);
        Pieces::new(&Wanted {
            function: if is_reciprocal { &reciprocal } else { &factor },
            sections: 1,
            degree: shape.degree(),
            argument: if is_reciprocal { shape.fraction } else { places },
            places,
            bound: places - 2,
            // The reciprocal of 1 is one place less, so that it is below 1.
            ends: (0, if is_reciprocal { (1 << places) - 1 } else { (2 << places) - 1 }),
        })
    })
}

/// `atan`
pub(super) fn value<C: Circuit>(s: &mut Steps<C>, x: &C::Word) -> C::Word {
    let shape @ Shape { fraction, exponent: field, .. } = s.shape;
    let (bias, places) = (shape.bias(), shape.places());
    let parts = s.apart(x);
    let is_below = s.is_below(&parts.exponent, bias);
    let f = s.c.slice(&parts.significand, 0, fraction);
    let reciprocal = table(shape, true).value(s, None, &f);
    s.c.part("argument", "In fixed point: the operand below 1, the reciprocal of others.");
    let significand = s.raised(&parts.significand, places - fraction - 1);
    let whole = s.c.choice(&is_below, &significand, &reciprocal);
    let [under, over] = {
        let (top, one) = (s.number(field, bias - 1), s.number(field, bias));
        [s.c.difference(&top, &parts.exponent), s.c.difference(&parts.exponent, &one)]
    };
    let distance = s.c.choice(&is_below, &under, &over);
    let argument = s.c.down(&whole, &distance);
    let factor = table(shape, false).value(s, None, &argument);
    s.c.part("arc", "The argument times its factor, of small operands with all their digits; from a quarter turn for others.");
    let multiplied = s.c.choice(&is_below, &significand, &argument);
    let product = s.c.product(&multiplied, &factor, 2 * places + 1);
    let small = s.highest(&product, places + 4);
    let sum_places = places + 2;
    let cut = s.highest(&product, sum_places + 1);
    let quarter = libm::round(FRAC_PI_2 * libm::exp2(f64::from(sum_places))) as u128;
    let quarter = s.c.literal(sum_places + 1, quarter);
    let rest = s.c.difference(&quarter, &cut);
    let rest = s.raised(&rest, 1);
    let significand = s.c.choice(&is_below, &small, &rest);
    let exponent = s.extended(&parts.exponent, shape.wide());
    let [of_small, of_rest] = [s.plus(&exponent, 1), s.number(shape.wide(), bias)];
    let exponent = s.c.choice(&is_below, &of_small, &of_rest);
    let sign = parts.sign.clone();
    let value = s.c.rounded(shape.ty, Finite { sign, exponent, least: 2, significand, is_normal: false });
    let nan = s.nan();
    s.c.choice(&parts.is_nan, &nan, &value)
}
