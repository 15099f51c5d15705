//! The cube root: exponents by 3, and a table for each rest.

use super::circuit::{Circuit, Finite};
use super::pieces::{Pieces, Wanted};
use super::steps::{Shape, Steps};
use std::sync::OnceLock;

static TABLES: [OnceLock<Pieces>; 3] = [const { OnceLock::new() }; 3];

/// The root of m, of 2m and of 4m, by the fraction of m.
fn table(shape: Shape) -> &'static Pieces {
    TABLES[shape.index()].get_or_init(|| {
        let places = shape.places();
        Pieces::new(&Wanted {
            function: &|rest, f| libm::cbrt((1.0 + f) * f64::from(1u8 << rest)),
            sections: 3,
            degree: shape.degree(),
            argument: shape.fraction,
            places,
            bound: shape.fraction + 3,
            ends: (1 << places, (2 << places) - 1),
        })
    })
}

/// `cbrt`
pub(super) fn value<C: Circuit>(s: &mut Steps<C>, x: &C::Word) -> C::Word {
    let shape @ Shape { fraction, .. } = s.shape;
    let bias = shape.bias();
    let parts = s.apart(x);
    let (significand, exponent) = s.normalized(&parts);
    // Three times that makes exponents of all floats positive.
    let more = (bias + i64::from(fraction) + 2) / 3;
    s.c.part("exponent", "The exponent by 3, as a product with 171/512, and what is left.");
    let exponent = s.plus(&exponent, 3 * more - bias);
    let bits = shape.exponent + 1;
    let exponent = s.c.slice(&exponent, 0, bits);
    let factor = s.c.literal(8, 171);
    let product = s.c.product(&exponent, &factor, bits + 8);
    let third = s.c.slice(&product, 9, bits - 1);
    let low = s.c.slice(&third, 0, 2);
    let thrice = {
        let doubled = s.raised(&low, 1);
        let doubled = s.c.slice(&doubled, 0, 2);
        s.c.sum(&doubled, &low)
    };
    let low = s.c.slice(&exponent, 0, 2);
    let rest = s.c.difference(&low, &thrice);
    let f = s.c.slice(&significand, 0, fraction);
    let significand = table(shape).value(s, Some(&rest), &f);
    s.c.part("root", "The exponent field.");
    let exponent = s.extended(&third, shape.wide());
    let exponent = s.plus(&exponent, bias - more);
    let (sign, least) = (parts.sign.clone(), bias - more);
    let value = s.c.rounded(shape.ty, Finite { sign, exponent, least, significand, is_normal: true });
    let itself = s.c.or(&parts.is_infinite, &parts.is_zero);
    let value = s.c.choice(&itself, x, &value);
    let nan = s.nan();
    s.c.choice(&parts.is_nan, &nan, &value)
}
