//! The engine that proves: the shortest interval that any mapping has, or that there is none.
//!
//! It begins with what annealing finds, so it is never worse, and asks for something better until there is nothing, in two
//! models of clauses. The first (`nearest.rs`) places nodes and takes between two sites the fewest registers that lead from one
//! to the other; what it refutes no mapping has. Its placements are given to the annealer, which moves what lies on no
//! recurrence, and to the router. Where that leaves a gap, the second (`ways.rs`) places and routes at once.
//!
//! Guarantees: what it says is proved holds for the problem as engines are given it ([`Problem`]): accesses of a
//! program's own memories, and all where an interface has fewer regions than lanes, keep the lanes that they have there. The same
//! problem, seed and budget give the same solution and proof. The budget is in conflicts of the solver; where it ends, what
//! was proved until then is said. The interval is that of recurrences and shared units ([`crate::Timing::mii`]): what
//! FIFOs that are too short add to it is not looked for, only never less than that.

mod alike;
mod nearest;
mod places;
mod sat;
mod turns;
mod ways;

use crate::engine::{Annealing, Engine, Unsolved};
use crate::model::problem::Problem;
use crate::model::site::Site;
use crate::place;
use crate::route::Lookahead;
use crate::slack::{self, Solution};
use crate::timing::routed;
use crate::{channel_name, codes, MapOptions};
use loom_adg::{ChannelId, Fabric};
use loom_base::{Diagnostic, Rng};
use loom_dfg::{Graph, ValueId};
use nearest::Nearest;
use sat::{Answer, Conflicts};
use std::fmt;
use turns::{Interval, Turns};
use ways::{Scope, Ways};

/// What was proved of a problem that has a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalProof {
    /// No mapping has a shorter interval, whatever its slack.
    pub lower_bound: f64,
    /// The shortest recurrence bound of a mapping that was found.
    pub best_mii: f64,
    /// The recurrence bound that annealing had reached before.
    pub annealed_mii: Option<f64>,
    /// The interval that annealing had reached before.
    pub annealed_ii: Option<f64>,
    /// Conflicts that it took.
    pub conflicts: u64,
}

impl IntervalProof {
    /// Whether nothing has a shorter recurrence bound than what was found.
    pub fn is_optimal(&self) -> bool {
        self.best_mii <= self.lower_bound + EXACT
    }
}

impl fmt::Display for IntervalProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let IntervalProof { lower_bound, best_mii, conflicts, .. } = self;
        match self.is_optimal() {
            true => write!(f, "proved: no mapping has an MII below {best_mii:.2} ({conflicts} conflicts)"),
            false => write!(
                f,
                "not proved: the best MII is from {lower_bound:.2} to {best_mii:.2}; the budget of {conflicts} conflicts is used up"
            ),
        }
    }
}

/// Intervals closer than this are the same: they are fractions of small numbers.
const EXACT: f64 = 1e-6;

/// Why no mapping exists: each of these values arrives only where another of them, or itself twice, takes one of these channels.
#[derive(Clone, Debug, Default)]
pub struct Impossible {
    /// The values.
    pub values: Vec<ValueId>,
    /// The channels that they would have to share.
    pub channels: Vec<ChannelId>,
}

impl Impossible {
    /// The same to the user.
    pub fn describe(&self, graph: &Graph, fabric: &Fabric) -> Diagnostic {
        let (name, on) = (&graph.name, fabric.name());
        let message = format!("`{name}` has no mapping on `{on}`: this is proved");
        let values: Vec<String> =
            self.values.iter().map(|&v| format!("`%{}`", graph.value(v).name)).collect();
        let channels: Vec<String> = self.channels.iter().map(|&c| channel_name(fabric, c)).collect();
        let d = Diagnostic::error(codes::NO_MAPPING, message);
        if values.is_empty() {
            return d
                .note("the budget ended before it was known which values and channels are at fault")
                .help("raise `--budget`, or take a larger mesh");
        }
        if channels.is_empty() {
            return d
                .note(format!("no way leads to all uses of {}, wherever their ops are", values.join(", ")))
                .help("connect the switches of the fabric, or give its PEs more ports");
        }
        d.note(format!(
            "wherever the ops are, {} cannot all arrive with one value on each of these channels: {}",
            values.join(", "),
            shown(&channels)
        ))
        .help("give the tiles one more channel per link (`channels`), or take a larger mesh")
    }
}

/// The first of a list.
fn shown(list: &[String]) -> String {
    const MOST: usize = 8;
    let first = list.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    match list.len() {
        0..=MOST => first,
        n => format!("{first} and {} more", n - MOST),
    }
}

/// Placements by the annealer around each that the first model finds.
const TRIES: u32 = 3;

/// PlaceLiterals and routes by clauses, from what annealing finds.
pub struct Exact<'o> {
    /// Budgets and seed.
    pub options: &'o MapOptions,
}

impl Engine for Exact<'_> {
    fn solve(
        &self,
        problem: &Problem,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Result<Solution, Box<Unsolved>> {
        let annealed = Annealing { options: self.options }.solve(problem, progress);
        let turns = Turns::new(problem);
        let budget = Conflicts::new(self.options.conflicts);
        let lookahead = Lookahead::new(&problem.resources);
        let mut search =
            Search { options: self.options, problem, turns: &turns, lookahead, budget, best: None };
        let annealed_timing = annealed.as_ref().ok().map(|s| s.timing);
        progress("proving", 0.0);
        match annealed {
            Ok(solution) => search.offer(solution),
            Err(unsolved) => search.any(unsolved)?,
        }
        let lower = search.close(progress);
        let (best, fastest) = search.best.expect("there is one by now");
        let proof = IntervalProof {
            lower_bound: lower.value().max(problem.bound),
            best_mii: fastest.value(),
            annealed_mii: annealed_timing.map(|t| t.mii),
            annealed_ii: annealed_timing.map(|t| t.ii),
            conflicts: self.options.conflicts - search.budget.left(),
        };
        Ok(Solution { proof: Some(proof), ..best })
    }
}

