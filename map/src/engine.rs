//! What solves a mapping problem, and the one that does so by annealing and negotiation.

use crate::exact::proof::Impossible;
use crate::model::place::Place;
use crate::model::problem::Problem;
use crate::route::{Lookahead, RouteFailure, RouteRequest};
use crate::slack::Solution;
use crate::timing::ENOUGH;
use crate::{channel_name, codes, more_ways, place, slack, MapOptions};
use loom_adg::{ChannelId, Fabric};
use loom_base::{Diagnostic, Rng};
use loom_dfg::{Graph, ValueDef};
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Turns a problem into a solution, or says why there is none that it finds.
///
/// What a problem promises stands at [`Problem`]. A solution keeps: every node on one of its candidates, every argument with
/// uses and every result on one of its ports, no site and no port twice, and for each value with uses a tree of hops from
/// its producer to all of them, wide enough, no channel in two trees. The same problem gives the same solution.
pub trait Engine {
    /// Solves. `progress` is told what is going on and how far it is (0 to 1).
    fn solve(
        &self,
        problem: &Problem,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Result<Solution, Box<Unsolved>>;
}

/// Why no solution was found.
#[derive(Debug)]
pub struct Unsolved {
    /// What the router met last.
    pub failure: RouteFailure,
    /// What it was to route.
    pub nets: Vec<RouteRequest>,
    /// Where the last placement had everything.
    pub place: Place,
    /// Placements tried.
    pub attempts: u32,
    /// What was proved, by the engine that proves: there is no solution at all.
    pub impossible: Option<Impossible>,
}

impl Unsolved {
    /// The same to the user.
    pub fn describe(&self, graph: &Graph, fabric: &Fabric) -> Diagnostic {
        if let Some(why) = &self.impossible {
            return why.describe(graph, fabric);
        }
        let d = Diagnostic::error(
            codes::UNROUTABLE,
            format!(
                "`{}` was placed on `{}` {} times, but never routed",
                graph.name,
                fabric.name(),
                self.attempts
            ),
        );
        match &self.failure {
            RouteFailure::NoWay(n, _) => {
                let value = graph.value(self.nets[*n].value);
                d.note(format!(
                    "as they were placed last, no way leads from `%{}` to one of its uses, whatever else is routed",
                    value.name
                ))
                .help("connect the switches of the fabric, or give its PEs more ports; `--engine exact` looks at every placement of a small graph")
            }
            RouteFailure::Spent => d
                .note("the budget ended while values were routed")
                .help("raise `--budget`, or take a larger mesh"),
            RouteFailure::Overused(channels) => {
                let value = |n: &usize| format!("`%{}`", graph.value(self.nets[*n].value).name);
                let wanted = |(c, nets): &(ChannelId, Vec<usize>)| {
                    let values: Vec<String> = nets.iter().map(value).collect();
                    format!("{} by {}", channel_name(fabric, *c), values.join(" and "))
                };
                let names: Vec<String> = channels.iter().take(8).map(wanted).collect();
                let count = match channels.len() {
                    1 => "1 channel is".to_string(),
                    n => format!("{n} channels are"),
                };
                let d = channels.iter().take(PLACES).flat_map(|c| &c.1).fold(d, |d, &n| {
                    let value = graph.value(self.nets[n].value);
                    let ValueDef::Result { node, .. } = value.def else { return d };
                    let is_new = |span: &Range<usize>| d.labels.iter().all(|l| l.span != *span);
                    let span = graph.node(node).span.clone().filter(is_new);
                    d.at_opt(span, format!("makes `%{}`", value.name))
                });
                d.note(format!("{count} still wanted twice: {}", names.join(", "))).help(more_ways(fabric))
            }
        }
    }
}

/// Channels wanted twice whose values are shown in the source.
const PLACES: usize = 2;
/// Steps of placement, over all attempts at a large graph.
const MOST_STEPS: u64 = 5_000_000;
/// Steps of placement without a better solution after which none is looked for, and the fewest placements that they are.
const PATIENCE_STEPS: u64 = 800_000;
const PATIENCE: u32 = 8;
/// Most weight of links against registers and cycles; of a small graph, which has no way round but a longer one.
const MOST_EFFORT: u64 = 4096;
const MOST_EFFORT_OF_SMALL: u64 = 256;
/// Placements before a graph is given up early; twice as many where one was nearly routed.
pub(crate) const EARLY: u32 = 2;
/// Placements of a large graph before it counts as one that is never routed: in half of them links outweigh all else.
const UNROUTED: u32 = 12;
/// Most channels wanted twice with which a placement is nearly routed, and with which it is worth to try on.
const NEARLY: usize = 32;
const HOPEFUL: usize = 64;

/// Placements after which a netlist is given up whose best mapping takes so many times the cycles of another netlist's, and after
/// which it is where it takes more.
const FEW: u32 = 4;
const MORE: u32 = 8;
const OUTDONE: f64 = 1.25;

/// Places by simulated annealing, routes by negotiated congestion, lays out slack, and does so again until a solution reaches
/// the bound or the budget is used up; the best of them. Of large graphs every second placement starts from the best one so far, or from one
/// that was nearly routed: it costs less, and what it finds is seldom worse.
pub struct Annealing<'o> {
    /// Budgets and seed.
    pub options: &'o MapOptions,
    /// Cycles of the best mapping of the same graph under other covers: where a few placements come nowhere near it, no more are tried.
    pub rival: Option<f64>,
}

