//! Sine, cosine and tangent of any number, however large.
//!
//! A float is a whole number m times 2^s, and its angle in quarter turns m * 2^s * 2/pi. What counts of that is its rest by
//! 4, so of 2/pi only the bits from a place on that s says (Payne and Hanek 1983); there are as many of them as
//! the float that comes nearest to a multiple of pi/2 needs. Odd quarters are mirrored. What is left, r, is normalized, and the sine
//! of r quarter turns is r times a factor that a table has.

use super::circuit::{Circuit, Finite};
use super::pieces::{Pieces, Wanted};
use super::steps::{Parts, Shape, Steps};
use std::f64::consts::FRAC_PI_2;
use std::sync::OnceLock;

/// The first 256 bits of 2/pi behind the point.
const TWO_OVER_PI: [u64; 4] =
    [0xa2f9_836e_4e44_1529, 0xfc27_57d1_f534_ddc0, 0xdb62_9599_3c43_9041, 0xfe51_63ab_debb_c561];

static TABLES: [OnceLock<Pieces>; 3] = [const { OnceLock::new() }; 3];

/// The sine of r quarter turns by r.
fn table(shape: Shape) -> &'static Pieces {
    TABLES[shape.index()].get_or_init(|| {
        let places = shape.places();
        Pieces::new(&Wanted {
            function: &|_, r| if r == 0.0 { FRAC_PI_2 } else { libm::sin(FRAC_PI_2 * r) / r },
            sections: 1,
            degree: shape.degree(),
            argument: places,
            places,
            bound: places - 2,
            ends: (0, (2 << places) - 1),
        })
    })
}

/// Binary places between the point and the rest of the float that is nearest to a multiple of pi/2, with two to spare: those of `bf16`,
/// `f16` and `f32` are 2^-13.3, 2^-16.7 and 2^-29.9 quarter turns away.
fn nearness(shape: Shape) -> u32 {
    shape.fraction + 9
}

/// Steps of 2/pi that one entry of its table serves, a power of two.
const STRIDE: u32 = 8;

/// So many bits of 2/pi, the lowest of which weighs 2^-last.
fn window(last: u32, width: u32) -> u128 {
    (0..width.min(last)).fold(0, |bits, k| {
        let at = last - 1 - k;
        let word = TWO_OVER_PI.get(at as usize / 64).copied().expect("so many bits");
        bits | u128::from(word >> (63 - at % 64) & 1) << k
    })
}

/// The quarter turns of a float that is not small, behind the point, and the two bits before it.
fn quarters<C: Circuit>(s: &mut Steps<C>, parts: &Parts<C::Word>, smallest: i64) -> (C::Word, C::Word) {
    let shape @ Shape { fraction, exponent, .. } = s.shape;
    let behind = fraction + nearness(shape) + shape.places();
    s.c.part("turn", "The bits of 2/pi that count, from a table and moved by less than its stride.");
    let steps = s.plus(&parts.exponent, -smallest);
    let fine = STRIDE.ilog2();
    let (coarse, fine) = (s.c.slice(&steps, fine, exponent - fine), s.c.slice(&steps, 0, fine));
    // With the smallest exponent, the lowest bit of the window weighs this in 2/pi.
    let first = smallest - shape.bias() - i64::from(fraction) + i64::from(behind);
    let largest = (1 << exponent) - 2 - smallest;
    let entries: Vec<u128> = (0..=largest / i64::from(STRIDE))
        .map(|k| window((first + (k + 1) * i64::from(STRIDE) - 1) as u32, behind + 2 + STRIDE - 1))
        .collect();
    let entry = s.c.entry(&coarse, &entries, behind + 2 + STRIDE - 1);
    let moved = s.c.up(&entry, &fine);
    let bits = s.highest(&moved, behind + 2);
    let product = s.c.product(&parts.significand, &bits, behind + 2);
    (s.c.slice(&product, 0, behind), s.highest(&product, 2))
}

/// An operand as an angle.
struct Reduced<W> {
    parts: Parts<W>,
    /// Whether it is its sine and its tangent, and 1 its cosine, but for a tenth of an ulp.
    is_small: W,
    /// Quarter turns behind the point, and the two bits before it.
    rest: W,
    quarter: W,
}

fn reduced<C: Circuit>(s: &mut Steps<C>, x: &C::Word) -> Reduced<C::Word> {
    let parts = s.apart(x);
    let smallest = s.shape.bias() - i64::from(s.shape.fraction / 2) - 2;
    let is_small = s.is_below(&parts.exponent, smallest);
    let (rest, quarter) = quarters(s, &parts, smallest);
    Reduced { parts, is_small, rest, quarter }
}

/// A value that infinities and NaN do not have.
fn of_numbers<C: Circuit>(s: &mut Steps<C>, parts: &Parts<C::Word>, value: &C::Word) -> C::Word {
    let nan = s.nan();
    let has_none = s.c.or(&parts.is_nan, &parts.is_infinite);
    s.c.choice(&has_none, &nan, value)
}

