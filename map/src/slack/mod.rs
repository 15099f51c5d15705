//! Routes a placement and lays out slack: entries of FIFOs where a value waits for another one.
//!
//! Two steps, each of which routes anew: loop by loop, the least slack with which it runs at its recurrence bound (`matching.rs`), or
//! as near to it as there is room for; then slack for what a dry run still waits for (`waits.rs`), and the first once more from there.

mod matching;
mod mend;
pub mod requests;
mod waits;

use crate::exact::proof::IntervalProof;
use crate::model::place::Place;
use crate::model::problem::Problem;
use crate::model::units::UnitTiming;
use crate::route::{self, Lookahead, Negotiation, RouteEnd, RouteFailure, RouteRequest, RouteTree};
use crate::timing::figures::{figures, lengths, LoopTiming};
use crate::timing::routed::{Routed, UseId};
use crate::timing::{Analysis, Timing};
use crate::{place, MapOptions};
use mend::Mending;
use requests::{requests, set_urgencies, urgent_requests};
use std::cell::Cell;
use std::iter::successors;

/// Times that ways are asked for anew, by what the last ones said.
const SHARPENINGS: u32 = 3;
/// Rounds of slack for what a dry run waits for.
const ROUNDS: u32 = 4;
/// Rounds of slack for all that lacks: new ways have other lengths.
const MATCHINGS: u32 = 4;
/// What a loop is brought to: its bound, and parts of the way from there to what it has.
const PARTS: [f64; 6] = [0.0, 0.03125, 0.0625, 0.125, 0.25, 0.5];
/// And from where, at most: cycles above its bound.
const MOST_ABOVE: f64 = 256.0;
/// What a unit on a turn of an outer loop costs against others: it lengthens the turn.
const CRITICAL_PRICE: f64 = 4.0;
/// Most slack that a use asks for, in units of [`crate::model::hops::SLACK_UNIT`].
const MOST_SLACK: u32 = 8;
/// Channels that the router looks at for slack, for each annealing step of the placement: what finds room mostly does so with a
/// tenth of them, and what does not takes a few times as long as the placement.
const SLACK_EFFORT: u64 = 2;

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
    mut place: Place,
    lookahead: &Lookahead,
    options: &MapOptions,
) -> Result<Solution, (RouteFailure, Vec<RouteRequest>)> {
    let annealed = place::steps(problem, options.steps_per_item);
    let steps = Cell::new(options.routing_per_step.map_or(u64::MAX, |n| annealed.saturating_mul(n)));
    // Without any slack first: a placement that cannot even be routed so is given up at once, unless a few moves mend it. Of a small graph
    // another placement costs as little, and is the better one.
    let mut nets = urgent_requests(problem, &place);
    let mut ways = Negotiation::new(&problem.resources, lookahead, nets.len(), &steps);
    if let Err(failure) = ways.route(&nets, options.rounds) {
        let mended = match &failure {
            RouteFailure::Overused(over) if !place::is_small(problem) => {
                Mending::new(problem, place, nets.clone(), ways).mended(over)
            }
            _ => None,
        };
        (place, nets, ways) = mended.ok_or((failure, nets))?;
    }
    let mut trees = ways.into_trees();
    steps.set(steps.get().min(SLACK_EFFORT * annealed));
    let units: Vec<UnitTiming> =
        place.nodes.iter().enumerate().map(|(n, &at)| problem.timing_at(n, at)).collect();
    let solver = Solver { problem, place: &place, units: &units, lookahead, rounds: options.rounds, steps };
    (nets, trees) = solver.sharpened(nets, trees);
    let best = solver.matched(solver.solution(nets, trees));
    solver.steps.set(SLACK_EFFORT * annealed);
    Ok(match solver.waited(&best) {
        Some(better) => solver.matched(better),
        None => best,
    })
}