struct Search<'a> {
    options: &'a MapOptions,
    problem: &'a Problem<'a>,
    turns: &'a Turns,
    lookahead: Lookahead,
    budget: Conflicts,
    /// The best solution, and the shortest recurrence bound of any.
    best: Option<(Solution, Interval)>,
}

impl Search<'_> {
    /// Takes a solution where it is better than what was known.
    fn offer(&mut self, solution: Solution) {
        let end_of = |e: usize| {
            let turn = self.turns.list[e];
            let net = solution.nets.iter().position(|n| n.value == turn.value).expect("what turns travels");
            let ends = &solution.nets[net].ends;
            let end = ends.iter().position(|end| turn.is(end.use_)).expect("a use of it");
            routed::registers(&solution.trees[net], solution.trees[net].ends[end])
        };
        let own = self.turns.interval(self.problem, &solution.place.nodes, &end_of);
        debug_assert!((own.value() - solution.timing.mii).abs() < 0.01, "{own:?}: {:?}", solution.timing);
        self.best = Some(match self.best.take() {
            None => (solution, own),
            Some((best, fastest)) => {
                let fastest = if own.is_below(fastest) { own } else { fastest };
                (if solution.beats(&best) { solution } else { best }, fastest)
            }
        });
    }

    /// Looks for any solution where annealing found none, or proves that there is none.
    fn any(&mut self, unsolved: Box<Unsolved>) -> Result<(), Box<Unsolved>> {
        match Ways::new(self.problem, self.turns, &self.budget, Scope::All).below(None) {
            Ok(found) => self.take(found),
            Err(Answer::Unknown) => return Err(unsolved),
            // Once more with grounds, which make it slower. Where the budget ends before, none of them is known to be at fault.
            Err(_) => {
                let mut ways = Ways::new(self.problem, self.turns, &self.budget, Scope::Explained);
                let refuted = matches!(ways.below(None), Err(Answer::No));
                let (values, channels) = if refuted { ways.why() } else { Default::default() };
                let impossible = Some(Impossible { values, channels });
                return Err(Box::new(Unsolved { impossible, ..*unsolved }));
            }
        }
        Ok(())
    }

    /// Offers a mapping of the second model, and what the router makes of its placement.
    fn take(&mut self, found: ways::Found) {
        if let Ok(solution) = slack::solve(self.problem, found.place.clone(), &self.lookahead, self.options) {
            self.offer(solution);
        }
        self.offer(slack::routed(self.problem, found.place, &self.lookahead, found.trees));
    }

    fn fastest(&self) -> Interval {
        self.best.as_ref().expect("there is one by now").1
    }

    /// Goes on until the best is proved or the budget ends; no mapping is below what it gives.
    fn close(&mut self, progress: &mut dyn FnMut(&str, f64)) -> Interval {
        let mut lower = Interval { cycles: 1, tokens: 1 };
        let reached = |fastest: Interval, bound: f64| fastest.value() <= bound + EXACT;
        if reached(self.fastest(), self.problem.bound) {
            return lower;
        }
        let mut nearest = Nearest::new(self.problem, self.turns, &self.budget);
        let mut target = self.fastest();
        loop {
            match nearest.below(target) {
                Ok((sites, own)) => {
                    self.around(&sites);
                    target = own;
                }
                Err(Answer::No) => {
                    lower = target;
                    break;
                }
                Err(_) => break,
            }
        }
        drop(nearest);
        progress("proving", 0.3);
        lower = self.refute(Scope::Turning, lower);
        progress("proving", 0.6);
        self.refute(Scope::All, lower)
    }

    /// Asks for mappings below what was found, with the routes of these values, until there is none; no mapping is below what it
    /// gives.
    fn refute(&mut self, scope: Scope, lower: Interval) -> Interval {
        let mut target = self.fastest();
        if !lower.is_below(target) || target.value() <= self.problem.bound + EXACT {
            return lower;
        }
        let mut ways = Ways::new(self.problem, self.turns, &self.budget, scope);
        loop {
            match ways.below(Some(target)) {
                Ok(found) if scope == Scope::All => self.take(found),
                Ok(found) => {
                    self.around(&found.place.nodes);
                    // Where the router does not follow, its placements cannot show how far one could go.
                    if self.fastest() == target {
                        return lower;
                    }
                }
                Err(Answer::No) => return target,
                Err(_) => return lower,
            }
            target = self.fastest();
            if !lower.is_below(target) {
                return lower;
            }
        }
    }

    /// Offers what annealing and the router make of the nodes on recurrences at these sites.
    fn around(&mut self, sites: &[Site]) {
        let turns = self.turns;
        let turning = |n: usize| turns.list.iter().any(|t| t.from == n);
        let fixed = self.problem.starting_at(sites, &turning);
        let mut placer = place::Placer::new(&fixed);
        let steps = place::steps(&fixed, self.options.steps_per_item);
        let mut rng = Rng::new(self.options.seed);
        for attempt in 0..TRIES {
            let place = placer.place(&mut rng.split(), steps, 1 << attempt, attempt % 2 == 1);
            if let Ok(solution) = slack::solve(self.problem, place, &self.lookahead, self.options) {
                self.offer(solution);
            }
        }
    }
}
