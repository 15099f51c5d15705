//! What is to be routed, and what it becomes.

use crate::mapping::Step;
use crate::model::resources::{RouteStart, RouteTarget};
use loom_adg::ChannelId;
use loom_dfg::graph::Use;
use loom_dfg::ValueId;
use std::collections::BTreeMap;

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

    pub(super) fn delay(self) -> u64 {
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

/// Price of a channel that nobody else wants; fine enough for the history to grow in fractions of it.
pub(super) const HOP: u64 = 10;
/// Price of a register on the way by urgency: a detour of a channel is worth one that costs nothing, and almost any detour one
/// that costs a cycle in every iteration.
const DELAYS: [u64; 4] = [10, 50, 400, 1200];
/// Parts of a run from which on a way is more urgent.
const PARTS: [f64; 3] = [0.02, 0.1, 0.4];
