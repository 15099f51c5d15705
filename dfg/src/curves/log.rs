//! Logarithms: of m times 2^e it is e times that of 2, and m - 1 times a factor that a table has, which keeps all digits where m is near
//! 1; m is from 3/4 to 3/2, so that the two parts never cancel.

use super::circuit::{Circuit, Finite};
use super::pieces::{Pieces, Wanted};
use super::steps::{Parts, Shape, Steps};
use crate::op::Elementary;
use std::f64::consts::{LN_2, LOG10_2};
use std::sync::OnceLock;

/// By base and type.
static TABLES: [[OnceLock<Pieces>; 3]; 3] = [const { [const { OnceLock::new() }; 3] }; 3];

/// Which table, and the logarithm of 2.
fn base(op: Elementary) -> (usize, f64) {
    match op {
        Elementary::Log2 => (0, 1.0),
        Elementary::Log10 => (2, LOG10_2),
        _ => (1, LN_2),
    }
}

/// The logarithm of m by m - 1: of the fraction bits of m, which counts as its half from 3/2 on.
fn table(shape: Shape, op: Elementary) -> &'static Pieces {
    let (index, of_two) = base(op);
    TABLES[index][shape.index()].get_or_init(|| {
        let factor = |_, f: f64| {
            let less_one = if f < 0.5 { f } else { (f - 1.0) / 2.0 };
            let ratio = if less_one == 0.0 { 1.0 } else { libm::log1p(less_one) / less_one };
            ratio * (of_two / LN_2)
        };
        // The logarithm to base 10 has no bit before the point, and one place less behind it at the top.
        let places = shape.places() + if index == 2 { 2 } else { 0 };
        Pieces::new(&Wanted {
            function: &factor,
            sections: 1,
            degree: shape.degree(),
            argument: shape.fraction,
            places,
            bound: places - 2,
            ends: (0, (1 << (places + 1)) - 1),
        })
    })
}

/// `log2`, `log` and `log10`.
pub(super) fn value<C: Circuit>(s: &mut Steps<C>, x: &C::Word, op: Elementary) -> C::Word {
    let shape @ Shape { fraction, exponent: field, .. } = s.shape;
    let bias = shape.bias();
    let parts = s.apart(x);
    let (significand, exponent) = s.normalized(&parts);
    let f = s.c.slice(&significand, 0, fraction);
    let is_half = s.top(&f);
    s.c.part("exponent", "The exponent of m, which is from 3/4 to 3/2.");
    let more = s.extended(&is_half, shape.wide());
    let exponent = s.plus(&exponent, -bias);
    let exponent = s.c.sum(&exponent, &more);
    let is_negative = s.top(&exponent);
    let has_exponent = s.c.any(&exponent);
    let magnitude = s.negated(&is_negative, &exponent);
    let magnitude = s.c.slice(&magnitude, 0, field);
    // m - 1, in halves of a fraction's last place.
    let doubled = s.c.slice(&f, 0, fraction - 1);
    let doubled = s.raised(&doubled, 1);
    let zero = s.c.literal(fraction, 0);
    let missing = s.c.difference(&zero, &f);
    let less_one = s.c.choice(&is_half, &missing, &doubled);
    let factor = table(shape, op).value(s, None, &f);
    s.c.part("logarithm", "Of m; then with that of the power of two.");
    let places = shape.places() + if op == Elementary::Log10 { 2 } else { 0 };
    let width = fraction + s.c.width(&factor);
    let of_m = s.c.product(&less_one, &factor, width);
    let of_m_places = fraction + 1 + places;
    let sum_places = places + 2;
    let sum = with_power(s, op, &magnitude, sum_places, |s, wide| {
        let cut = s.c.slice(&of_m, of_m_places - sum_places, width + sum_places - of_m_places);
        let cut = s.extended(&cut, wide);
        let differ = s.c.differing(&is_negative, &is_half);
        s.negated(&differ, &cut)
    });
    let both = width.max(field + sum_places);
    let sum = s.raised(&sum, both - field - sum_places);
    let alone = s.raised(&of_m, both - width);
    let significand = s.c.choice(&has_exponent, &sum, &alone);
    let tops =
        [i64::from(field) - 1, i64::from(width - 1) - i64::from(of_m_places)].map(|weight| bias + weight);
    let [of_sum, of_alone] = tops.map(|field| s.number(shape.wide(), field));
    let exponent = s.c.choice(&has_exponent, &of_sum, &of_alone);
    let sign = s.c.choice(&has_exponent, &is_negative, &is_half);
    let least = tops[0].min(tops[1]);
    let finite = Finite { sign, exponent, least, significand, is_normal: false };
    let value = s.c.rounded(shape.ty, finite);
    specials(s, x, &parts, &value)
}

/// The magnitude of the exponent times the logarithm of 2, and what `rest` gives at as many places.
fn with_power<C: Circuit>(
    s: &mut Steps<C>,
    op: Elementary,
    magnitude: &C::Word,
    places: u32,
    rest: impl FnOnce(&mut Steps<C>, u32) -> C::Word,
) -> C::Word {
    let field = s.shape.exponent;
    let wide = field + places;
    let power = if op == Elementary::Log2 {
        s.raised(magnitude, places)
    } else {
        let factor = libm::round(base(op).1 * libm::exp2(f64::from(places + field))) as u128;
        let factor = s.c.literal(places + field, factor);
        let product = s.c.product(magnitude, &factor, wide + field);
        s.highest(&product, wide)
    };
    let rest = rest(s, wide);
    s.c.sum(&power, &rest)
}

/// What is no positive number.
fn specials<C: Circuit>(s: &mut Steps<C>, x: &C::Word, parts: &Parts<C::Word>, value: &C::Word) -> C::Word {
    let minus = s.c.literal(1, 1);
    let infinity = s.infinity(&minus);
    let value = s.c.choice(&parts.is_infinite, x, value);
    let nan = s.nan();
    let has_none = s.c.or(&parts.sign, &parts.is_nan);
    let value = s.c.choice(&has_none, &nan, &value);
    s.c.choice(&parts.is_zero, &infinity, &value)
}
