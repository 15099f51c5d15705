//! Stall patterns: a pure function of (seed, port, cycle), so that two timed models see the same boundary.

use crate::rng::mix;

/// How often the boundary stalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stalls {
    /// Decides the pattern.
    pub seed: u64,
    /// Cycles in a hundred in which a source offers no new token. 0: always offers.
    pub source_percent: u32,
    /// Cycles in a hundred in which a sink is not ready. 0: always ready.
    pub sink_percent: u32,
}

/// Which boundary port; inputs and outputs are numbered apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundaryPort {
    /// `in<k>` of the fabric top.
    Input(usize),
    /// `out<k>` of the fabric top.
    Output(usize),
}

impl Stalls {
    /// Never stalls.
    pub const NONE: Stalls = Stalls { seed: 0, source_percent: 0, sink_percent: 0 };

    /// Whether `port` stalls in `cycle`. A source that stalls does not start to offer a token; one already
    /// offered stays offered (H2). A sink that stalls holds `ready` low.
    pub fn stalled(&self, port: BoundaryPort, cycle: u64) -> bool {
        let (key, percent) = match port {
            BoundaryPort::Input(k) => (2 * k as u64, self.source_percent),
            BoundaryPort::Output(k) => (2 * k as u64 + 1, self.sink_percent),
        };
        if percent == 0 {
            return false;
        }
        let draw = mix(self.seed ^ mix(key ^ mix(cycle)));
        ((u128::from(draw) * 100) >> 64) < u128::from(percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_is_about_right_and_ports_differ() {
        let s = Stalls { seed: 5, source_percent: 30, sink_percent: 60 };
        let count = |p| (0..10_000).filter(|&c| s.stalled(p, c)).count();
        assert!((2_700..3_300).contains(&count(BoundaryPort::Input(0))));
        assert!((5_700..6_300).contains(&count(BoundaryPort::Output(0))));
        let row = |p| (0..64).map(|c| s.stalled(p, c)).collect::<Vec<_>>();
        assert_ne!(row(BoundaryPort::Input(0)), row(BoundaryPort::Input(1)));
        assert!(!Stalls::NONE.stalled(BoundaryPort::Input(0), 0));
    }
}
