//! Hints: what a person promises, wishes or estimates about a loop or an array, beyond what its text says (`include/loom.h`, `docs/scf.md`).
//!
//! They stand on the operation of a loop, and the wish for banks on that of an allocation. In a function with jumps they stand on a jump and speak about the innermost loop around
//! it, which `structure` finds. Passes that write a loop anew carry them over.

use std::num::NonZeroU32;

/// How often the body of a loop is wished to stand in the place of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// So many copies; 1 forbids unrolling.
    By(NonZeroU32),
    /// As many as it has iterations.
    Fully,
}

/// An estimate of the iterations of an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trips {
    least: u64,
    most: u64,
}

impl Trips {
    /// Between `least` and `most`; `None` where that is no number at all.
    pub fn new(least: u64, most: u64) -> Option<Trips> {
        (least <= most).then_some(Trips { least, most })
    }

    /// The fewest.
    pub fn least(self) -> u64 {
        self.least
    }

    /// The most.
    pub fn most(self) -> u64 {
        self.most
    }
}

/// What is said about one loop or allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// A promise: no iteration touches a word of an argument or global that another iteration of the same activation writes.
    pub independent: bool,
    /// A wish.
    pub unroll: Option<Unroll>,
    /// An estimate.
    pub trips: Option<Trips>,
    /// A wish: so many memories, in turns for the words of an allocation.
    pub banks: Option<NonZeroU32>,
}

impl Hints {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Hints::default()
    }

    /// Takes in what is said besides: promises stay, of wishes and estimates the last counts.
    pub fn add(&mut self, other: Hints) {
        self.independent |= other.independent;
        self.unroll = other.unroll.or(self.unroll);
        self.trips = other.trips.or(self.trips);
        self.banks = other.banks.or(self.banks);
    }
}

/// Names of the attributes in text.
pub const INDEPENDENT: &str = "loom.independent";
/// A number, or nothing for all iterations.
pub const UNROLL: &str = "loom.unroll";
/// `array<i64: least, most>`
pub const TRIPS: &str = "loom.trips";
/// A number, of an allocation.
pub const BANKS: &str = "loom.banks";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_stay_and_the_last_wish_counts() {
        let by = |n| NonZeroU32::new(n).map(Unroll::By);
        let mut hints = Hints { independent: true, unroll: by(2), ..Hints::default() };
        hints.add(Hints { unroll: by(4), trips: Trips::new(1, 8), ..Hints::default() });
        hints.add(Hints { trips: Trips::new(2, 9), ..Hints::default() });
        assert_eq!(hints, Hints { independent: true, unroll: by(4), trips: Trips::new(2, 9), banks: None });
        assert_eq!(Trips::new(3, 2), None);
    }
}
