//! Routing by negotiated congestion (PathFinder, McMurchie and Ebeling 1995).
//!
//! A net is one value: from its producer to all its uses, as a tree that branches in switches only. Every channel
//! carries one net. Nets may overlap at first; each round makes overused channels dearer, now and for ever, until no
//! channel is overused. Which PE input an operand takes and which PE output a result leaves by are part of the search:
//! the channels next to a PE are channels like others.
//!
//! A use may ask for *slack*: that many deep FIFOs on its way (see [`crate::timing`]).

use crate::mapping::Step;
use crate::model::hops::slack_of;
use crate::model::resources::{Resources, RouteStart, RouteTarget};
use loom_adg::ChannelId;
use loom_dfg::graph::Use;
use loom_dfg::ValueId;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One use of a net.
#[derive(Clone, Debug)]
pub struct RouteEnd {
    /// The use.
    pub use_: Use,
    /// Where it is.
    pub target: RouteTarget,
    /// Entries beyond those of links to pass, in units of [`crate::model::hops::SLACK_UNIT`].
    pub slack: u32,
    /// Whether it lies on a recurrence: a register on the way may cost cycles in every iteration of some loop.
    pub critical: bool,
    /// What a register on the way costs.
    pub urgency: Urgency,
    /// Whether the way may be longer for room: not where both ends lie on a recurrence within one loop.
    pub may_wait: bool,
}

/// What a register on a way costs a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Urgency(u8);

impl Urgency {
    /// Of the part of a run that is longer by as much as the way is.
    pub fn of(part: f64) -> Urgency {
        Urgency(PARTS.iter().filter(|&&p| part >= p).count() as u8)
    }

    fn delay(self) -> u64 {
        DELAYS[usize::from(self.0)]
    }
}

/// A value to route.
#[derive(Clone, Debug)]
pub struct RouteRequest {
    /// The value.
    pub value: ValueId,
    /// Its bits; narrower channels are not taken.
    pub width: u32,
    /// Its producer.
    pub start: RouteStart,
    /// Its uses.
    pub ends: Vec<RouteEnd>,
}

/// A routed value.
#[derive(Clone, Debug, Default)]
pub struct RouteTree {
    /// Channels of the tree: where each comes from (none for the first) and how many deep FIFOs before it hold what
    /// later uses wait for.
    pub channels: BTreeMap<ChannelId, (Option<(ChannelId, Step)>, u32)>,
    /// The first channel.
    pub source: Option<ChannelId>,
    /// The channel each use is reached by.
    pub ends: Vec<ChannelId>,
}

impl RouteTree {
    /// By channel: those that follow it. The tree is kept from its ends to its source; this is the other way.
    pub fn children(&self) -> BTreeMap<ChannelId, Vec<ChannelId>> {
        let mut children: BTreeMap<ChannelId, Vec<ChannelId>> = BTreeMap::new();
        for (&c, &(from, _)) in &self.channels {
            if let Some((before, _)) = from {
                children.entry(before).or_default().push(c);
            }
        }
        children
    }
}

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

/// Price of a channel that nobody else wants; fine enough for the history to grow in fractions of it.
const HOP: u64 = 10;
/// Price of a register on the way by urgency: a detour of a channel is worth one that costs nothing, and almost any detour one
/// that costs a cycle in every iteration.
const DELAYS: [u64; 4] = [10, 50, 400, 1200];
/// Parts of a run from which on a way is more urgent.
const PARTS: [f64; 3] = [0.02, 0.1, 0.4];

/// Channels that are still overused after so many rounds without hope: of those that were routed in the end, none had a third
/// of it.
const HOPELESS: usize = 64;
const EARLY: u32 = 8;
/// The round from which on nets that share nothing stay where they are.
const KEPT: u32 = 2;
/// What it costs to share a channel when few nets are routed anew among many that are routed.
const MENDING: u64 = 4;

/// What is left to a use from each channel, at the lowest prices: the search goes towards the use first, and finds the
/// same ways (A*). Kept from one call to the next.
pub struct Lookahead {
    /// By channel: what leads to it, with the registers between.
    back: Vec<Vec<(u32, u32)>>,
    known: Mutex<Known>,
}

/// By target, and what registers cost: what is left from each channel.
type Known = BTreeMap<(RouteTarget, Urgency), Arc<[u64]>>;

/// No way leads there.
const NEVER: u64 = u64::MAX;