/// The same with ways that were found elsewhere, by value that travels; they have no slack.
pub fn routed(problem: &Problem, place: Place, lookahead: &Lookahead, trees: Vec<RouteTree>) -> Solution {
    let units: Vec<UnitTiming> =
        place.nodes.iter().enumerate().map(|(n, &at)| problem.timing_at(n, at)).collect();
    let solver = Solver { problem, place: &place, units: &units, lookahead, rounds: 0, steps: Cell::new(0) };
    solver.solution(requests(problem, &place), trees)
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

    /// Routes anew, as urgently as the ways that were found say, and keeps the ways with the shortest turns.
    fn sharpened(
        &self,
        mut nets: Vec<RouteRequest>,
        mut trees: Vec<RouteTree>,
    ) -> (Vec<RouteRequest>, Vec<RouteTree>) {
        let mut least = self.turns(&nets, &trees);
        let (mut asked, mut found) = (nets.clone(), trees.clone());
        for _ in 0..SHARPENINGS {
            // The uses are those of any of these nets.
            let is_more = set_urgencies(self.problem, &mut asked, &lengths(&self.routed(&nets, &found)));
            let Some(routed) = is_more.then(|| self.route(&asked).ok()).flatten() else { break };
            found = routed;
            let cycles = self.turns(&asked, &found);
            if cycles < least {
                (least, nets, trees) = (cycles, asked.clone(), found.clone());
            }
        }
        (nets, trees)
    }

    /// Cycles of a run that waits for no room.
    fn turns(&self, nets: &[RouteRequest], trees: &[RouteTree]) -> f64 {
        let loops = &self.problem.loops;
        let routed = self.routed(nets, trees);
        let length = lengths(&routed);
        loops.nest.cycles(|l| {
            let (cycles, turns) = loops.turn(l, &length);
            cycles as f64 / turns as f64
        })
    }

    /// The interval that slack can bring a loop to.
    fn target(&self, l: &LoopTiming) -> f64 {
        l.bound().max(self.problem.loops.bound(l.of))
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

    /// The same with slack for what its dry run waits for, where that makes it faster.
    fn waited(&self, from: &Solution) -> Option<Solution> {
        let mut best: Option<Solution> = None;
        for _ in 0..ROUNDS {
            // New ways have other lengths, so what lacks is asked anew.
            let now = best.as_ref().unwrap_or(from);
            let may = |(n, e): UseId| now.nets[n].ends[e].may_have_more();
            let wanted = waits::wanted(&self.routed(&now.nets, &now.trees), &self.problem.loops, &may);
            // What is asked for first matters most: where there is no room for all of it, for the first half of it.
            let halves = successors(Some(wanted.len()), |n| Some(n / 2)).take_while(|&n| n > 0);
            let mut granted = halves.filter_map(|n| self.granted(now, &wanted[..n]));
            let Some(better) = granted.find(|granted| granted.beats(now)) else { break };
            best = Some(better);
        }
        best
    }

    /// Routes anew with a unit of slack more for each of these uses.
    fn granted(&self, from: &Solution, more: &[Vec<UseId>]) -> Option<Solution> {
        let mut asked = from.nets.clone();
        for &(n, e) in more.iter().flatten() {
            let slack = &mut asked[n].ends[e].slack;
            *slack = (*slack + 1).min(MOST_SLACK);
        }
        let trees = self.route(&asked).ok()?;
        Some(self.solution(asked, trees))
    }

    /// The slack with which each loop runs at its recurrence bound, or as near to it as there is room for; the best on the way.
    fn matched(&self, from: Solution) -> Solution {
        let mut best = from.clone();
        let mut now = from;
        for _ in 0..MATCHINGS {
            let mut granted = false;
            for l in self.losses(&now) {
                // More slack for one loop may have been enough for another one.
                let late = now.loops[l.of.0];
                let Some(next) = self.nearest(&now, &late) else { continue };
                (now, granted) = (next, true);
                if now.beats(&best) {
                    best = now.clone();
                }
            }
            if !granted {
                break;
            }
        }
        best
    }

    /// The same with slack that brings a loop as near to its bound as there is room for.
    fn nearest(&self, now: &Solution, l: &LoopTiming) -> Option<Solution> {
        let target = self.target(l);
        let routed = self.routed(&now.nets, &now.trees);
        let analysis = Analysis::new(&routed, &self.problem.loops.nest, l.of);
        let passed = now.nets.iter().zip(&now.trees);
        let passed: Vec<Vec<u32>> =
            passed.map(|(net, tree)| route::slack_passed(&self.problem.resources, net, tree)).collect();
        let offer = |(n, e): UseId| {
            let end = &now.nets[n].ends[e];
            let most = MOST_SLACK.checked_sub(passed[n][e]).filter(|&most| most > 0 && end.may_wait)?;
            Some((if end.critical { CRITICAL_PRICE } else { 1.0 }, most))
        };
        // What stands still has an interval without end.
        let above = (l.ii - target).min(MOST_ABOVE);
        let mut before = Vec::new();
        PARTS.iter().map(|part| target + part * above).find_map(|interval| {
            // What had no room has none when it is asked for again.
            let wanted = matching::wanted(&analysis, interval, &offer, &self.steps)
                .filter(|wanted| *wanted != before)?;
            before.clone_from(&wanted);
            let mut asked = now.nets.clone();
            for &((n, e), units) in &wanted {
                asked[n].ends[e].slack = passed[n][e] + units;
            }
            let trees = self.route(&asked).ok()?;
            Some(self.solution(asked, trees))
        })
    }
}
