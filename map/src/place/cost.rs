//! What a placement costs: connections and the cycles they lie on.

/// Cost of a register on any connection.
pub(super) const WIRE: u64 = 1;
/// The same inside a recurrence, beside what its cycles cost.
pub(super) const WIRE_IN_CYCLE: u64 = 4;
/// Cost of a connection without a way.
pub(super) const IMPOSSIBLE: u64 = 1_000_000;
/// Cost of a second node in the slots of one unit, which fires once a cycle; it grows with the square.
pub(super) const SHARED_UNIT: u64 = 1500;
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
    pub cycles: Vec<usize>,
}

/// A cycle of the graph, as long as it is now.
#[derive(Clone)]
pub(super) struct CycleState {
    /// Latencies of its ops, and registers between them.
    length: u64,
    /// Turns of its loop that it spans.
    pub tokens: u64,
    /// [`UNIT`] over the bound on its loop, in cycles a turn.
    unit: u64,
    /// Cost of it at that bound, in fixed point.
    weight: u64,
    /// At this length.
    cost: u64,
}

impl CycleState {
    /// A cycle of this length, with the other fields.
    pub fn new(length: u64, tokens: u64, unit: u64, weight: u64) -> CycleState {
        let mut state = CycleState { length: 0, tokens, unit, weight, cost: 0 };
        state.set_length(length);
        state
    }

    /// Latencies of its ops, and registers between them.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Makes it as long as that.
    pub fn set_length(&mut self, length: u64) {
        self.length = length;
        self.cost = self.cost_of_length();
    }

    /// What it costs now.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// Steep, so that the slowest cycle outweighs all others; not so steep that no other one may be longer for a while.
    fn cost_of_length(&self) -> u64 {
        let product = self.length * self.unit;
        // Most cycles span one iteration, and a division takes longer than all the rest.
        let ratio = if self.tokens == 1 { product } else { product / self.tokens }.min(16 * UNIT);
        self.weight * ratio.pow(4) / UNIT.pow(5) + self.length
    }
}
