//! Sums of products of unknowns, with constant factors: what subscripts and bounds of loops are made of.
//!
//! All arithmetic is checked: what leaves 64 bits, or grows beyond [`MOST_TERMS`], is no sum.

use loom_base::gcd;
use std::collections::BTreeMap;

/// More terms than any subscript has that somebody wrote.
const MOST_TERMS: usize = 24;

/// More factors in a term than arrays have dimensions that anybody writes out.
const MOST_FACTORS: usize = 4;

/// A sum; the product of nothing is the constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sum<V> {
    terms: BTreeMap<Vec<V>, i64>,
}

impl<V: Ord + Clone> Sum<V> {
    pub fn constant(value: i64) -> Sum<V> {
        let terms = [(Vec::new(), value)].into_iter().filter(|&(_, c)| c != 0).collect();
        Sum { terms }
    }

    pub fn of(unknown: V) -> Sum<V> {
        Sum { terms: [(vec![unknown], 1)].into() }
    }

    /// The sum with `times` of the other.
    pub fn plus(&self, other: &Sum<V>, times: i64) -> Option<Sum<V>> {
        let mut sum = self.clone();
        for (product, &factor) in &other.terms {
            sum.add(product.clone(), factor.checked_mul(times)?)?;
        }
        Some(sum)
    }

    pub fn times(&self, other: &Sum<V>) -> Option<Sum<V>> {
        let mut out = Sum { terms: BTreeMap::new() };
        for (x, &a) in &self.terms {
            for (y, &b) in &other.terms {
                let mut product = [&x[..], &y[..]].concat();
                product.sort();
                out.add(product, a.checked_mul(b)?)?;
            }
        }
        Some(out)
    }

    fn add(&mut self, product: Vec<V>, factor: i64) -> Option<()> {
        let entry = self.terms.entry(product.clone()).or_insert(0);
        *entry = entry.checked_add(factor)?;
        if *entry == 0 {
            self.terms.remove(&product);
        }
        (product.len() <= MOST_FACTORS && self.terms.len() <= MOST_TERMS).then_some(())
    }

    /// The sum with a sum in place of each unknown.
    pub fn replace<W: Ord + Clone>(&self, mut by: impl FnMut(&V) -> Sum<W>) -> Option<Sum<W>> {
        let mut out = Sum::constant(0);
        for (product, &factor) in &self.terms {
            let mut value = Sum::constant(factor);
            for unknown in product {
                value = value.times(&by(unknown))?;
            }
            out = out.plus(&value, 1)?;
        }
        Some(out)
    }

    /// Its value, where it has no unknown.
    pub fn value(&self) -> Option<i64> {
        self.terms.keys().all(Vec::is_empty).then(|| self.constant_term())
    }

    pub fn constant_term(&self) -> i64 {
        self.terms.get(&Vec::new()).copied().unwrap_or(0)
    }

    /// Whether it has neither a negative factor nor a negative constant.
    pub fn is_of_positive(&self) -> bool {
        self.terms.values().all(|&c| c >= 0)
    }

    pub fn unknowns(&self) -> impl Iterator<Item = &V> {
        self.terms.keys().flatten()
    }

    /// The unknowns that others are multiplied with.
    pub fn factors(&self) -> impl Iterator<Item = &V> {
        self.terms.keys().filter(|product| product.len() > 1).flatten()
    }

    /// `(c, rest)` with the sum being `c * unknown + rest`, where `c` may have the unknown once more.
    pub fn split(&self, unknown: &V) -> (Sum<V>, Sum<V>) {
        let (mut factor, mut rest) = (Sum::constant(0), Sum::constant(0));
        for (product, &c) in &self.terms {
            match product.iter().position(|v| v == unknown) {
                Some(i) => {
                    let mut others = product.clone();
                    others.remove(i);
                    factor.terms.insert(others, c);
                }
                None => {
                    rest.terms.insert(product.clone(), c);
                }
            }
        }
        (factor, rest)
    }

    /// Multiples of a number with an unknown, and the rest.
    pub fn split_multiples(&self, of: u64) -> (Sum<V>, Sum<V>) {
        let is_multiple =
            |(product, c): &(Vec<V>, i64)| !product.is_empty() && c.unsigned_abs().is_multiple_of(of);
        let (multiples, rest) = self.terms.clone().into_iter().partition(is_multiple);
        (Sum { terms: multiples }, Sum { terms: rest })
    }

    /// The factors of unknowns, without signs.
    pub fn coefficients(&self) -> impl Iterator<Item = u64> + '_ {
        self.terms.iter().filter(|(product, _)| !product.is_empty()).map(|(_, c)| c.unsigned_abs())
    }

    /// The greatest number that divides all factors of unknowns; 0 where there are none.
    pub fn divisor(&self) -> u64 {
        self.coefficients().fold(0, gcd)
    }
}
