//! What a placement costs: connections and the cycles they lie on.

use crate::model::problem::BoundedLoops;
use crate::timing::nest::LoopIndex;

/// Cost of a register on any connection.
pub(super) const WIRE: u64 = 1;
/// The same inside a recurrence, beside what its cycles cost.
pub(super) const WIRE_IN_CYCLE: u64 = 4;
/// Cost of a connection without a way.
pub(super) const IMPOSSIBLE: u64 = 1_000_000;
/// One, in fixed point.
pub(super) const UNIT: u64 = 64;
/// Cost of a cycle that is as slow as the bound of its loop says it must be, where all of a run is spent in that loop; it grows with the fourth
/// power.
pub(super) const CYCLE: u64 = 75;

/// A connection between two items; items are nodes, arguments, results, in this order.
#[derive(Clone)]
pub(super) struct Wire {
    /// The producer's item.
    pub from: usize,
    /// The consumer's item.
    pub to: usize,
    /// Cost of a register on it.
    pub weight: u64,
    /// The cycles it lies on.
    pub cycles: Vec<u32>,
}

/// A cycle of the graph, as long as it is now.
#[derive(Clone, Copy)]
pub(super) struct CycleState {
    /// Latencies of its ops, and registers between them.
    pub length: u32,
    /// Its class in [`Costs`].
    pub class: u32,
}

/// What the cost of a cycle depends on beside its length.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct CycleClass {
    /// Turns of its loop that it spans.
    pub tokens: u64,
    /// [`UNIT`] over the bound on its loop, in cycles a turn.
    pub unit: u64,
    /// Cost of it at that bound, in fixed point.
    pub weight: u64,
}

impl CycleClass {
    /// That of cycles of a loop that span so many turns.
    pub fn new(loops: &BoundedLoops, of: LoopIndex, tokens: u64) -> CycleClass {
        let unit = (UNIT as f64 / loops.bound(of)) as u64;
        let weight = ((CYCLE * UNIT) as f64 * loops.share(of)) as u64;
        CycleClass { tokens, unit, weight: weight.max(1) }
    }

    /// Steep, so that the slowest cycle outweighs all others; not so steep that no other one may be longer for a while.
    pub fn cost(self, length: u32) -> u64 {
        let length = u64::from(length);
        let ratio = (length * self.unit / self.tokens).min(16 * UNIT);
        self.weight * ratio.pow(4) / UNIT.pow(5) + length
    }
}

/// Lengths whose costs are listed.
const LISTED: u32 = 1024;

/// Costs of cycles by class and length: a move changes the lengths of hundreds.
#[derive(Default)]
pub(super) struct Costs {
    classes: Vec<CycleClass>,
    /// By class, [`LISTED`] each.
    table: Vec<u64>,
}

impl Costs {
    /// A cycle of such a length.
    pub fn cycle(&mut self, class: CycleClass, length: u32) -> CycleState {
        let known = self.classes.iter().position(|&c| c == class);
        let class = known.unwrap_or_else(|| {
            self.classes.push(class);
            self.table.extend((0..LISTED).map(|length| class.cost(length)));
            self.classes.len() - 1
        });
        CycleState { length, class: class as u32 }
    }

    /// What a cycle costs now.
    pub fn of(&self, CycleState { length, class }: CycleState) -> u64 {
        match length < LISTED {
            true => self.table[(class * LISTED + length) as usize],
            false => self.classes[class as usize].cost(length),
        }
    }
}