/// `sin`, or `cos`.
pub(super) fn value<C: Circuit>(s: &mut Steps<C>, x: &C::Word, is_cosine: bool) -> C::Word {
    let shape = s.shape;
    let (bias, places) = (shape.bias(), shape.places());
    let Reduced { parts, is_small, rest, quarter } = reduced(s, x);
    s.c.part("angle", "Odd quarters are mirrored, but for the last place.");
    let quarter = if is_cosine { s.plus(&quarter, 1) } else { quarter };
    let (is_odd, is_lower) = (s.bit(&quarter, 0), s.bit(&quarter, 1));
    let behind = s.c.width(&rest);
    let mirror = s.c.copies(&is_odd, behind);
    let angle = s.c.differing(&rest, &mirror);
    let sign = if is_cosine { is_lower } else { s.c.differing(&parts.sign, &is_lower) };
    let zeros = s.c.zeros(&angle);
    let normal = s.c.up(&angle, &zeros);
    let significand = s.highest(&normal, places + 1);
    let argument = s.highest(&angle, places);
    let factor = table(shape).value(s, None, &argument);
    s.c.part("sine", "The angle times its factor, which is from 1 to pi/2.");
    let width = places + 1 + s.c.width(&factor);
    let product = s.c.product(&significand, &factor, width);
    let product = s.highest(&product, places + 3);
    let (is_upper, raised) = (s.top(&product), s.c.slice(&product, 0, places + 2));
    let raised = s.raised(&raised, 1);
    let significand = s.c.choice(&is_upper, &product, &raised);
    let has_lower = s.not(&is_upper);
    let [zeros, has_lower] = [zeros, has_lower].map(|word| s.extended(&word, shape.wide()));
    let one = s.number(shape.wide(), bias);
    let exponent = s.c.difference(&one, &zeros);
    let exponent = s.c.difference(&exponent, &has_lower);
    let least = bias - i64::from(behind) - 1;
    let value = s.c.rounded(shape.ty, Finite { sign, exponent, least, significand, is_normal: true });
    let small = if is_cosine {
        let plus = s.c.literal(1, 0);
        s.one(&plus)
    } else {
        x.clone()
    };
    let value = s.c.choice(&is_small, &small, &value);
    of_numbers(s, &parts, &value)
}

/// In quarter turns up to a half, of twice the angle: the tangent by it, and twice the cotangent times it. And reciprocals.
static OF_TANGENT: [[OnceLock<Pieces>; 3]; 2] = [const { [const { OnceLock::new() }; 3] }; 2];

fn tangent_table(shape: Shape, is_reciprocal: bool) -> &'static Pieces {
    OF_TANGENT[usize::from(is_reciprocal)][shape.index()].get_or_init(|| {
        let places = shape.places();
        let ratio = |section: usize, u: f64| {
            let tangent_by_angle =
                if u == 0.0 { FRAC_PI_2 } else { libm::tan(FRAC_PI_2 * u / 2.0) / (u / 2.0) };
            if section == 0 {
                tangent_by_angle
            } else {
                2.0 / tangent_by_angle
            }
        };
        let reciprocal = |_, f: f64| 1.0 / (1.0 + f);
        Pieces::new(&Wanted {
            function: if is_reciprocal { &reciprocal } else { &ratio },
            sections: if is_reciprocal { 1 } else { 2 },
            degree: shape.degree(),
            argument: places,
            places,
            bound: places - 2,
            ends: (0, if is_reciprocal { (1 << places) - 1 } else { (2 << places) - 1 }),
        })
    })
}

/// `tan`: beyond half a quarter turn the cotangent of what is missing to a whole, which is a reciprocal times a factor.
pub(super) fn tangent<C: Circuit>(s: &mut Steps<C>, x: &C::Word) -> C::Word {
    let shape = s.shape;
    let (bias, places) = (shape.bias(), shape.places());
    let Reduced { parts, is_small, rest, quarter } = reduced(s, x);
    s.c.part("angle", "The second half of a quarter is mirrored, but for the last place.");
    let (is_odd, is_later) = (s.bit(&quarter, 0), s.top(&rest));
    let is_cotangent = s.c.differing(&is_odd, &is_later);
    let sign = s.c.differing(&parts.sign, &is_odd);
    let behind = s.c.width(&rest);
    let mirror = s.c.copies(&is_later, behind);
    let angle = s.c.differing(&rest, &mirror);
    let zeros = s.c.zeros(&angle);
    let normal = s.c.up(&angle, &zeros);
    let significand = s.highest(&normal, places + 1);
    let f = s.c.slice(&significand, 0, places);
    let reciprocal = tangent_table(shape, true).value(s, None, &f);
    let argument = s.c.slice(&angle, behind - 1 - places, places);
    let factor = tangent_table(shape, false).value(s, Some(&is_cotangent), &argument);
    s.c.part("tangent", "The angle, or its reciprocal, times a factor.");
    let reciprocal = s.extended(&reciprocal, places + 1);
    let multiplied = s.c.choice(&is_cotangent, &reciprocal, &significand);
    let product = s.c.product(&multiplied, &factor, 2 * places + 2);
    let significand = s.highest(&product, places + 5);
    // The angle is its significand, from 1 to 2, by two to the power of the zeros and one.
    let zeros = s.extended(&zeros, shape.wide());
    let one = s.number(shape.wide(), bias);
    let of_tangent = s.c.difference(&one, &zeros);
    let of_cotangent = s.c.sum(&one, &zeros);
    let of_cotangent = s.plus(&of_cotangent, 1);
    let exponent = s.c.choice(&is_cotangent, &of_cotangent, &of_tangent);
    let least = bias - i64::from(behind);
    let value = s.c.rounded(shape.ty, Finite { sign, exponent, least, significand, is_normal: false });
    let value = s.c.choice(&is_small, x, &value);
    of_numbers(s, &parts, &value)
}
