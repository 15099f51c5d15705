//! The figures of a routed graph: of each loop its interval and its bound, and what they make of a run.

use super::nest::LoopIndex;
use super::recurrence::CycleEdge;
use super::routed::{registers, Routed};
use super::{fill, Analysis, Timing};
use crate::model::problem::BoundedLoops;
use crate::slack::levels;
use loom_dfg::graph::Use;

/// Cycles that a run is taken to lose where a loop around another one waits for room, for each cycle of its turn or each token: the inner loop
/// starts that much later.
const BUBBLE: f64 = 4.0;

/// Interval and bound of one loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopTiming {
    /// Which.
    pub of: LoopIndex,
    /// Recurrence bound on this mapping.
    pub mii: f64,
    /// Initiation interval.
    pub ii: f64,
}

/// Of a graph whose loops these are.
pub fn figures(routed: &Routed, loops: &BoundedLoops) -> (Timing, Vec<LoopTiming>) {
    let nest = &loops.nest;
    let by_loop: Vec<LoopTiming> = (nest.loops())
        .map(|of| {
            let analysis = Analysis::new(routed, nest, of);
            LoopTiming { of, mii: analysis.interval(false), ii: analysis.interval(true) }
        })
        .collect();
    let slowest = |of: fn(&LoopTiming) -> f64| by_loop.iter().map(of).fold(1.0, f64::max);
    let (mii, ii) = (slowest(|l| l.mii), slowest(|l| l.ii));
    // A turn that passes through inner loops takes their way in and out too.
    let length = lengths(routed);
    let mut turn: Vec<f64> = by_loop.iter().map(|l| l.ii).collect();
    for (l, turn) in nest.loops().zip(&mut turn) {
        let (cycles, turns) = loops.slowest.turn(l, &length, (1, 1));
        *turn = turn.max(cycles as f64 / turns as f64);
    }
    let delays = |l: &LoopTiming| if nest.is_outer(l.of) { nest.turns(l.of) * (l.ii - l.mii) } else { 0.0 };
    let held = levels::wanted(routed, None).into_iter();
    let held = held.map(|((n, _), _)| nest.activations(routed.nets[n].value));
    let lost = BUBBLE * (by_loop.iter().map(delays).sum::<f64>() + held.sum::<f64>());
    let expected = nest.cycles(|l| turn[l.0]) + lost;
    (Timing { mii, ii, fill: fill::fill(routed, mii), expected, lost }, by_loop)
}

/// What each edge takes up to the results of its consumer.
fn lengths<'r>(routed: &Routed<'r>) -> impl Fn(CycleEdge) -> u64 + 'r {
    let &Routed { graph, units, nets, trees, .. } = routed;
    let mut way: Vec<Vec<u64>> = graph.nodes.iter().map(|n| vec![0; n.operands.len()]).collect();
    for (net, tree) in nets.iter().zip(trees) {
        for (end, &c) in net.ends.iter().zip(&tree.ends) {
            if let Use::Operand { node, operand } = end.use_ {
                way[node.0 as usize][operand] = registers(tree, c);
            }
        }
    }
    move |(node, operand)| u64::from(units[node].stages()) + way[node][operand]
}
