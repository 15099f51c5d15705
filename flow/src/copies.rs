//! How many iterations innermost loops do at once: as their hints say, a number, or what the fabric makes the most of.
//!
//! [`choose`] maps with 2, 4 and 8 copies for as long as that pays: each doubling must lower the cycles of an iteration by a tenth,
//! as the mapping tells them (recurrences, units that are shared, memory ports and buffers). What does not fit, is not routed or is
//! not faster ends the search, and the mapping before it stands. Loops of several kinds in one kernel are told one number; the
//! interval is that of the slowest, so a kernel whose slowest loop is none that can be unrolled gains in the others alone.

use loom_base::Diagnostics;
use std::num::NonZeroU32;
use std::str::FromStr;

/// Copies tried, each against the one before.
const TRIED: [u32; 3] = [2, 4, 8];
/// What the cycles of an iteration must fall to.
const WORTH: f64 = 0.9;

/// How many copies of their body innermost loops without a hint have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copies {
    /// One, but for small loops of known bounds.
    #[default]
    Hinted,
    /// So many.
    Each(NonZeroU32),
    /// The fastest of those tried.
    Fastest,
}

impl Copies {
    /// What the compiler is told before anything is mapped.
    pub fn told(self) -> Option<NonZeroU32> {
        match self {
            Copies::Each(n) => Some(n),
            Copies::Hinted | Copies::Fastest => None,
        }
    }
}

impl FromStr for Copies {
    type Err = String;

    fn from_str(text: &str) -> Result<Copies, String> {
        match text {
            "hints" => Ok(Copies::Hinted),
            "auto" => Ok(Copies::Fastest),
            _ => text.parse().map(Copies::Each).map_err(|_| {
                format!("`{text}` is none of `hints`, `auto` and a number of copies, at least 1")
            }),
        }
    }
}

/// What a mapping is compared by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Ops placed: where there are no more, nothing was unrolled.
    pub ops: usize,
    /// Cycles from one iteration of the slowest loop to the next.
    pub interval: f64,
}

/// The fastest mapping of those tried, with its copies; `plain` is the one with one copy.
pub fn choose<T>(
    plain: T,
    speed: impl Fn(&T) -> Speed,
    map: &mut dyn FnMut(NonZeroU32) -> Result<T, Diagnostics>,
) -> (T, u32) {
    let mut best = (plain, 1);
    for copies in TRIED {
        let Some(Ok(made)) = NonZeroU32::new(copies).map(&mut *map) else { break };
        let (before, now) = (speed(&best.0), speed(&made));
        let an_iteration = |s: Speed, copies: u32| s.interval / f64::from(copies);
        if now.ops <= before.ops || an_iteration(now, copies) > WORTH * an_iteration(before, best.1) {
            break;
        }
        best = (made, copies);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is chosen among these speeds of 1, 2, ... copies.
    fn chosen(speeds: &[(usize, f64)]) -> u32 {
        let speed = |&(ops, interval): &(usize, f64)| Speed { ops, interval };
        let mut map = |n: NonZeroU32| speeds.get(n.ilog2() as usize).copied().ok_or_else(Vec::new);
        choose(speeds[0], speed, &mut map).1
    }

    #[test]
    fn copies_are_taken_while_they_pay() {
        assert_eq!(chosen(&[(10, 1.0), (20, 1.0), (40, 1.0), (80, 1.0)]), 8);
        assert_eq!(chosen(&[(10, 1.0), (20, 1.0), (40, 2.0), (80, 1.0)]), 2);
        assert_eq!(chosen(&[(10, 3.0), (20, 5.0), (40, 9.5)]), 2);
        // As slow as before, not unrolled, not mapped.
        assert_eq!(chosen(&[(10, 1.0), (20, 2.0)]), 1);
        assert_eq!(chosen(&[(10, 4.0), (10, 4.0)]), 1);
        assert_eq!(chosen(&[(10, 4.0)]), 1);
    }

    #[test]
    fn copies_are_read() {
        assert_eq!("auto".parse(), Ok(Copies::Fastest));
        assert_eq!("hints".parse(), Ok(Copies::Hinted));
        assert_eq!("4".parse::<Copies>().unwrap().told(), NonZeroU32::new(4));
        for wrong in ["0", "-1", "", "four", "4.5"] {
            assert!(wrong.parse::<Copies>().is_err(), "{wrong}");
        }
    }
}
