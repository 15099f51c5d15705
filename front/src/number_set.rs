//! Sets of numbers of one width, as ranges: the numbers for which a test holds.
//!
//! Every operation is exact. Numbers are bits, so a comparison of signed ones holds for up to two ranges.

use crate::predicate::opposite;
use loom_base::{sign_extend, truncate};
use loom_dfg::Predicate;

/// Numbers of so many bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberSet {
    width: u32,
    /// First and last of each range, ascending, with numbers that are not in the set between them.
    ranges: Vec<(u64, u64)>,
}

impl NumberSet {
    /// No number of 1 to 64 bits.
    pub fn none(width: u32) -> NumberSet {
        NumberSet { width, ranges: Vec::new() }
    }

    /// All numbers.
    pub fn all(width: u32) -> NumberSet {
        NumberSet { width, ranges: vec![(0, last(width))] }
    }

    /// All or none.
    pub fn constant(width: u32, all: bool) -> NumberSet {
        match all {
            true => NumberSet::all(width),
            false => NumberSet::none(width),
        }
    }

    /// From one number up to another, past the highest to zero where that is below.
    pub fn range(width: u32, from: u64, to: u64) -> NumberSet {
        let ranges = if from <= to { vec![(from, to)] } else { vec![(0, to), (from, last(width))] };
        NumberSet { width, ranges: Vec::new() }.with(ranges)
    }

    /// The numbers that compare so with a literal.
    pub fn compared(width: u32, predicate: Predicate, literal: u64) -> NumberSet {
        let literal = truncate(literal, width);
        let lowest = 1 << (width - 1);
        let below = |least: u64| match literal == least {
            true => NumberSet::none(width),
            false => NumberSet::range(width, least, truncate(literal.wrapping_sub(1), width)),
        };
        match predicate {
            Predicate::Eq => NumberSet::range(width, literal, literal),
            Predicate::Ult => below(0),
            Predicate::Slt => below(lowest),
            Predicate::Ule => NumberSet::range(width, 0, literal),
            Predicate::Sle => NumberSet::range(width, lowest, literal),
            other => NumberSet::compared(width, opposite(other), literal).complement(),
        }
    }

    /// Bits of a number.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Its ranges.
    pub fn ranges(&self) -> &[(u64, u64)] {
        &self.ranges
    }

