//! The figures of a routed graph: of each loop its interval and its bound, and what they make of a run.

use super::dry::{self, Queues};
use super::nest::LoopIndex;
use super::recurrence::CycleEdge;
use super::routed::{registers, Routed};
use super::{fill, Analysis, Timing};
use crate::model::problem::BoundedLoops;
use loom_dfg::graph::Use;
use std::collections::BTreeMap;

/// Times the cycles of a run that one is taken to lose that gets stuck.
const STUCK: f64 = 1e3;

/// Interval and bounds of one loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopTiming {
    /// Which.
    pub of: LoopIndex,
    /// Recurrence bound on this mapping.
    pub mii: f64,
    /// Initiation interval.
    pub ii: f64,
    /// Cycles of its slowest turn that runs through the loops inside it: way in and way out, without their turns.
    pub through: f64,
}

impl LoopTiming {
    /// What no room makes it faster than. A turn through other loops hides what waits meanwhile.
    pub fn bound(&self) -> f64 {
        self.mii.max(self.through)
    }

    /// Cycles that a turn waits for room.
    pub fn waits(&self) -> f64 {
        (self.ii - self.bound()).max(0.0)
    }
}

/// Of a graph whose loops these are.
pub fn figures(routed: &Routed, loops: &BoundedLoops) -> (Timing, Vec<LoopTiming>) {
    let nest = &loops.nest;
    let length = lengths(routed);
    let by_loop: Vec<LoopTiming> = (nest.loops())
        .map(|of| {
            let analysis = Analysis::new(routed, nest, of);
            let (cycles, turns) = loops.slowest.turn(of, &length, (1, 1));
            let through = cycles as f64 / turns as f64;
            LoopTiming { of, mii: analysis.interval(false), ii: analysis.interval(true), through }
        })
        .collect();
    let slowest = |of: fn(&LoopTiming) -> f64| by_loop.iter().map(of).fold(1.0, f64::max);
    let (mii, ii) = (slowest(|l| l.mii), slowest(|l| if l.waits() > 0.0 { l.ii } else { l.mii }));
    let least = nest.cycles(|l| by_loop[l.0].bound());
    let together = nest.cycles(|l| by_loop[l.0].waits());
    let dry = dry_runs(routed, loops);
    let part = dry.map_or(0.0, |[least, now]| now / least - 1.0);
    let at_most = least + together.max(least * part);
    // Data take all sides of the branches again and again, or now and then: one is as likely as the other, unless a profile says how often.
    let expected = dry.map_or(at_most, |[_, now]| {
        let cycles = now * loops.control.scale();
        if routed.graph.profile.is_empty() {
            (at_most + cycles) / 2.0
        } else {
            cycles
        }
    });
    (Timing { mii, ii, fill: fill::fill(routed, mii), expected, at_most }, by_loop)
}

/// Cycles of a dry run with room without end, and with room as it is; none where there is no such run.
fn dry_runs(routed: &Routed, loops: &BoundedLoops) -> Option<[f64; 2]> {
    let cycles = |queues| Some(dry::run(routed, &loops.control, &BTreeMap::new(), queues)?.cycles as f64);
    let least = cycles(Queues::Endless)?;
    // What gets stuck waits for ever.
    Some([least, cycles(Queues::AsTheyAre).unwrap_or(STUCK * least)])
}

/// What each edge takes up to the results of its consumer.
pub fn lengths<'r>(routed: &Routed<'r>) -> impl Fn(CycleEdge) -> u64 + 'r {
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
