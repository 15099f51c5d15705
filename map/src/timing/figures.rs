//! The figures of a routed graph: of each loop its interval and its bound, and what they make of a run.

use super::nest::{LoopIndex, Nest};
use super::recurrence::CycleEdge;
use super::routed::{registers, Routed};
use super::{fill, Analysis, Timing};
use crate::model::problem::BoundedLoops;
use crate::slack::levels::{self, TokenPace};
use loom_dfg::graph::Use;

/// Cycles that a run is taken to lose where a loop around another one waits for room, for each cycle of its turn: the inner loop
/// starts that much later.
const BUBBLE: f64 = 4.0;
/// Most turns that an inner activation is taken to make where tokens wait for it: after few, more of them wait at once.
const SHORT: f64 = 4.0;
/// Cycles of a turn that never ends, as far as others wait for it.
const NEVER: f64 = 1e6;

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
    let lost = held_back(routed, nest, &by_loop);
    let expected = nest.cycles(|l| by_loop[l.0].bound() + by_loop[l.0].waits()) + lost;
    (Timing { mii, ii, fill: fill::fill(routed, mii), expected, lost }, by_loop)
}

/// Cycles that a run loses where a loop around another one is held back, for what it makes finds no room until the inner one takes
/// it or ends.
fn held_back(routed: &Routed, nest: &Nest, by_loop: &[LoopTiming]) -> f64 {
    let periods = periods(nest, by_loop);
    let period = |rate: usize| nest.with_rate(rate).map_or(1.0, |l| periods[l.0]);
    let between = |rate: usize| period(rate) as u64;
    let until_exit = |inner: usize, _: usize| {
        nest.with_rate(inner).map_or(0.0, |l| (turns(nest, l) - 1.0) * periods[l.0]) as u64
    };
    let mut longest = periods.clone();
    let pace = TokenPace { between: &between, until_exit: &until_exit };
    for lack in levels::lacks(routed, nest, &pace, false) {
        let rate = nest.rates.value(routed.nets[lack.of.0].value);
        let Some(l) = nest.with_rate(rate) else { continue };
        // A token is made when so many before it are taken.
        longest[l.0] = longest[l.0].max(lack.cycles as f64 / lack.holds.max(1) as f64);
    }
    let mut lost = 0.0;
    for l in nest.loops().filter(|&l| nest.is_outer(l)) {
        let waits = BUBBLE * by_loop[l.0].waits() + longest[l.0] - periods[l.0];
        lost += nest.turns(l) * waits;
    }
    lost
}

fn turns(nest: &Nest, of: LoopIndex) -> f64 {
    nest.each(of).min(SHORT)
}

/// By loop: cycles of a turn with those of the loops inside it.
fn periods(nest: &Nest, by_loop: &[LoopTiming]) -> Vec<f64> {
    let mut inside = vec![0.0f64; by_loop.len()];
    let mut periods = vec![0.0f64; by_loop.len()];
    for l in nest.innermost_first() {
        let LoopTiming { mii, ii, through, .. } = by_loop[l.0];
        // Where a turn waits for the inner loops they come on top; else they run beside it.
        let cycles = if through > mii { through + inside[l.0] } else { ii.max(inside[l.0]) };
        periods[l.0] = cycles.min(NEVER);
        for outer in nest.around(l) {
            inside[outer.0] = inside[outer.0].max(turns(nest, l) * periods[l.0]);
        }
    }
    periods
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
