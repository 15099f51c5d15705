//! Functions by tables of polynomials: the interval from 0 to 1 in pieces of one size, a polynomial for each.
//!
//! A table is made by whoever asks first, by sums, products and `libm`'s functions of doubles, which give the same bits on every
//! machine: golden, native and hardware have one. A polynomial goes through the function at the zeros of a Chebyshev polynomial,
//! which for these degrees is as good as the best one but for a few hundredths; then its coefficients are cut to so many binary
//! places, and the constant one is chosen anew so that the largest errors above and below are alike, the cuts of
//! Horner's scheme among them. There are as many pieces, a power of two, as the bound of the error asks for.
//!
//! Guarantees: no value that a table gives is further than the bound from the function, at the points where it is looked at
//! (the tests of the functions look at all); values stay between the ends that are asked for.

use super::circuit::Circuit;
use super::steps::Steps;
use std::f64::consts::PI;

/// What a table is made for.
pub struct Wanted<'f> {
    /// By section, what is computed, of 0 to 1.
    pub function: &'f dyn Fn(usize, f64) -> f64,
    /// Intervals that have polynomials of their own.
    pub sections: usize,
    /// Of the polynomials.
    pub degree: usize,
    /// Binary places of the argument.
    pub argument: u32,
    /// Binary places of the value.
    pub places: u32,
    /// The largest error is below 2 to the minus that.
    pub bound: u32,
    /// The least and the largest value, in its last place.
    pub ends: (u128, u128),
}

/// How the value of an inner sum is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// It is never negative.
    Plus,
    /// It is never positive; its negative is kept.
    Minus,
    /// Two's complement.
    Both,
}

/// A coefficient of all pieces, with what is behind it added.
struct Column {
    width: u32,
    sign: Sign,
    /// As the sum is kept.
    entries: Vec<u128>,
}

/// A table.
pub struct Pieces {
    argument: u32,
    /// Bits of the argument that choose a piece.
    index: u32,
    /// The constant coefficient first.
    columns: Vec<Column>,
    error: f64,
}

/// Points of a piece that are looked at.
const POINTS: i64 = 33;

impl Pieces {
    /// The table with the fewest pieces that keeps to the bound.
    ///
    /// # Panics
    ///
    /// When no table does: the places are too few for the bound.
    pub fn new(wanted: &Wanted) -> Pieces {
        (2..12)
            .find_map(|index| {
                let pieces = Pieces::of(wanted, index);
                (pieces.error < libm::exp2(-f64::from(wanted.bound))).then_some(pieces)
            })
            .expect("a bound that the places allow")
    }

    fn of(wanted: &Wanted, index: u32) -> Pieces {
        let mut pieces = Pieces { argument: wanted.argument, index, columns: Vec::new(), error: 0.0 };
        let mut all: Vec<Vec<i64>> = Vec::new();
        for section in 0..wanted.sections {
            for piece in 0..1u64 << index {
                all.push(pieces.piece(wanted, section, piece));
            }
        }
        // What each inner sum is, over all pieces and points.
        pieces.columns = (0..=wanted.degree)
            .map(|power| {
                let values = all
                    .iter()
                    .flat_map(|c| points(pieces.rest()).into_iter().map(|w| pieces.inner(c, power, w)));
                let (least, most) = values.fold((0, 0), |(a, b), v| (v.min(a), v.max(b)));
                // Cuts of other points go one further.
                let bits = |most: i64| 64 - most.leading_zeros();
                let (sign, width) = match () {
                    () if power == 0 => (Sign::Plus, bits(wanted.ends.1 as i64)),
                    () if least >= 0 => (Sign::Plus, bits(most + 2)),
                    () if most <= 0 => (Sign::Minus, bits(2 - least)),
                    () => (Sign::Both, 1 + bits(most.max(-least) + 2)),
                };
                let kept = |c: &Vec<i64>| {
                    let value = if sign == Sign::Minus { -c[power] } else { c[power] };
                    value as u128 & ((1 << width) - 1)
                };
                Column { width, sign, entries: all.iter().map(kept).collect() }
            })
            .collect();
        pieces
    }

    /// Bits of the argument that do not choose.
    fn rest(&self) -> u32 {
        self.argument - self.index
    }

