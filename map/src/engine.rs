//! What solves a mapping problem, and the one that does so by annealing and negotiation.

use crate::exact::proof::Impossible;
use crate::model::place::Place;
use crate::model::problem::Problem;
use crate::route::{Lookahead, RouteFailure, RouteRequest};
use crate::slack::Solution;
use crate::{channel_name, codes, place, slack, MapOptions};
use loom_adg::{ChannelId, Fabric};
use loom_base::{Diagnostic, Rng};
use loom_dfg::Graph;

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
                    "no way leads from `%{}` to one of its uses, whatever else is routed",
                    value.name
                ))
                .help("connect the switches of the fabric, or give its PEs more ports")
            }
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
                d.note(format!("{count} still wanted twice: {}", names.join(", ")))
                    .help("give the tiles one more channel per link (`channels`), or take a larger mesh")
            }
        }
    }
}

/// Steps of placement, over all attempts at a large graph.
const MOST_STEPS: u64 = 5_000_000;
/// Times the bound that an interval is far from it.
const FAR: f64 = 1.5;
/// Steps of placement without a better solution after which none is looked for, and the fewest placements that they are.
const PATIENCE_STEPS: u64 = 800_000;
const PATIENCE: u32 = 8;
/// Most weight of links against registers and cycles.
const MOST_EFFORT: u64 = 256;

/// Places by simulated annealing, routes by negotiated congestion, lays out slack, and does so again from another start
/// until a solution reaches the bound or the budget is used up; the best of them.
pub struct Annealing<'o> {
    /// Budgets and seed.
    pub options: &'o MapOptions,
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
        let mut best: Option<Solution> = None;
        let mut failure = None;
        let (mut attempts, mut better) = (0, 0);
        let (mut effort, mut counts_passing) = (1, false);
        let steps = place::steps(problem, options.steps_per_item);
        let most = options.attempts.min((MOST_STEPS / steps.max(1)).max(4) as u32);
        let patience = PATIENCE.max((PATIENCE_STEPS / steps.max(1)) as u32);
        // Where nothing was routed yet, or far from the bound only, some more placements are tried: so many in all, and so many
        // without a better one.
        let tried = |best: &Option<Solution>| match best {
            None => (4 * most, u32::MAX),
            Some(b) if b.timing.ii > FAR * problem.bound => (4 * most, 2 * patience),
            Some(_) => (most, patience),
        };
        loop {
            let (in_all, in_vain) = tried(&best);
            if attempts >= in_all || attempts - better >= in_vain {
                break;
            }
            progress("placing and routing", f64::from(attempts.min(most)) / f64::from(most));
            attempts += 1;
            // Each attempt has a generator of its own: what one draws does not move the next.
            let mut own = rng.split();
            let place = placer.place(&mut own, steps, effort, counts_passing);
            match slack::solve(problem, place.clone(), &lookahead, options) {
                Err(e) => {
                    failure = Some((e, place));
                    // Links count for more after each failure; far more would leave no room for anything else.
                    effort = (2 * effort).min(MOST_EFFORT);
                    counts_passing = !counts_passing;
                }
                Ok(solution) => {
                    if best.as_ref().is_none_or(|b| solution.beats(b)) {
                        best = Some(solution);
                        better = attempts;
                    }
                }
            }
            let done = |b: &Solution| b.lacking == 0 && b.timing.ii <= problem.bound + 1e-6;
            if best.as_ref().is_some_and(done) {
                break;
            }
        }
        match best {
            Some(solution) => Ok(Solution { attempts, ..solution }),
            None => {
                let ((failure, nets), place) = failure.expect("at least one attempt was made");
                Err(Box::new(Unsolved { failure, nets, place, attempts, impossible: None }))
            }
        }
    }
}