/// How many placements are tried where nothing says otherwise.
#[derive(Clone, Copy)]
struct Limits {
    /// In all.
    most: u32,
    /// In vain, one after the other.
    patience: u32,
    /// While none is routed: without one that is nearly routed, and with one.
    unrouted: (u32, u32),
    /// Cycles that another netlist's mapping takes.
    rival: Option<f64>,
}

/// What a search has come to.
struct Search {
    best: Option<Solution>,
    /// Of what was placed and not routed, what came closest to it, with the channels that were wanted twice.
    closest: Option<(usize, Place)>,
    /// What was met last.
    failure: Option<((RouteFailure, Vec<RouteRequest>), Place)>,
    /// Placements tried, and how many of them when the last one was better.
    attempts: u32,
    better: u32,
    /// Weight of links, and whether what passes through tiles counts.
    effort: u64,
    counts_passing: bool,
    is_small: bool,
}

impl Search {
    /// Whether another placement is tried. Where nothing was routed more are tried, as long as there is hope; a small graph's cost little.
    fn goes_on(&self, ahead: u32, limits: Limits, least: f64) -> bool {
        let Limits { most, patience, unrouted, rival } = limits;
        let at_most = self.best.as_ref().map_or(f64::INFINITY, |b| b.timing.at_most);
        let is_outdone = |cycles: f64| match self.attempts + ahead {
            ..FEW => false,
            n => at_most > if n < MORE { OUTDONE * cycles } else { cycles },
        };
        if rival.is_some_and(is_outdone) {
            return false;
        }
        let routes_hardly = || self.closest.as_ref().is_none_or(|(n, _)| *n > HOPEFUL);
        let (in_all, in_vain) = match &self.best {
            None if self.is_small => (unrouted.1, u32::MAX),
            None if routes_hardly() => (unrouted.0, patience),
            None => (unrouted.1, patience),
            Some(b) if b.timing.is_enough(least) => return false,
            Some(_) if self.is_small => (2 * most, 2 * patience),
            Some(_) => (most, patience),
        };
        let attempts = self.attempts + ahead;
        attempts < in_all && attempts - self.better < in_vain
    }

    /// What the placement after so many more depends on, as far as is known now.
    fn next(&self, ahead: u32) -> Attempt {
        let from = match (&self.best, &self.closest) {
            _ if self.is_small || (self.attempts + ahead).is_multiple_of(2) => None,
            (Some(best), _) => Some(&best.place),
            (None, Some((wanted, place))) if *wanted <= NEARLY => Some(place),
            (None, _) => None,
        };
        let weights = place::PlaceWeights { effort: self.effort, counts_passing: self.counts_passing };
        Attempt { weights, from: from.cloned() }
    }

    fn routed(&mut self, solution: Solution) {
        let expected = self.best.as_ref().map_or(f64::INFINITY, |b| b.timing.expected);
        if self.best.as_ref().is_none_or(|b| solution.beats(b)) {
            // What is hardly better is no reason to go on.
            if ENOUGH * solution.timing.expected < expected {
                self.better = self.attempts;
            }
            self.best = Some(solution);
        }
    }

    fn failed(&mut self, why: (RouteFailure, Vec<RouteRequest>), place: Place) {
        if let RouteFailure::Overused(channels) = &why.0 {
            if self.closest.as_ref().is_none_or(|(n, _)| channels.len() < *n) {
                self.closest = Some((channels.len(), place.clone()));
                if self.best.is_none() {
                    self.better = self.attempts;
                }
            }
        }
        self.failure = Some((why, place));
        // Links count for more after each failure; far more would leave no room for anything else.
        let far = !self.is_small && self.closest.as_ref().is_none_or(|(n, _)| *n > NEARLY);
        let most = if self.is_small { MOST_EFFORT_OF_SMALL } else { MOST_EFFORT };
        self.effort = (if far { 4 } else { 2 } * self.effort).min(most);
        // What passes through tiles is not counted until routing failed: it costs registers. Of a small graph every second placement counts it.
        self.counts_passing = !self.is_small || !self.counts_passing;
    }
}

/// What a placement depends on, beside its generator and what the placer knows.
#[derive(PartialEq)]
struct Attempt {
    weights: place::PlaceWeights,
    from: Option<Place>,
}

/// Placements that are being tried, by all searches of this process: only threads that are free try ahead.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// One of them, for as long as it is there.
struct AtWork;

