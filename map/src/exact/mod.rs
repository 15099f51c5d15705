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
pub mod proof;
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
use crate::MapOptions;
use loom_base::Rng;
use nearest::Nearest;
use proof::{Impossible, IntervalProof, EXACT};
use sat::{Answer, Conflicts};
use turns::{Interval, Turns};
use ways::{Scope, Ways};

/// Placements by the annealer around each that the first model finds.
const TRIES: u32 = 3;

/// Places and routes by clauses, from what annealing finds.
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
        let annealed = Annealing { options: self.options, rival: None }.solve(problem, progress);
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
                (if solution.has_less_interval(&best) { solution } else { best }, fastest)
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
            let weights = place::PlaceWeights { effort: 1 << attempt, counts_passing: attempt % 2 == 1 };
            let place = placer.place(&mut rng.split(), steps, weights, None);
            if let Ok(solution) = slack::solve(self.problem, place, &self.lookahead, self.options) {
                self.offer(solution);
            }
        }
    }
}
