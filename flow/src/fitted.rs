//! Mappings of one program that are held against each other: on several fabrics, compiled for speed and for room.

use crate::configured::Configured;
use loom_dfg::{Node, OpKind};
use loom_map::timing::nest::LoopSignature;

/// Times the cycles that no placement goes below, from which on a run is one of ways and waits that a larger fabric may not have.
const HELD_UP: f64 = 2.0;

/// A program on a fabric, with what its user keeps of it.
pub trait Fitted {
    /// Each of its functions.
    fn configured(&self) -> &[Configured];
}

impl<T> Fitted for (Configured, T) {
    fn configured(&self) -> &[Configured] {
        std::slice::from_ref(&self.0)
    }
}

/// Whether one is expected to take less than `of_those` of the cycles of the other, as far as that can be said.
pub fn is_faster(one: &impl Fitted, other: &impl Fitted, of_those: f64) -> bool {
    let [one, other] = [one.configured(), other.configured()];
    let loops = |all: &[Configured]| all.iter().map(|c| LoopSignature::new(c.graph())).collect::<Vec<_>>();
    let cycles = |all: &[Configured]| all.iter().map(|c| c.mapped.timing.expected).sum::<f64>();
    cycles(one) < of_those * cycles(other) && loops(one) == loops(other)
}

/// Whether a larger fabric may be much faster: what lies far apart where all is full can be side by side there, queues have more room, and
/// what is divided by a literal is multiplied where there are enough multipliers.
pub fn is_held_up(fitted: &impl Fitted) -> bool {
    use OpKind::{Divsi, Divui, Remsi, Remui};
    let is_slow = |c: &Configured| c.mapped.timing.expected > HELD_UP * c.mapped.least;
    let divides = |c: &Configured| {
        let graph = c.graph();
        let by_literal = |n: &Node| n.operands.get(1).is_some_and(|&v| graph.literal(v).is_some());
        graph.nodes.iter().any(|n| [Divsi, Divui, Remsi, Remui].contains(&n.op.kind()) && by_literal(n))
    };
    fitted.configured().iter().any(|c| is_slow(c) || divides(c))
}
