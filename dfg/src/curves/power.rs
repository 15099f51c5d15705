//! `exp2` and `exp`: a power of two, whose exponent in fixed point has the float's exponent before the point and what the table is asked
//! for behind it.

use super::circuit::{Circuit, Finite};
use super::pieces::{Pieces, Wanted};
use super::steps::{Shape, Steps};
use crate::op::Elementary;
use std::f64::consts::LOG2_E;
use std::sync::OnceLock;

/// 2^f, f from 0 to 1, by type.
static TABLES: [OnceLock<Pieces>; 3] = [const { OnceLock::new() }; 3];

fn table(shape: Shape) -> &'static Pieces {
    TABLES[shape.index()].get_or_init(|| {
        let places = shape.places();
        Pieces::new(&Wanted {
            function: &|_, f| libm::exp2(f),
            sections: 1,
            degree: shape.degree(),
            argument: places,
            places,
            bound: shape.fraction + 3,
            ends: (1 << places, (2 << places) - 1),
        })
    })
}

/// 2^x, or e^x.
pub(super) fn value<C: Circuit>(s: &mut Steps<C>, x: &C::Word, op: Elementary) -> C::Word {
    let shape @ Shape { fraction, .. } = s.shape;
    let (bias, places) = (shape.bias(), shape.places());
    // Operands of 2^size and more are out of range either way.
    let is_natural = op == Elementary::Exp;
    let size: u32 = match (shape.exponent, is_natural) {
        (8, false) => 8,
        (8, true) => 7,
        _ => 5,
    };
    // Bits before the point of the power of two.
    let whole = size + u32::from(is_natural);
    let parts = s.apart(x);
    let is_far = s.is_below(&parts.exponent, bias + i64::from(size));
    let is_far = s.not(&is_far);
    s.c.part("power", "The power of two in fixed point, cut towards zero, then with its sign.");
    let largest = if is_natural {
        let factor_places = places + size + 3;
        let factor = libm::round(LOG2_E * libm::exp2(f64::from(factor_places))) as u128;
        let factor = s.c.literal(factor_places + 1, factor);
        let product = s.c.product(&parts.significand, &factor, fraction + factor_places + 2);
        s.highest(&product, places + whole)
    } else {
        s.raised(&parts.significand, places + size - 1 - fraction)
    };
    let top = s.number(shape.exponent, bias + i64::from(size) - 1);
    let distance = s.c.difference(&top, &parts.exponent);
    let magnitude = s.c.down(&largest, &distance);
    let magnitude = s.extended(&magnitude, places + whole + 1);
    let power = s.negated(&parts.sign, &magnitude);
    let behind = s.c.slice(&power, 0, places);
    let before = s.c.slice(&power, places, whole + 1);
    let significand = table(shape).value(s, None, &behind);
    s.c.part("exponent", "The exponent field.");
    let exponent = s.sign_extended(&before, shape.wide());
    let exponent = s.plus(&exponent, bias);
    let sign = s.c.literal(1, 0);
    let least = bias - (1 << whole);
    let value =
        s.c.rounded(shape.ty, Finite { sign: sign.clone(), exponent, least, significand, is_normal: true });
    let (infinity, zero) = (s.infinity(&sign), s.c.literal(shape.width(), 0));
    let far = s.c.choice(&parts.sign, &zero, &infinity);
    let value = s.c.choice(&is_far, &far, &value);
    let nan = s.nan();
    s.c.choice(&parts.is_nan, &nan, &value)
}