impl AtWork {
    fn begin() -> AtWork {
        AT_WORK.fetch_add(1, Ordering::Relaxed);
        AtWork
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        AT_WORK.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A placement that was tried.
struct Tried<'a> {
    attempt: Attempt,
    /// What the placer knew before ([`place::Placer::known`]).
    knew: (usize, usize),
    placer: place::Placer<'a>,
    place: Place,
    routed: Result<Solution, (RouteFailure, Vec<RouteRequest>)>,
}

impl Annealing<'_> {
    fn try_one<'a>(
        &self,
        problem: &'a Problem<'a>,
        lookahead: &Lookahead,
        mut placer: place::Placer<'a>,
        (mut rng, attempt): (Rng, Attempt),
    ) -> Tried<'a> {
        let _at_work = AtWork::begin();
        let (knew, steps) = (placer.known(), place::steps(problem, self.options.steps_per_item));
        let place = placer.place(&mut rng, steps, attempt.weights, attempt.from.as_ref());
        let routed = slack::solve(problem, place.clone(), lookahead, self.options);
        Tried { attempt, knew, placer, place, routed }
    }

    /// Tries several placements at once, each on a thread.
    fn try_all<'a>(
        &self,
        problem: &'a Problem<'a>,
        lookahead: &Lookahead,
        placer: place::Placer<'a>,
        mut attempts: Vec<(Rng, Attempt)>,
    ) -> VecDeque<Tried<'a>> {
        let first = attempts.remove(0);
        std::thread::scope(|scope| {
            let try_one = |placer, attempt| self.try_one(problem, lookahead, placer, attempt);
            let others = attempts.into_iter().map(|attempt| {
                let placer = placer.clone();
                scope.spawn(move || try_one(placer, attempt))
            });
            let others: Vec<_> = others.collect();
            let first = try_one(placer.clone(), first);
            let others = others.into_iter().map(|other| other.join().unwrap_or_else(|e| resume_unwind(e)));
            std::iter::once(first).chain(others).collect()
        })
    }
}

impl Engine for Annealing<'_> {
    fn solve(
        &self,
        problem: &Problem,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Result<Solution, Box<Unsolved>> {
        let options = self.options;
        let lookahead = Lookahead::new(&problem.resources);
        let mut placer = place::Placer::new(problem);
        let mut rng = Rng::new(options.seed);
        let steps = place::steps(problem, options.steps_per_item);
        let most = options.attempts.min((MOST_STEPS / steps.max(1)).max(4) as u32);
        let patience = PATIENCE.max((PATIENCE_STEPS / steps.max(1)) as u32);
        let mut search = Search {
            best: None,
            closest: None,
            failure: None,
            attempts: 0,
            better: 0,
            effort: 1,
            counts_passing: false,
            is_small: place::is_small(problem),
        };
        let unrouted = match options.gives_up_early {
            true => (EARLY.min(most), 2 * EARLY.min(most)),
            false => (most.max(UNROUTED.min(options.attempts)), 4 * most),
        };
        let limits = Limits { most, patience, unrouted, rival: self.rival };
        let mut ahead = 0;
        let mut ready: VecDeque<Tried> = VecDeque::new();
        while search.goes_on(0, limits, problem.loops.least) {
            progress("placing and routing", f64::from(search.attempts.min(most)) / f64::from(most));
            // Each attempt has a generator of its own: what one draws does not move the next.
            let (own, attempt) = (rng.split(), search.next(0));
            // What was tried ahead counts where nothing came between that it depends on: any number of threads gives the same.
            let known = placer.known();
            let tried = ready.pop_front().filter(|t| t.attempt == attempt && t.knew == known);
            let tried = tried.unwrap_or_else(|| {
                let mut rng = rng.clone();
                let wanted = (1..=ahead).take_while(|&k| search.goes_on(k, limits, problem.loops.least));
                let wanted = wanted.map(|k| (rng.split(), search.next(k)));
                let attempts = std::iter::once((own, attempt)).chain(wanted).collect();
                ready = self.try_all(problem, &lookahead, placer.clone(), attempts);
                ready.pop_front().expect("the first of them")
            });
            search.attempts += 1;
            // After a failure weights are others, and after a lesson costs.
            let is_calm = tried.routed.is_ok() && tried.placer.known() == known;
            let free = options.thread_count().saturating_sub(AT_WORK.load(Ordering::Relaxed));
            ahead = if is_calm { free.saturating_sub(1) as u32 } else { 0 };
            placer = tried.placer;
            match tried.routed {
                Err(why) => {
                    match &why.0 {
                        // What is small has no way around what is crowded.
                        RouteFailure::Overused(all) if all.len() <= NEARLY && !search.is_small => {
                            placer.avoid(all)
                        }
                        _ => {}
                    }
                    search.failed(why, tried.place)
                }
                Ok(solution) => search.routed(solution),
            }
        }
        let attempts = search.attempts;
        match search.best {
            Some(solution) => Ok(Solution { attempts, ..solution }),
            None => {
                let ((failure, nets), place) = search.failure.expect("at least one attempt was made");
                Err(Box::new(Unsolved { failure, nets, place, attempts, impossible: None }))
            }
        }
    }
}
