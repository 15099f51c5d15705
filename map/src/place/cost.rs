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
/// Cost of a cycle that is as slow as the bound says it must be; it grows with the sixth power.
const CYCLE: u64 = 50;

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
    pub length: u64,
    /// Iterations it spans.
    pub tokens: u64,
    /// [`UNIT`] over the bound on all cycles, in cycles an iteration.
    pub unit: u64,
    /// Whether it costs only once in an activation of an inner loop.
    pub outer: bool,
}

impl CycleState {
    /// Steep, so that the slowest cycle outweighs all others.
    pub fn cost(&self) -> u64 {
        let ratio = (self.length * self.unit / self.tokens).min(16 * UNIT);
        let square = ratio * ratio;
        let cost =
            CYCLE * (square * square * square / (UNIT * UNIT * UNIT * UNIT * UNIT)) / UNIT + self.length;
        if self.outer {
            cost / 8
        } else {
            cost
        }
    }
}
