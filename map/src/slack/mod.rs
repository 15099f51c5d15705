//! Routes a placement and lays out slack: entries of FIFOs where a value waits for another one.
//!
//! Three steps, each of which routes anew: slack that [`crate::slack::levels`] asks for across loop levels; then one unit after
//! the other where [`crate::timing`] finds that a consumer holds a fork back in the slowest cycle; and where that ends far
//! from the bound, as with a memory that takes long, slack for all waits inside the innermost loops at once.

pub mod levels;

use crate::exact::proof::IntervalProof;
use crate::model::place::Place;
use crate::model::problem::Problem;
use crate::model::resources::RouteStart;
use crate::model::units::UnitTiming;
use crate::route::{self, Lookahead, RouteEnd, RouteFailure, RouteRequest, RouteTree};
use crate::timing::figures::{figures, LoopTiming};
use crate::timing::recurrence;
use crate::timing::routed::{self, Routed};
use crate::timing::{Analysis, Timing};
use crate::{place, MapOptions};
use loom_dfg::graph::{Use, ValueDef};
use std::cell::Cell;

/// Rounds of slack for many uses at once: asking for it moves other ways.
const ROUNDS: u32 = 2;
/// Most slack that a use asks for, in units of [`crate::model::hops::SLACK_UNIT`].
const MOST_SLACK: u32 = 8;
/// An interval this many times the bound is far from it.
const FAR: f64 = 1.5;

/// A routed placement.
#[derive(Clone)]
pub struct Solution {
    /// Where everything sits.
    pub place: Place,
    /// What is routed.
    pub nets: Vec<RouteRequest>,
    /// By net: its ways.
    pub trees: Vec<RouteTree>,
    /// Its figures.
    pub timing: Timing,
    /// And those of its loops.
    pub loops: Vec<LoopTiming>,
    /// Placements that were tried.
    pub attempts: u32,
    /// What was proved, by the engine that proves.
    pub proof: Option<IntervalProof>,
}

impl Solution {
    /// Whether a run of it is taken to be the shorter of two.
    pub fn beats(&self, other: &Solution) -> bool {
        let rank = |s: &Solution| (s.timing.expected, s.timing.fill);
        rank(self) < rank(other)
    }

    /// Whether its slowest loop is the faster of two.
    pub fn has_less_interval(&self, other: &Solution) -> bool {
        self.timing.ii < other.timing.ii || self.timing.ii == other.timing.ii && self.beats(other)
    }
}

impl RouteEnd {
    /// Whether it may get more slack.
    fn may_have_more(&self) -> bool {
        self.may_wait && self.slack < MOST_SLACK
    }
}

struct Solver<'a> {
    problem: &'a Problem<'a>,
    place: &'a Place,
    units: &'a [UnitTiming],
    lookahead: &'a Lookahead,
    rounds: u32,
    /// What is left to the router, for all that is done with the placement.
    steps: Cell<u64>,
}

/// Routes a placement. An error is the router's, with what it was to route.
pub fn solve(
    problem: &Problem,
    place: Place,
    lookahead: &Lookahead,
    options: &MapOptions,
) -> Result<Solution, (RouteFailure, Vec<RouteRequest>)> {
    let units: Vec<UnitTiming> =
        place.nodes.iter().enumerate().map(|(n, &at)| problem.timing_at(n, at)).collect();
    let annealed = place::steps(problem, options.steps_per_item);
    let steps = Cell::new(options.routing_per_step.map_or(u64::MAX, |n| annealed.saturating_mul(n)));
    let solver = Solver { problem, place: &place, units: &units, lookahead, rounds: options.rounds, steps };
    // Without any slack first: a placement that cannot even be routed so is given up at once.
    let nets = nets(problem, &place);
    let trees = solver.route(&nets).map_err(|f| (f, nets.clone()))?;
    let first = solver.levels(solver.solution(nets, trees), None);
    let mut best = solver.refine(first, options.slack_steps);
    // Far from the bound single units take too many steps to help; then all waits get slack together, and are refined.
    if best.loops.iter().any(|l| l.ii > FAR * solver.target(l)) {
        let wide = solver.levels(best.clone(), Some(best.timing.mii));
        let wide = solver.refine(wide, options.slack_steps);
        if wide.beats(&best) {
            best = wide;
        }
    }
    Ok(best)
}

/// The same with ways that were found elsewhere, by value that travels; they have no slack.
pub fn routed(problem: &Problem, place: Place, lookahead: &Lookahead, trees: Vec<RouteTree>) -> Solution {
    let units: Vec<UnitTiming> =
        place.nodes.iter().enumerate().map(|(n, &at)| problem.timing_at(n, at)).collect();
    let solver = Solver { problem, place: &place, units: &units, lookahead, rounds: 0, steps: Cell::new(0) };
    solver.solution(nets(problem, &place), trees)
}

