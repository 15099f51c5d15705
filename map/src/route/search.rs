//! One search: the cheapest way from the tree of a net to one of its uses, by what it has cost and what is left at least (A*).
//!
//! Guarantees: of ways that cost the same always the same one. Most of the time of routing is spent here, so what is read for each hop
//! lies together: hops of a channel behind each other in eight bytes each, what a channel costs in one line of the cache.

use super::net::{RouteRequest, RouteTree, Urgency, HOP};
use crate::model::hops::{behind_each_other, Hop};
use crate::model::resources::{Resources, RouteTarget};
use loom_adg::ChannelId;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How one channel leads to another.
#[derive(Clone, Copy)]
struct Way {
    to: u32,
    /// Registers.
    delay: u16,
    slack: u16,
}

/// The hops of a fabric as a search reads them, and what is left to a use from each channel, at the lowest prices: the search goes
/// towards the use first, and finds the same ways. Kept from one call to the next.
pub struct Lookahead {
    /// By channel: its first way; one more than there are channels.
    first: Vec<u32>,
    ways: Vec<Way>,
    /// By channel: what leads to it, with the registers between.
    back: Vec<Vec<(u32, u32)>>,
    known: Mutex<Known>,
}

/// By target, and what registers cost: what is left from each channel.
type Known = BTreeMap<(RouteTarget, Urgency), Arc<[u32]>>;

/// No way leads there.
const NEVER: u32 = u32::MAX;

impl Lookahead {
    /// Nothing known yet.
    pub fn new(resources: &Resources) -> Lookahead {
        let (first, ways) = behind_each_other(&resources.hops, |hop| {
            let slack = u16::try_from(hop.slack).unwrap_or(u16::MAX);
            Way { to: hop.to.0, delay: hop.delay as u16, slack }
        });
        let mut back = vec![Vec::new(); resources.hops.len()];
        for (c, hops) in resources.hops.iter().enumerate() {
            for hop in hops {
                back[hop.to.0 as usize].push((c as u32, hop.delay));
            }
        }
        Lookahead { first, ways, back, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // What is there is right whoever stopped short.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// By channel: the least that it costs from there to the target.
    fn to(&self, resources: &Resources, target: RouteTarget, urgency: Urgency) -> Arc<[u32]> {
        if let Some(known) = self.known().get(&(target, urgency)) {
            return known.clone();
        }
        // Dijkstra backwards over all hops, at the price of an empty fabric: never more than a real way costs.
        let (hop, delay) = (HOP as u32, urgency.delay() as u32);
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
                let total = cost + hop + delay * registers;
                if total < least[before as usize] {
                    least[before as usize] = total;
                    heap.push(Reverse((total, before)));
                }
            }
        }
        let least: Arc<[u32]> = least.into();
        self.known().insert((target, urgency), least.clone());
        least
    }

    /// The hop that a way is, out of a channel.
    fn hop<'r>(&self, resources: &'r Resources, from: ChannelId, way: u32) -> &'r Hop {
        let from = from.0 as usize;
        &resources.hops[from][(way - self.first[from]) as usize]
    }
}

/// What is read of a channel for each hop to it.
#[derive(Clone, Copy)]
pub(super) struct Channel {
    /// Of taking it, beside its delay.
    pub price: u64,
    pub width: u32,
    /// The last tree that it was in.
    pub tree: u32,
}

/// A channel with the slack passed before it, as far as the use asks for it: a FIFO too many does no harm.
#[derive(Clone, Copy, PartialEq, Eq)]
struct At {
    channel: u32,
    layer: u32,
}

/// What is known of the way to a channel and layer.
#[derive(Clone, Copy)]
struct Reached {
    cost: u64,
    /// The search that wrote this.
    search: u32,
    /// Where it comes from, and by which way; [`START`] where the search began.
    before: At,
    by: u32,
}

const START: u32 = u32::MAX;

/// Most slack that is told apart, as much as [`Open`] has bits for.
const MOST_SLACK: u32 = (1 << 16) - 1;

/// What is to be looked at: the cheapest in all first, of these what has cost least so far, then by channel and slack. In one number, from
/// the highest bit on: the cost in all (56 bits), the complement of what is left of it (32), the channel (24), the slack (16).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Open(u128);

