//! Routing by negotiated congestion (PathFinder, McMurchie and Ebeling 1995).
//!
//! A net is one value: from its producer to all its uses, as a tree that branches in switches only. Every channel
//! carries one net. Nets may overlap at first; each round makes overused channels dearer, now and for ever, until no
//! channel is overused. Which PE input an operand takes and which PE output a result leaves by are part of the search:
//! the channels next to a PE are channels like others.
//!
//! A use may ask for *slack*: that many deep FIFOs on its way (see [`crate::timing`]).

mod net;
mod search;

use crate::model::hops::slack_of;
use crate::model::resources::Resources;
use loom_adg::ChannelId;
use net::HOP;
use search::{Scratch, Search};
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub use net::{RouteEnd, RouteRequest, RouteTree, Urgency};
pub use search::Lookahead;

/// Why routing failed.
#[derive(Clone, Debug)]
pub enum RouteFailure {
    /// No way exists for this use, whatever else is routed.
    NoWay(usize, usize),
    /// Channels still overused when the rounds were used up, each with the nets that want it.
    Overused(Vec<(ChannelId, Vec<usize>)>),
    /// The steps were used up.
    Spent,
}

/// Channels that are still overused after so many rounds without hope: of those that were routed in the end, none had a third
/// of it.
const HOPELESS: usize = 64;
const EARLY: u32 = 8;
/// The round from which on nets that share nothing stay where they are.
const KEPT: u32 = 2;
/// What it costs to share a channel when few nets are routed anew among many that are routed.
const MENDING: u64 = 4;

struct Router<'a> {
    search: Search<'a>,
    used: Vec<u32>,
    history: Vec<u64>,
    present: u64,
}

impl Router<'_> {
    /// Brings the price of a channel up to date: what it has cost in earlier rounds times what it costs to share it now.
    fn reprice(&mut self, c: usize) {
        let price = (HOP + self.history[c]) * (1 + u64::from(self.used[c]) * self.present);
        self.search.channels[c].price = price;
    }

    /// Makes it so dear to share channels.
    fn share_at(&mut self, present: u64) {
        self.present = present;
        (0..self.used.len()).for_each(|c| self.reprice(c));
    }

    fn route(
        &mut self,
        scratch: &mut Scratch,
        net: &RouteRequest,
        at: usize,
    ) -> Result<RouteTree, RouteFailure> {
        self.search.begin();
        let mut tree = RouteTree { ends: vec![ChannelId(0); net.ends.len()], ..RouteTree::default() };
        for e in order(net) {
            self.search.reach(scratch, net, e, &mut tree).ok_or_else(|| match self.search.steps.get() {
                0 => RouteFailure::Spent,
                _ => RouteFailure::NoWay(at, e),
            })?;
        }
        Ok(tree)
    }

    fn occupy(&mut self, tree: &RouteTree, add: bool) {
        for c in tree.channels.keys().map(|c| c.0 as usize) {
            self.used[c] = if add { self.used[c] + 1 } else { self.used[c] - 1 };
            self.reprice(c);
        }
    }
}

/// Uses of a net as they are routed: those that need slack come last, so that they can share it; the urgent ones come first.
fn order(net: &RouteRequest) -> Vec<usize> {
    let mut order: Vec<usize> = (0..net.ends.len()).collect();
    order.sort_by_key(|&e| (net.ends[e].slack, Reverse(net.ends[e].urgency), e));
    order
}

/// By use of a net: slack that it has, as a use asks for it.
pub fn slack_passed(resources: &Resources, net: &RouteRequest, tree: &RouteTree) -> Vec<u32> {
    let mut passed = vec![0; net.ends.len()];
    let mut routed = BTreeSet::new();
    for e in order(net) {
        let mut at = tree.ends[e];
        // Up to where it branches off those that were there before it, whose slack counts as far as they asked for it.
        while routed.insert(at) {
            let Some((before, step)) = tree.channels.get(&at).and_then(|c| c.0) else { break };
            passed[e] += resources.depth(step).map_or(0, slack_of);
            at = before;
        }
        passed[e] += tree.channels.get(&at).map_or(0, |c| c.1);
    }
    passed
}

/// The ways of all nets while they are negotiated: what there is of them, and what channels have come to cost.
pub struct Negotiation<'a> {
    router: Router<'a>,
    scratch: Scratch,
    trees: Vec<Option<RouteTree>>,
}

/// What a negotiation had come to.
pub struct Kept {
    used: Vec<u32>,
    history: Vec<u64>,
    trees: Vec<Option<RouteTree>>,
}