impl Lookahead {
    /// Nothing known yet.
    pub fn new(resources: &Resources) -> Lookahead {
        let mut back = vec![Vec::new(); resources.hops.len()];
        for (c, hops) in resources.hops.iter().enumerate() {
            for hop in hops {
                back[hop.to.0 as usize].push((c as u32, hop.delay));
            }
        }
        Lookahead { back, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // What is there is right whoever stopped short.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// By channel: the least that it costs from there to the target.
    fn to(&self, resources: &Resources, target: RouteTarget, urgency: Urgency) -> Arc<[u64]> {
        if let Some(known) = self.known().get(&(target, urgency)) {
            return known.clone();
        }
        // Dijkstra backwards over all hops, at the price of an empty fabric: never more than a real way costs.
        let delay = urgency.delay();
        let mut least = vec![NEVER; self.back.len()];
        let mut heap = BinaryHeap::new();
        for (c, least) in least.iter_mut().enumerate() {
            if resources.ends_at(ChannelId(c as u32), target) {
                *least = 0;
                heap.push(Reverse((0, c as u32)));
            }
        }
        while let Some(Reverse((cost, c))) = heap.pop() {
            // Found again at a lower price since it was put there.
            if cost > least[c as usize] {
                continue;
            }
            for &(before, registers) in &self.back[c as usize] {
                let total = cost + HOP + delay * u64::from(registers);
                if total < least[before as usize] {
                    least[before as usize] = total;
                    heap.push(Reverse((total, before)));
                }
            }
        }
        let least: Arc<[u64]> = least.into();
        self.known().insert((target, urgency), least.clone());
        least
    }
}

/// The state that a way comes from, and what leads on from there.
type Before = (ChannelId, u32, Step);

/// What one search writes, kept from one to the next: what an older search wrote does not count.
#[derive(Default)]
struct Scratch {
    /// The search that is going on.
    now: u32,
    /// By state: the search that wrote it, the price of the way to there, and where that comes from.
    states: Vec<(u32, u64, Option<Before>)>,
    /// The tree that is being grown, and by channel the last tree that it was in.
    tree: u32,
    in_tree: Vec<u32>,
}

impl Scratch {
    fn start(&mut self, states: usize) {
        self.now += 1;
        if self.states.len() < states {
            self.states.resize(states, (0, u64::MAX, None));
        }
    }

    fn best(&self, state: usize) -> u64 {
        let (written, cost, _) = self.states[state];
        if written == self.now {
            cost
        } else {
            u64::MAX
        }
    }

    fn write(&mut self, state: usize, cost: u64, from: Option<Before>) {
        self.states[state] = (self.now, cost, from);
    }

    /// Whether the way to a state passes a channel.
    fn passes(&self, state: &dyn Fn(ChannelId, u32) -> usize, to: (ChannelId, u32), by: ChannelId) -> bool {
        let mut at = Some(to);
        while let Some((c, layer)) = at {
            if c == by {
                return true;
            }
            at = self.states[state(c, layer)].2.map(|(before, l, _)| (before, l));
        }
        false
    }

    fn is_in_tree(&self, c: ChannelId) -> bool {
        self.in_tree[c.0 as usize] == self.tree
    }
}

struct Router<'a> {
    resources: &'a Resources,
    lookahead: &'a Lookahead,
    /// Channels that are still looked at.
    steps: &'a Cell<u64>,
    used: Vec<u32>,
    history: Vec<u64>,
    present: u64,
}

impl Router<'_> {
    /// Price of taking a channel, beside its delay: what it has cost in earlier rounds times what it costs to share it now.
    fn price(&self, c: ChannelId) -> u64 {
        let c = c.0 as usize;
        (HOP + self.history[c]) * (1 + u64::from(self.used[c]) * self.present)
    }

    fn route(&self, scratch: &mut Scratch, net: &RouteRequest, at: usize) -> Result<RouteTree, RouteFailure> {
        scratch.tree += 1;
        let mut tree = RouteTree { ends: vec![ChannelId(0); net.ends.len()], ..RouteTree::default() };
        for e in order(net) {
            self.reach(scratch, net, e, &mut tree).ok_or_else(|| match self.steps.get() {
                0 => RouteFailure::Spent,
                _ => RouteFailure::NoWay(at, e),
            })?;
        }
        Ok(tree)
    }