impl Solver<'_> {
    fn route(&self, nets: &[RouteRequest]) -> Result<Vec<RouteTree>, RouteFailure> {
        route::route(&self.problem.resources, self.lookahead, nets, self.rounds, &self.steps)
    }

    fn routed<'b>(&'b self, nets: &'b [RouteRequest], trees: &'b [RouteTree]) -> Routed<'b> {
        let Problem { graph, resources, .. } = self.problem;
        Routed { graph, resources, place: self.place, units: self.units, nets, trees }
    }

    fn solution(&self, nets: Vec<RouteRequest>, trees: Vec<RouteTree>) -> Solution {
        let (timing, loops) = figures(&self.routed(&nets, &trees), &self.problem.loops);
        Solution { place: self.place.clone(), nets, trees, timing, loops, attempts: 1, proof: None }
    }

    /// The interval that slack can bring a loop to: its recurrence bound.
    fn target(&self, l: &LoopTiming) -> f64 {
        l.mii.max(self.problem.loops.bound(l.of))
    }

    /// What it loses to waiting for room, by loop, most first.
    fn losses(&self, s: &Solution) -> Vec<LoopTiming> {
        let nest = &self.problem.loops.nest;
        let lost = |l: &LoopTiming| nest.turns(l.of) * (l.ii - self.target(l));
        let mut late: Vec<LoopTiming> =
            s.loops.iter().filter(|l| l.ii > self.target(l) + 1e-6).copied().collect();
        late.sort_by(|a, b| lost(b).total_cmp(&lost(a)));
        late
    }

    /// Slack across loop levels, and inside innermost loops with this interval.
    fn levels(&self, from: Solution, innermost: Option<f64>) -> Solution {
        let (mut nets, mut trees) = (from.nets, from.trees);
        for _ in 0..ROUNDS {
            // New ways have other lengths, so what lacks is asked anew in each round.
            let mut lacking = levels::wanted(&self.routed(&nets, &trees), innermost);
            lacking.retain(|&((n, e), _)| !nets[n].ends[e].critical && nets[n].ends[e].may_have_more());
            if lacking.is_empty() {
                break;
            }
            // All at once: one routing instead of one for each, where there is room for it.
            let mut asked = nets.clone();
            for &((n, e), units) in &lacking {
                asked[n].ends[e].slack = (asked[n].ends[e].slack + units).min(MOST_SLACK);
            }
            if let Ok(routed) = self.route(&asked) {
                (nets, trees) = (asked, routed);
                continue;
            }
            // Not all at once: what can be had, one after the other.
            let mut any = false;
            for &((n, e), units) in &lacking {
                let before = nets[n].ends[e].slack;
                nets[n].ends[e].slack = (before + units).min(MOST_SLACK);
                match self.route(&nets) {
                    Ok(routed) => (trees, any) = (routed, true),
                    Err(_) => nets[n].ends[e].slack = before,
                }
            }
            if !any {
                break;
            }
        }
        self.solution(nets, trees)
    }

    /// One unit of slack after the other where a consumer holds the slowest cycle back; the best on the way.
    fn refine(&self, from: Solution, steps: u32) -> Solution {
        let mut best = from.clone();
        let mut now = from;
        for _ in 0..steps {
            let late = self.losses(&now);
            // The slowest cycle of a loop names its own remedy: uses whose waiting it runs through.
            let routed = self.routed(&now.nets, &now.trees);
            let nest = &self.problem.loops.nest;
            let wanted = late.iter().flat_map(|l| Analysis::new(&routed, nest, l.of).held_back(l.mii));
            let mut wanted = wanted.filter(|&(n, e)| now.nets[n].ends[e].may_have_more());
            let mut nets = now.nets.clone();
            let next = wanted.find_map(|(n, e)| {
                nets[n].ends[e].slack += 1;
                let routed = self.route(&nets).ok();
                if routed.is_none() {
                    nets[n].ends[e].slack -= 1;
                }
                routed
            });
            let Some(trees) = next else { break };
            now = self.solution(nets, trees);
            // One step may make it worse and the next better: it goes on from the last, and keeps the best.
            if now.beats(&best) {
                best = now.clone();
            }
        }
        best
    }
}

/// The values of a placement that are to be routed, none with slack.
pub fn nets(problem: &Problem, place: &Place) -> Vec<RouteRequest> {
    let Problem { graph, resources, .. } = problem;
    let (scc, turns) = (recurrence::recurrences(graph), recurrence::recurrences_of_loops(graph));
    routed::routed_values(graph)
        .into_iter()
        .map(|(value, uses)| {
            let (start, own) = match graph.value(value).def {
                ValueDef::Literal(_) => unreachable!("an immediate does not travel"),
                ValueDef::Argument(a) => (RouteStart::Input(place.arguments[a].expect("it has a use")), None),
                ValueDef::Result { node, result } => {
                    let at = place.nodes[node.0 as usize];
                    let start = match resources.lane(at) {
                        Some(lane) => RouteStart::Channel(lane.answers[result]),
                        None => RouteStart::Pe(at.component),
                    };
                    (start, Some(node.0 as usize))
                }
            };
            let ends = uses
                .into_iter()
                .map(|use_| {
                    let within = |part: &[Option<usize>]| match (own, use_) {
                        (Some(from), Use::Operand { node, .. }) => {
                            part[from].is_some() && part[from] == part[node.0 as usize]
                        }
                        _ => false,
                    };
                    let target = routed::target(resources, place, use_);
                    RouteEnd { use_, target, slack: 0, critical: within(&scc), may_wait: !within(&turns) }
                })
                .collect();
            let width = problem.widths[value.0 as usize];
            RouteRequest { value, width, start, ends }
        })
        .collect()
}