    /// Whether no number is in it.
    pub fn is_none(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether every number is in it.
    pub fn is_all(&self) -> bool {
        self.ranges == [(0, last(self.width))]
    }

    fn with(mut self, ranges: impl IntoIterator<Item = (u64, u64)>) -> NumberSet {
        self.ranges.extend(ranges);
        self.ranges.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (from, to) in self.ranges {
            match joined.last_mut() {
                Some(before) if before.1 >= from || before.1 + 1 == from => before.1 = before.1.max(to),
                _ => joined.push((from, to)),
            }
        }
        NumberSet { width: self.width, ranges: joined }
    }

    /// What is in either.
    pub fn or(&self, other: &NumberSet) -> NumberSet {
        self.clone().with(other.ranges.iter().copied())
    }

    /// What is not in it.
    pub fn complement(&self) -> NumberSet {
        let mut ranges = Vec::new();
        let mut next = Some(0);
        for &(from, to) in &self.ranges {
            ranges.extend(next.filter(|&n| n < from).map(|n| (n, from - 1)));
            next = (to < last(self.width)).then(|| to + 1);
        }
        ranges.extend(next.map(|n| (n, last(self.width))));
        NumberSet { width: self.width, ranges }
    }

    /// What is in both.
    pub fn and(&self, other: &NumberSet) -> NumberSet {
        self.complement().or(&other.complement()).complement()
    }

    /// What is in one of them.
    pub fn xor(&self, other: &NumberSet) -> NumberSet {
        self.and(&other.complement()).or(&other.and(&self.complement()))
    }

    /// Each number and so much more.
    pub fn plus(&self, addend: u64) -> NumberSet {
        let add = |n: u64| truncate(n.wrapping_add(addend), self.width);
        let moved = self.ranges.iter().flat_map(|&(from, to)| {
            // A range of all numbers has no end to move.
            if self.is_all() {
                return vec![(from, to)];
            }
            NumberSet::range(self.width, add(from), add(to)).ranges
        });
        NumberSet::none(self.width).with(moved.collect::<Vec<_>>())
    }

    /// What is left of each number without so many of its low bits, zeros or the sign moved in above.
    pub fn shifted(&self, places: u32, signed: bool) -> NumberSet {
        self.each_by(self.width, signed, |n| n >> places)
    }

    /// Each number with more bits: zeros, or copies of its sign.
    pub fn extended(&self, width: u32, signed: bool) -> NumberSet {
        self.each_by(width, signed, |n| n)
    }

    /// The numbers that a map gives which keeps their order, as signed ones or not.
    fn each_by(&self, width: u32, signed: bool, map: impl Fn(i128) -> i128) -> NumberSet {
        let lowest = 1 << (self.width - 1);
        let halves = match signed {
            true => vec![
                self.and(&NumberSet::range(self.width, 0, lowest - 1)),
                self.and(&NumberSet::range(self.width, lowest, last(self.width))),
            ],
            false => vec![self.clone()],
        };
        let value = |n: u64| match signed {
            true => i128::from(sign_extend(n, self.width)),
            false => i128::from(n),
        };
        let mapped = |n: u64| truncate(map(value(n)) as u64, width);
        let ranges =
            halves.iter().flat_map(|half| &half.ranges).map(|&(from, to)| (mapped(from), mapped(to)));
        NumberSet::none(width).with(ranges.collect::<Vec<_>>())
    }

    /// The numbers that are in this set once so many of their low bits are cut off and zeros, or the sign, moved in above.
    pub fn before_shift(&self, places: u32, signed: bool) -> NumberSet {
        let low = (1 << places) - 1;
        // What a shift can give at all.
        let given = self.and(&NumberSet::all(self.width).shifted(places, signed));
        let before = |&(from, to): &(u64, u64)| {
            (truncate(from << places, self.width), truncate(to << places, self.width) | low)
        };
        NumberSet::none(self.width).with(given.ranges.iter().map(before).collect::<Vec<_>>())
    }

    /// The numbers of fewer bits that are in it once they are extended.
    pub fn before_extension(&self, width: u32, signed: bool) -> NumberSet {
        let given = self.and(&NumberSet::all(width).extended(self.width, signed));
        let of = |&(from, to): &(u64, u64)| (truncate(from, width), truncate(to, width));
        let ranges: Vec<_> = given.ranges.iter().map(of).collect();
        NumberSet::none(width).with(ranges)
    }
}

/// The highest number of so many bits.
fn last(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom_dfg::eval::eval_arith;
    use loom_dfg::{Op, Type};

    const WIDTH: u32 = 4;

    fn has(set: &NumberSet, n: u64) -> bool {
        set.ranges.iter().any(|&(from, to)| from <= n && n <= to)
    }

    /// Every set of numbers of four bits.
    fn sets() -> impl Iterator<Item = NumberSet> {
        (0u64..1 << 16).step_by(7).map(|bits| {
            let ones = (0..16).filter(move |n| bits >> n & 1 == 1).map(|n| (n, n));
            NumberSet::none(WIDTH).with(ones.collect::<Vec<_>>())
        })
    }

    #[test]
    fn sets_are_those_of_their_numbers() {
        let others: Vec<NumberSet> = sets().step_by(311).collect();
        for set in sets() {
            for w in set.ranges.windows(2) {
                assert!(w[0].1 + 1 < w[1].0, "{set:?}");
            }
            let same = |got: &NumberSet, wanted: &dyn Fn(u64) -> bool, what: &str| {
                for n in 0..16 {
                    assert_eq!(has(got, n), wanted(n), "{what} of {set:?}: {n}");
                }
            };
            same(&set.complement(), &|n| !has(&set, n), "complement");
            assert_eq!(
                (set.is_none(), set.is_all()),
                ((0..16).all(|n| !has(&set, n)), (0..16).all(|n| has(&set, n)))
            );
            for other in &others {
                same(&set.and(other), &|n| has(&set, n) && has(other, n), "and");
                same(&set.or(other), &|n| has(&set, n) || has(other, n), "or");
                same(&set.xor(other), &|n| has(&set, n) != has(other, n), "xor");
            }
            for k in 0..16 {
                same(&set.plus(k), &|n| has(&set, n.wrapping_sub(k) & 15), "plus");
            }
            for k in 0..4 {
                same(&set.before_shift(k, false), &|n| has(&set, n >> k), "shift");
                let signed = |n: u64| ((((n << 60) as i64) >> 60) >> k) as u64 & 15;
                same(&set.before_shift(k, true), &|n| has(&set, signed(n)), "signed shift");
                let some = |wanted: &dyn Fn(u64) -> bool| (0..16).any(|n| has(&set, n) && wanted(n));
                same(&set.shifted(k, false), &|n| some(&|m| m >> k == n), "shifted");
                same(&set.shifted(k, true), &|n| some(&|m| signed(m) == n), "shifted with its sign");
            }
            for n in 0..4 {
                let narrow = set.before_extension(2, false);
                assert_eq!(has(&narrow, n), has(&set, n), "{set:?}");
                let narrow = set.before_extension(2, true);
                assert_eq!(has(&narrow, n), has(&set, if n > 1 { n | 12 } else { n }), "{set:?}");
            }
        }
    }

    #[test]
    fn comparisons_hold_for_their_sets() {
        for predicate in Predicate::ALL {
            for bits in [3u8, 4, 32, 64] {
                let (ty, bits) = (Type::Int(bits), u32::from(bits));
                let literals =
                    [0, 1, 2, 3, 7, last(bits) / 2, last(bits) / 2 + 1, last(bits) - 1, last(bits)];
                for literal in literals.map(|l| truncate(l, bits)) {
                    let set = NumberSet::compared(bits, predicate, literal);
                    for n in literals.map(|l| truncate(l, bits)) {
                        let wanted = eval_arith(Op::Cmpi(predicate), &[ty, ty], Type::I1, 32, &[n, literal]);
                        assert_eq!(u64::from(has(&set, n)), wanted, "{predicate:?} {n} {literal} of {bits}");
                    }
                }
            }
        }
    }
}