impl Open {
    fn new(cost: u64, left: u32, at: At) -> Open {
        let total = u128::from(cost + u64::from(left));
        debug_assert!(total < 1 << 56 && at.channel < 1 << 24);
        Open(total << 72 | u128::from(!left) << 40 | u128::from(at.channel) << 16 | u128::from(at.layer))
    }

    /// What the way to there costs.
    fn cost(self) -> u64 {
        (self.0 >> 72) as u64 - u64::from(self.left())
    }

    fn left(self) -> u32 {
        !((self.0 >> 40) as u32)
    }

    fn at(self) -> At {
        At { channel: (self.0 >> 16) as u32 & 0xff_ffff, layer: self.0 as u32 & 0xffff }
    }
}

/// What one search writes, kept from one to the next: what an older search wrote does not count.
#[derive(Default)]
pub(super) struct Scratch {
    /// The search that is going on.
    now: u32,
    /// Slack that is told apart in it.
    layers: usize,
    reached: Vec<Reached>,
    open: BinaryHeap<Reverse<Open>>,
}

impl Scratch {
    fn start(&mut self, channels: usize, layers: usize) {
        self.now += 1;
        self.layers = layers;
        let none = Reached { cost: 0, search: 0, before: At { channel: 0, layer: 0 }, by: START };
        if self.reached.len() < channels * layers {
            self.reached.resize(channels * layers, none);
        }
        self.open.clear();
    }

    fn state(&self, at: At) -> usize {
        at.channel as usize * self.layers + at.layer as usize
    }

    fn best(&self, at: At) -> u64 {
        let reached = &self.reached[self.state(at)];
        if reached.search == self.now {
            reached.cost
        } else {
            u64::MAX
        }
    }

    /// Notes a way, which is to be looked at.
    fn write(&mut self, at: At, (cost, left): (u64, u32), (before, by): (At, u32)) {
        let state = self.state(at);
        self.reached[state] = Reached { cost, search: self.now, before, by };
        self.open.push(Reverse(Open::new(cost, left, at)));
    }

    /// Where a way comes from, and by which of all ways; none where the search began.
    fn before(&self, at: At) -> Option<(At, u32)> {
        let reached = &self.reached[self.state(at)];
        (reached.by != START).then_some((reached.before, reached.by))
    }

    /// Whether the way to a state passes a channel.
    fn passes(&self, to: At, by: u32) -> bool {
        let way = std::iter::successors(Some(to), |&at| self.before(at).map(|b| b.0));
        way.into_iter().any(|at| at.channel == by)
    }
}

/// What all searches read.
pub(super) struct Search<'a> {
    resources: &'a Resources,
    lookahead: &'a Lookahead,
    /// Channels that are still looked at.
    pub steps: &'a Cell<u64>,
    pub channels: Vec<Channel>,
    /// The tree that is being grown.
    tree: u32,
}

