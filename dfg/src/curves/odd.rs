//! `tanh` and `erf`: odd functions that go to 1. The operand times a factor that a table has: one section for operands below 1, one for each
//! power of two from there to where the result is 1.

use super::circuit::{Circuit, Finite};
use super::pieces::{Pieces, Wanted};
use super::steps::{Shape, Steps};
use crate::op::Elementary;
use std::sync::OnceLock;

/// By function and type.
static TABLES: [[OnceLock<Pieces>; 3]; 2] = [const { [const { OnceLock::new() }; 3] }; 2];

/// The function of a number, and its slope at 0.
fn function(op: Elementary) -> (fn(f64) -> f64, f64) {
    match op {
        Elementary::Erf => (libm::erf, std::f64::consts::FRAC_2_SQRT_PI),
        _ => (libm::tanh, 1.0),
    }
}

/// Powers of two from 1 on below which the result is not 1.
fn octaves(shape: Shape, op: Elementary) -> u32 {
    let below = libm::exp2(-f64::from(shape.fraction + 2));
    let (function, _) = function(op);
    let is_one = |&octaves: &u32| 1.0 - function(libm::exp2(f64::from(octaves))) < below;
    (1..8).find(is_one).expect("functions that go to 1 soon")
}

/// The function by its operand, which counts as one from 1 to 2 in the later sections.
fn table(shape: Shape, op: Elementary) -> &'static Pieces {
    TABLES[usize::from(op == Elementary::Erf)][shape.index()].get_or_init(|| {
        let (function, slope) = function(op);
        let factor = |section: usize, f: f64| match section {
            0 if f == 0.0 => slope,
            0 => function(f) / f,
            _ => function((1.0 + f) * libm::exp2(section as f64 - 1.0)) / (1.0 + f),
        };
        let places = shape.places();
        Pieces::new(&Wanted {
            function: &factor,
            sections: 1 + octaves(shape, op) as usize,
            degree: match shape.fraction {
                0..10 => 1,
                10..20 => 2,
                _ => 3,
            },
            argument: places,
            places,
            bound: places - 2,
            ends: (0, (2 << places) - 1),
        })
    })
}

/// `tanh`, or `erf`.
pub(super) fn value<C: Circuit>(s: &mut Steps<C>, x: &C::Word, op: Elementary) -> C::Word {
    let shape @ Shape { fraction, exponent: field, .. } = s.shape;
    let (bias, places) = (shape.bias(), shape.places());
    let octaves = octaves(shape, op);
    let parts = s.apart(x);
    let is_below = s.is_below(&parts.exponent, bias);
    let is_one = s.is_below(&parts.exponent, bias + i64::from(octaves));
    let is_one = s.not(&is_one);
    s.c.part(
        "argument",
        "Below 1, the operand in fixed point; else its fraction, in the section of its exponent.",
    );
    let raised = s.raised(&parts.significand, places - fraction - 1);
    let top = s.number(field, bias - 1);
    let distance = s.c.difference(&top, &parts.exponent);
    let fixed = s.c.down(&raised, &distance);
    let f = s.c.slice(&parts.significand, 0, fraction);
    let f = s.raised(&f, places - fraction);
    let argument = s.c.choice(&is_below, &fixed, &f);
    let bits = (octaves + 1).ilog2() + 1;
    let section = s.plus(&parts.exponent, 1 - bias);
    let section = s.c.slice(&section, 0, bits);
    let zero = s.c.literal(bits, 0);
    let section = s.c.choice(&is_below, &zero, &section);
    let factor = table(shape, op).value(s, Some(&section), &argument);
    s.c.part("value", "The operand times its factor.");
    let width = fraction + 1 + s.c.width(&factor);
    // Before the point of the product.
    let whole = i64::from(s.c.width(&factor)) - i64::from(places);
    let product = s.c.product(&parts.significand, &factor, width);
    let significand = s.highest(&product, places + 4);
    let one = s.number(field, bias);
    let exponent = s.c.choice(&is_below, &parts.exponent, &one);
    let exponent = s.extended(&exponent, shape.wide());
    let exponent = s.plus(&exponent, whole);
    let sign = parts.sign.clone();
    let least = 1 + whole;
    let value = s.c.rounded(shape.ty, Finite { sign, exponent, least, significand, is_normal: false });
    let one = s.one(&parts.sign);
    let value = s.c.choice(&is_one, &one, &value);
    let nan = s.nan();
    s.c.choice(&parts.is_nan, &nan, &value)
}