    /// Cheapest way from the whole tree to one use, over (channel, deep FIFOs passed).
    fn reach(&self, scratch: &mut Scratch, net: &RouteRequest, e: usize, tree: &mut RouteTree) -> Option<()> {
        let end = &net.ends[e];
        // A state is a channel with the slack passed so far, as far as the use asks for it: a FIFO too many does no harm.
        let layers = end.slack as usize + 1;
        let cap = end.slack;
        let delay = end.urgency.delay();
        let state = |c: ChannelId, layer: u32| c.0 as usize * layers + layer as usize;
        let left = self.lookahead.to(self.resources, end.target, end.urgency);
        scratch.start(self.resources.hops.len() * layers);
        // By what the way to there costs and what is left at least.
        let mut heap = BinaryHeap::new();
        let push = |heap: &mut BinaryHeap<_>, cost: u64, c: ChannelId, layer: u32| {
            let left = left[c.0 as usize];
            if left != NEVER {
                heap.push(Reverse((cost + left, cost, c, layer)));
            }
        };
        // The first use of a net chooses the output it leaves by, the others branch off its tree.
        if tree.source.is_none() {
            let wide = |c: &ChannelId| self.resources.width[c.0 as usize] >= net.width;
            for c in self.resources.starts(net.start).into_iter().filter(wide) {
                let cost = self.price(c);
                scratch.write(state(c, 0), cost, None);
                push(&mut heap, cost, c, 0);
            }
        }
        for (&c, &(_, passed)) in &tree.channels {
            // FIFOs passed before the branch count: uses of one net share their slack.
            let layer = passed.min(cap);
            scratch.write(state(c, layer), 0, None);
            push(&mut heap, 0, c, layer);
        }
        let goal = loop {
            self.steps.set(self.steps.get().checked_sub(1)?);
            let Reverse((_, cost, c, layer)) = heap.pop()?;
            // An older, dearer entry for the same state.
            if cost > scratch.best(state(c, layer)) {
                continue;
            }
            // A channel of the tree that ends there is another use's: each operand has an input of its own.
            if layer == cap && !scratch.is_in_tree(c) && self.resources.ends_at(c, end.target) {
                break (c, layer);
            }
            for hop in &self.resources.hops[c.0 as usize] {
                if scratch.is_in_tree(hop.to) || self.resources.width[hop.to.0 as usize] < net.width {
                    continue;
                }
                // Slack beyond what is asked for is not told apart: fewer states.
                let next = (layer + hop.slack).min(cap);
                // No way passes one channel twice, also not with less slack before.
                let passed_with = |l| scratch.best(state(hop.to, l)) != u64::MAX;
                if (0..next).any(passed_with) && scratch.passes(&state, (c, layer), hop.to) {
                    continue;
                }
                let total = cost + self.price(hop.to) + delay * u64::from(hop.delay);
                if total < scratch.best(state(hop.to, next)) {
                    scratch.write(state(hop.to, next), total, Some((c, layer, hop.step)));
                    push(&mut heap, total, hop.to, next);
                }
            }
        };
        let mut way = Vec::new();
        let (mut c, mut layer) = goal;
        while let Some((before, l, step)) = scratch.states[state(c, layer)].2 {
            way.push((c, before, step));
            if scratch.is_in_tree(before) {
                break;
            }
            (c, layer) = (before, l);
        }
        // A way of no hops starts and ends in one channel.
        let root = way.last().map_or(goal.0, |w| w.1);
        if tree.source.is_none() {
            tree.source = Some(root);
            tree.channels.insert(root, (None, 0));
            scratch.in_tree[root.0 as usize] = scratch.tree;
        }
        for &(c, before, step) in way.iter().rev() {
            let passed = tree.channels[&before].1;
            let hops = &self.resources.hops[before.0 as usize];
            let slack = hops.iter().find(|h| h.to == c && h.step == step).map_or(0, |h| h.slack);
            // A use that comes later waits longer: what lies before a branch to this one holds no more for it.
            tree.channels.insert(c, (Some((before, step)), (passed + slack).min(end.slack)));
            scratch.in_tree[c.0 as usize] = scratch.tree;
        }
        tree.ends[e] = goal.0;
        Some(())
    }

    fn occupy(&mut self, tree: &RouteTree, add: bool) {
        for c in tree.channels.keys() {
            let used = &mut self.used[c.0 as usize];
            *used = if add { *used + 1 } else { *used - 1 };
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
                resources,
                lookahead,
                steps,
                used: vec![0; channels],
                history: vec![0; channels],
                present: 0,
            },
            scratch: Scratch { in_tree: vec![0; channels], ..Scratch::default() },
            trees: vec![None; nets],
        }
    }

    /// Routes all nets; at most `rounds` rounds.
    pub fn route(&mut self, nets: &[RouteRequest], rounds: u32) -> Result<(), RouteFailure> {
        self.router.present = 0;
        self.rounds(nets, 0..rounds)
    }

    /// Routes what has no way and what shares a channel, at most so many rounds; other nets stay as they are where nobody wants their
    /// channels.
    pub fn mend(&mut self, nets: &[RouteRequest], rounds: u32) -> Result<(), RouteFailure> {
        self.router.present = MENDING;
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
            router.present = (router.present * 5 / 4 + 1).min(1000);
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
