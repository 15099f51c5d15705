//! The channels of a configured fabric in the present cycle, and what components share.

use loom_adg::HwError;

/// Index into the wires. The first three are not channels but ends that lead nowhere.
pub(super) type W = u32;

/// An input nothing drives: never valid.
pub(super) const NEVER: W = 0;
/// An output nothing takes: never ready.
pub(super) const OPEN: W = 1;
/// An output whose tokens are dropped: always ready.
pub(super) const DRAIN: W = 2;
/// First wire that is a channel.
pub(super) const FIRST: W = 3;

/// One channel's signals. `mask` and `tag_mask` are what both ends can carry: data is aligned at the low end, so a
/// write masked by them is the truncation or zero extension of the contract.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wire {
    pub data: u64,
    pub mask: u64,
    pub tag: u32,
    pub tag_mask: u32,
    pub valid: bool,
    pub ready: bool,
}

impl Wire {
    pub fn new(width: u32, tag: u32) -> Wire {
        Wire { mask: loom_base::truncate(u64::MAX, width), tag_mask: (1u32 << tag) - 1, ..Wire::default() }
    }

    pub fn moves(&self) -> bool {
        self.valid && self.ready
    }
}

/// Writes a token (or, when not `valid`, none) to a wire.
#[inline]
pub(super) fn put(wires: &mut [Wire], to: W, valid: bool, data: u64, tag: u32) {
    let w = &mut wires[to as usize];
    w.valid = valid;
    w.data = data & w.mask;
    w.tag = tag & w.tag_mask;
}

/// The first of `count` that asks, from `first` on, round the corner.
#[inline]
pub(super) fn first_from(first: usize, count: usize, asks: impl Fn(usize) -> bool) -> Option<usize> {
    (first..count).chain(0..first).find(|&i| asks(i))
}

/// What a PE's active unit did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Activity {
    pub fires: u64,
    pub first: u64,
    pub last: u64,
}

/// What clock edges write besides the components' own registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    /// Number of the present cycle.
    pub cycle: u64,
    /// Whether a token moved or a register changed at this edge.
    pub changed: bool,
    /// `error_q` by unit.
    pub stopped: Vec<bool>,
    /// The first error: smallest code, then smallest unit, of the first cycle that had any.
    pub error: Option<(HwError, u32)>,
    /// Cycle of that error.
    pub error_cycle: u64,
    /// By active PE.
    pub activity: Vec<Activity>,
}

impl Shared {
    /// Sets a unit's `error_q` at the end of this cycle. A unit may raise again in later cycles: only errors of the
    /// very first cycle count, and of those the smallest code, then the smallest unit.
    pub fn raise(&mut self, error: HwError, unit: u32) {
        self.changed |= !self.stopped[unit as usize];
        self.stopped[unit as usize] = true;
        let new = (error, unit);
        let first = self.error.is_none_or(|old| self.error_cycle == self.cycle && new < old);
        if first {
            self.error = Some(new);
            self.error_cycle = self.cycle;
        }
    }

    pub fn fired(&mut self, pe: u32) {
        let activity = &mut self.activity[pe as usize];
        if activity.fires == 0 {
            activity.first = self.cycle;
        }
        activity.fires += 1;
        activity.last = self.cycle;
        self.changed = true;
    }
}