impl<'a> Negotiation<'a> {
    /// Nothing is routed yet. `steps` are the channels that may be looked at.
    pub fn new(
        resources: &'a Resources,
        lookahead: &'a Lookahead,
        nets: usize,
        steps: &'a Cell<u64>,
    ) -> Self {
        let channels = resources.hops.len();
        Negotiation {
            router: Router {
                search: Search::new(resources, lookahead, steps),
                used: vec![0; channels],
                history: vec![0; channels],
                present: 0,
            },
            scratch: Scratch::default(),
            trees: vec![None; nets],
        }
    }

    /// Routes all nets; at most `rounds` rounds.
    pub fn route(&mut self, nets: &[RouteRequest], rounds: u32) -> Result<(), RouteFailure> {
        self.router.share_at(0);
        self.rounds(nets, 0..rounds)
    }

    /// Routes what has no way and what shares a channel, at most so many rounds; other nets stay as they are where nobody wants their
    /// channels.
    pub fn mend(&mut self, nets: &[RouteRequest], rounds: u32) -> Result<(), RouteFailure> {
        self.router.share_at(MENDING);
        self.rounds(nets, KEPT..KEPT + rounds)
    }

    fn rounds(&mut self, nets: &[RouteRequest], rounds: Range<u32>) -> Result<(), RouteFailure> {
        let Negotiation { router, scratch, trees } = self;
        for round in rounds {
            for (n, net) in nets.iter().enumerate() {
                if let Some(tree) = trees[n].take() {
                    // Later rounds move only nets that share a channel.
                    if round >= KEPT && tree.channels.keys().all(|c| router.used[c.0 as usize] == 1) {
                        trees[n] = Some(tree);
                        continue;
                    }
                    router.occupy(&tree, false);
                }
                let tree = router.route(scratch, net, n)?;
                router.occupy(&tree, true);
                trees[n] = Some(tree);
            }
            let over: Vec<usize> = (0..router.used.len()).filter(|&c| router.used[c] > 1).collect();
            if over.is_empty() {
                return Ok(());
            }
            if round >= EARLY && over.len() > HOPELESS {
                break;
            }
            for c in over {
                // What was overused once stays dear: nets that have another way learn to take it.
                router.history[c] += HOP * u64::from(router.used[c] - 1);
            }
            // Sharing grows dearer round by round, so that early rounds find what everybody wants and late ones part them.
            router.share_at((router.present * 5 / 4 + 1).min(1000));
        }
        Err(RouteFailure::Overused(self.overused()))
    }

    /// The channels that more than one net takes, each with these.
    pub fn overused(&self) -> Vec<(ChannelId, Vec<usize>)> {
        let mut wanted: BTreeMap<ChannelId, Vec<usize>> = BTreeMap::new();
        for (n, tree) in self.trees.iter().enumerate() {
            let channels = tree.iter().flat_map(|t| t.channels.keys());
            for &c in channels.filter(|c| self.router.used[c.0 as usize] > 1) {
                wanted.entry(c).or_default().push(n);
            }
        }
        wanted.into_iter().collect()
    }

    /// The way of a net, where it has one.
    pub fn tree(&self, net: usize) -> Option<&RouteTree> {
        self.trees[net].as_ref()
    }

    /// Takes the way of a net away.
    pub fn rip_up(&mut self, net: usize) {
        if let Some(tree) = self.trees[net].take() {
            self.router.occupy(&tree, false);
        }
    }

    /// What there is now, to come back to.
    pub fn keep(&self) -> Kept {
        let Router { used, history, .. } = &self.router;
        Kept { used: used.clone(), history: history.clone(), trees: self.trees.clone() }
    }

    /// Comes back to it.
    pub fn restore(&mut self, kept: &Kept) {
        self.router.used.clone_from(&kept.used);
        self.router.history.clone_from(&kept.history);
        self.trees.clone_from(&kept.trees);
        self.router.share_at(self.router.present);
    }

    /// The ways of all nets, each of which was routed.
    pub fn into_trees(self) -> Vec<RouteTree> {
        self.trees.into_iter().map(|t| t.expect("every net was routed")).collect()
    }
}

/// Routes all nets; at most `rounds` rounds, and as far as `steps` go: one for each channel that is looked at.
pub fn route(
    resources: &Resources,
    lookahead: &Lookahead,
    nets: &[RouteRequest],
    rounds: u32,
    steps: &Cell<u64>,
) -> Result<Vec<RouteTree>, RouteFailure> {
    let mut negotiation = Negotiation::new(resources, lookahead, nets.len(), steps);
    negotiation.route(nets, rounds)?;
    Ok(negotiation.into_trees())
}
