//! Whether a sum is never zero, given sums that are never negative.
//!
//! The unknown that is defined deepest inside loops goes first: the sum is not greater with a lower bound of it where its
//! factor is not negative, with an upper bound where it is not positive. So `n*i + j - (n*k + l)` with `i >= k + 1`,
//! `j >= 0` and `l <= n - 1` becomes `n*(i - k) - n + 1`, and that is at least 1. With constant bounds this is Banerjee's test;
//! with others what Pugh's Omega test does for one equation, without its completeness: a search of limited depth.
//!
//! Where nothing is known of `i` and `k`, `n*(i - k) + j - l` is other than 0 as `j - l` is, if that is nearer to 0 than `n`: subscripts
//! of a flat matrix are those of its rows and those inside of them (delinearization; Maslov, PLDI 1992).

use super::sum::Sum;
use std::collections::BTreeSet;

/// How many bounds one after the other a proof may use.
const DEPTH: u32 = 10;

/// Attempts for one question.
const ATTEMPTS: u32 = 200;

/// Questions about sums whose unknowns are bounded by `facts`, each of them at least 0.
pub(super) struct Prover<'a, V> {
    facts: &'a [Sum<V>],
    /// Attempts that are left, for all questions of a function: one with very many accesses is not looked at for ever.
    left: &'a mut u32,
}

impl<'a, V: Ord + Clone> Prover<'a, V> {
    pub fn new(facts: &'a [Sum<V>], left: &'a mut u32) -> Self {
        Prover { facts, left }
    }

    /// Whether the sum is proved to be other than 0.
    pub fn is_never_zero(&mut self, sum: &Sum<V>) -> bool {
        let constant = sum.constant_term().unsigned_abs();
        match sum.divisor() {
            0 => return constant != 0,
            divisor if !constant.is_multiple_of(divisor) => return true,
            _ => {}
        }
        self.is_beside(sum, |_, _| true) || self.is_inside_of_rows(sum)
    }

    /// Whether the sum or its negative is proved to be at least 1, and what else is asked of that one.
    fn is_beside(&mut self, sum: &Sum<V>, and: impl Fn(&mut Self, &Sum<V>) -> bool) -> bool {
        let negative = Sum::constant(0).plus(sum, -1);
        [Some(sum.clone()), negative].iter().flatten().any(|sum| self.is_at_least(sum, 1) && and(self, sum))
    }

    /// Whether the sum is a multiple of a row's length and a distance that is less than that, and not 0.
    fn is_inside_of_rows(&mut self, sum: &Sum<V>) -> bool {
        let lengths: BTreeSet<V> = sum.factors().cloned().collect();
        let literals: BTreeSet<u64> = sum.coefficients().filter(|&n| n > 1).collect();
        let of_length = lengths.into_iter().map(|n| (Sum::of(n.clone()), sum.split(&n)));
        let of_literal = literals.into_iter().map(|n| (Sum::constant(n as i64), sum.split_multiples(n)));
        of_length.chain(of_literal).any(|(length, (rows, inside))| {
            let is_less = |prover: &mut Self, distance: &Sum<V>| {
                length.plus(distance, -1).is_some_and(|beyond| prover.is_at_least(&beyond, 1))
            };
            rows.value().is_none() && self.is_beside(&inside, is_less)
        })
    }

    /// Whether the sum is proved to be at least `floor`.
    pub fn is_at_least(&mut self, sum: &Sum<V>, floor: i64) -> bool {
        let mut attempts = ATTEMPTS.min(*self.left);
        *self.left -= attempts;
        let proved = self.search(sum, floor, DEPTH, &mut attempts);
        *self.left += attempts;
        proved
    }

    fn search(&self, sum: &Sum<V>, floor: i64, depth: u32, attempts: &mut u32) -> bool {
        if let Some(value) = sum.value() {
            return value >= floor;
        }
        if depth == 0 || *attempts == 0 {
            return false;
        }
        *attempts -= 1;
        let Some(deepest) = sum.unknowns().max().cloned() else { return false };
        let (factor, rest) = sum.split(&deepest);
        let Some(rises) = self.sign(&factor, depth, attempts) else { return false };
        self.facts.iter().any(|fact| {
            let (k, others) = fact.split(&deepest);
            // k*unknown + others >= 0, so unknown >= -others/k, or <= others/-k.
            let Some(k) = k.value().filter(|&k| k != 0 && (k > 0) == rises) else { return false };
            let Some((bounded, floor)) = bounded(&factor, &rest, &others, k, floor) else { return false };
            self.search(&bounded, floor, depth - 1, attempts)
        })
    }

    /// Whether a factor is nowhere negative, or nowhere positive.
    fn sign(&self, factor: &Sum<V>, depth: u32, attempts: &mut u32) -> Option<bool> {
        if let Some(value) = factor.value() {
            return Some(value > 0);
        }
        if self.search(factor, 0, depth - 1, attempts) {
            return Some(true);
        }
        let negative = Sum::constant(0).plus(factor, -1)?;
        self.search(&negative, 0, depth - 1, attempts).then_some(false)
    }
}

/// `|k| * (factor*unknown + rest)` with the bound of the unknown, and the floor that this is to reach.
fn bounded<V: Ord + Clone>(
    factor: &Sum<V>,
    rest: &Sum<V>,
    others: &Sum<V>,
    k: i64,
    floor: i64,
) -> Option<(Sum<V>, i64)> {
    let size = k.checked_abs()?;
    let sum = Sum::constant(0).plus(rest, size)?.plus(&factor.times(others)?, -k.signum())?;
    // size * sum >= size * (floor - 1) + 1 says of whole numbers that the sum is at least the floor.
    let floor = floor.checked_sub(1)?.checked_mul(size)?.checked_add(1)?;
    Some((sum, floor))
}