    /// The coefficients of a piece, the constant one first, in units of the last place; the error is noted.
    fn piece(&mut self, wanted: &Wanted, section: usize, piece: u64) -> Vec<i64> {
        let pieces = libm::exp2(f64::from(self.index));
        let function = |w: f64| (wanted.function)(section, (piece as f64 + w) / pieces);
        let scale = libm::exp2(f64::from(wanted.places));
        let mut coefficients: Vec<i64> =
            fitted(&function, wanted.degree).into_iter().map(|c| libm::round(c * scale) as i64).collect();
        let rest = self.rest();
        let one = libm::exp2(f64::from(rest));
        let errors = |pieces: &Pieces, c: &[i64]| {
            let off = |&w: &i64| pieces.inner(c, 0, w) as f64 - function(w as f64 / one) * scale;
            let all = points(rest);
            all.iter().map(off).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), e| (a.min(e), b.max(e)))
        };
        let (low, high) = errors(self, &coefficients);
        coefficients[0] -= libm::round((low + high) / 2.0) as i64;
        let values: Vec<i64> = points(rest).iter().map(|&w| self.inner(&coefficients, 0, w)).collect();
        let (least, most) = (values.iter().min().expect("points"), values.iter().max().expect("points"));
        let (from, to) = (wanted.ends.0 as i64, wanted.ends.1 as i64);
        coefficients[0] += (from - least).max(0) - (most - to).max(0);
        let (low, high) = errors(self, &coefficients);
        self.error = self.error.max(high.max(-low) / scale);
        coefficients
    }

    /// The sum from a power on, as Horner's scheme has it, at a place of the rest of the argument.
    fn inner(&self, coefficients: &[i64], power: usize, rest: i64) -> i64 {
        let Some((&last, before)) = coefficients[power..].split_last() else { return 0 };
        before
            .iter()
            .rev()
            .fold(last, |sum, &c| c + ((i128::from(sum) * i128::from(rest)) >> self.rest()) as i64)
    }

    /// The steps: the value at `argument`, all of whose bits are behind the point, in a section.
    pub(super) fn value<C: Circuit>(
        &self,
        s: &mut Steps<C>,
        section: Option<&C::Word>,
        argument: &C::Word,
    ) -> C::Word {
        debug_assert_eq!(s.c.width(argument), self.argument);
        let piece = s.highest(argument, self.index);
        let index = section.map_or(piece.clone(), |section| s.c.join(section, &piece));
        let rest = s.c.slice(argument, 0, self.rest());
        s.c.part("table", "The coefficients of the piece.");
        let words: Vec<C::Word> =
            self.columns.iter().map(|column| s.c.entry(&index, &column.entries, column.width)).collect();
        s.c.part("polynomial", "Horner's scheme, each product cut to the places of the sum.");
        let (mut sum, mut of) = (words[self.columns.len() - 1].clone(), self.columns.len() - 1);
        while of > 0 {
            let sign = self.columns[of].sign;
            let product = self.scaled(s, &sum, sign, &rest);
            of -= 1;
            let next = &self.columns[of];
            let product = fitted_to(s, &product, sign, next.width);
            let adds = (sign == Sign::Minus) == (next.sign == Sign::Minus);
            sum = match adds {
                true => s.c.sum(&words[of], &product),
                false => s.c.difference(&words[of], &product),
            };
        }
        sum
    }

    /// An inner sum times the rest of the argument, of which as many bits count as the sum has.
    fn scaled<C: Circuit>(&self, s: &mut Steps<C>, sum: &C::Word, sign: Sign, rest: &C::Word) -> C::Word {
        let width = s.c.width(sum);
        let bits = self.rest().min(width + 1);
        let rest = s.highest(rest, bits);
        if sign != Sign::Both {
            let product = s.c.product(sum, &rest, width + bits);
            return s.c.slice(&product, bits, width);
        }
        // The sign's bit weighs as much as it would, but negative.
        let low = s.c.slice(sum, 0, width - 1);
        let product = s.c.product(&low, &rest, width + bits);
        let top = s.top(sum);
        let copies = s.c.copies(&top, bits);
        let taken = s.c.and(&copies, &rest);
        let taken = s.extended(&taken, bits + 1);
        let taken = s.raised(&taken, width - 1);
        let product = s.c.difference(&product, &taken);
        s.c.slice(&product, bits, width)
    }
}

/// A product in as many bits as the sum that it goes into.
fn fitted_to<C: Circuit>(s: &mut Steps<C>, product: &C::Word, sign: Sign, width: u32) -> C::Word {
    match (s.c.width(product) >= width, sign) {
        (true, _) => s.c.slice(product, 0, width),
        (false, Sign::Both) => s.sign_extended(product, width),
        (false, _) => s.extended(product, width),
    }
}

/// Places of the rest of an argument: the first, the last and some between.
fn points(rest: u32) -> Vec<i64> {
    let last = (1i64 << rest) - 1;
    (0..POINTS).map(|k| last * k / (POINTS - 1)).collect()
}

/// The coefficients of the polynomial through a function of 0 to 1, the constant one first.
fn fitted(function: &dyn Fn(f64) -> f64, degree: usize) -> Vec<f64> {
    let points: Vec<f64> =
        (0..=degree).map(|k| 0.5 + 0.5 * libm::cos(PI * (k as f64 + 0.5) / (degree as f64 + 1.0))).collect();
    // Newton's divided differences, then the products multiplied out, innermost first.
    let mut newton: Vec<f64> = points.iter().map(|&x| function(x)).collect();
    for order in 1..=degree {
        for k in (order..=degree).rev() {
            newton[k] = (newton[k] - newton[k - 1]) / (points[k] - points[k - order]);
        }
    }
    let mut coefficients = vec![newton[degree]];
    for k in (0..degree).rev() {
        let mut next = vec![0.0; coefficients.len() + 1];
        for (power, &c) in coefficients.iter().enumerate() {
            next[power + 1] += c;
            next[power] -= c * points[k];
        }
        next[0] += newton[k];
        coefficients = next;
    }
    coefficients
}