impl<'a> Search<'a> {
    pub fn new(resources: &'a Resources, lookahead: &'a Lookahead, steps: &'a Cell<u64>) -> Search<'a> {
        let channel = |&width: &u32| Channel { price: HOP, width, tree: 0 };
        let channels = resources.width.iter().map(channel).collect();
        Search { resources, lookahead, steps, channels, tree: 0 }
    }

    /// Begins another tree.
    pub fn begin(&mut self) {
        self.tree += 1;
    }

    fn is_in_tree(&self, c: u32) -> bool {
        self.channels[c as usize].tree == self.tree
    }

    /// Grows a tree to one use by the cheapest way. None where there is no way, or no step is left.
    pub fn reach(
        &mut self,
        scratch: &mut Scratch,
        net: &RouteRequest,
        e: usize,
        tree: &mut RouteTree,
    ) -> Option<()> {
        let goal = self.cheapest(scratch, net, e, tree)?;
        let (mut way, mut at) = (Vec::new(), goal);
        while let Some((before, by)) = scratch.before(at) {
            way.push((ChannelId(at.channel), ChannelId(before.channel), by));
            at = before;
            if self.is_in_tree(before.channel) {
                break;
            }
        }
        // A way of no hops starts and ends in one channel.
        let root = ChannelId(at.channel);
        if tree.source.is_none() {
            tree.source = Some(root);
            tree.channels.insert(root, (None, 0));
            self.channels[root.0 as usize].tree = self.tree;
        }
        for &(c, before, by) in way.iter().rev() {
            let hop = self.lookahead.hop(self.resources, before, by);
            let passed = tree.channels[&before].1 + hop.slack;
            // A use that comes later waits longer: what lies before a branch to this one holds no more for it.
            tree.channels.insert(c, (Some((before, hop.step)), passed.min(net.ends[e].slack)));
            self.channels[c.0 as usize].tree = self.tree;
        }
        tree.ends[e] = ChannelId(goal.channel);
        Some(())
    }

    /// The cheapest way from the whole tree of a net to one use: its end, from which `scratch` knows the way back.
    fn cheapest(&self, scratch: &mut Scratch, net: &RouteRequest, e: usize, tree: &RouteTree) -> Option<At> {
        let end = &net.ends[e];
        let (cap, delay) = (end.slack.min(MOST_SLACK), end.urgency.delay());
        let left = self.lookahead.to(self.resources, end.target, end.urgency);
        scratch.start(self.channels.len(), cap as usize + 1);
        let mut begin = |cost: u64, ChannelId(channel): ChannelId, layer: u32| {
            let (at, left) = (At { channel, layer }, left[channel as usize]);
            if left != NEVER {
                scratch.write(at, (cost, left), (at, START));
            }
        };
        // The first use of a net chooses the output it leaves by, the others branch off its tree.
        if tree.source.is_none() {
            for c in self.resources.starts(net.start) {
                let channel = &self.channels[c.0 as usize];
                if channel.width >= net.width {
                    begin(channel.price, c, 0);
                }
            }
        }
        for (&c, &(_, passed)) in &tree.channels {
            // FIFOs passed before the branch count: uses of one net share their slack.
            begin(0, c, passed.min(cap));
        }
        loop {
            self.steps.set(self.steps.get().checked_sub(1)?);
            let Reverse(open) = scratch.open.pop()?;
            let (cost, from) = (open.cost(), open.at());
            // An older, dearer entry for the same state.
            if cost > scratch.best(from) {
                continue;
            }
            // A channel of the tree that ends there is another use's: each operand has an input of its own.
            if open.left() == 0 && from.layer == cap && !self.is_in_tree(from.channel) {
                return Some(from);
            }
            let first = &self.lookahead.first[from.channel as usize..];
            for by in first[0]..first[1] {
                let way = self.lookahead.ways[by as usize];
                let (channel, left) = (&self.channels[way.to as usize], left[way.to as usize]);
                if left == NEVER || channel.tree == self.tree || channel.width < net.width {
                    continue;
                }
                // Slack beyond what is asked for is not told apart: fewer states.
                let to = At { channel: way.to, layer: (from.layer + u32::from(way.slack)).min(cap) };
                // No way passes one channel twice, also not with less slack before.
                let passed_with = |layer| scratch.best(At { layer, ..to }) != u64::MAX;
                if (0..to.layer).any(passed_with) && scratch.passes(from, to.channel) {
                    continue;
                }
                let total = cost + channel.price + delay * u64::from(way.delay);
                if total < scratch.best(to) {
                    scratch.write(to, (total, left), (from, by));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{At, Open};

    /// The cheapest in all, then what has cost least so far, then by channel and slack; and what goes in comes out.
    #[test]
    fn what_is_open_is_in_order() {
        let all = [
            (10, 5, 9, 9),
            (8, 8, 9, 0),
            (9, 7, 7, 3),
            (9, 7, 7, 4),
            (9, 7, 8, 0),
            (0, u32::MAX - 1, 0, 0),
            (u64::from(u32::MAX), 0, (1 << 24) - 1, u32::from(u16::MAX)),
        ];
        let opens = all.map(|(cost, left, channel, layer)| Open::new(cost, left, At { channel, layer }));
        assert!(opens.is_sorted());
        let again = opens.map(|o| (o.cost(), o.left(), o.at().channel, o.at().layer));
        assert_eq!(again, all);
    }
}
