//! Hops: how one channel leads to the next, through one component that is no unit.
//!
//! A hop says which step of a route it is. Into an `add_tag` the value gets a tag, through a `map_tag` another one, behind a
//! `del_tag` it has none; a temporal switch passes it by the slot with its tag. Spatial switches and FIFOs are the case of one
//! slot and no tag; they pass values with a tag too. Here every tag and slot is 0, which is legal as it stands since a channel
//! carries one value: `map/src/tags.rs` tells values apart once all of them are routed. Types say where a value has a tag, so a
//! way from one unit to another adds and drops as many.
//!
//! Left out: what belongs to the bridge of a memory lane, which has settings of its own.

use super::memory::{self, Lanes};
use crate::mapping::Step;
use loom_adg::{ChannelId, Component, Fabric, SinkPort};

/// A way from one channel to the next.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    /// The next channel.
    pub to: ChannelId,
    /// What lies between.
    pub step: Step,
    /// Registers on the way.
    pub delay: u32,
    /// Entries of a FIFO deeper than a link's, in units of [`SLACK_UNIT`]: it serves as slack.
    pub slack: u32,
}

/// Entries that count as one step of slack.
pub const SLACK_UNIT: usize = 8;

/// FIFOs deeper than this count as slack.
pub const LINK_DEPTH: usize = 2;

/// Slack of a FIFO.
pub fn slack_of(depth: usize) -> u32 {
    if depth > LINK_DEPTH {
        depth.div_ceil(SLACK_UNIT) as u32
    } else {
        0
    }
}

/// The hops of all channels behind each other, as `made` of each: by channel the first one, with one more entry than there are
/// channels, and what was made.
pub fn behind_each_other<T>(hops: &[Vec<Hop>], made: impl Fn(&Hop) -> T) -> (Vec<u32>, Vec<T>) {
    let (mut first, mut all) = (vec![0], Vec::new());
    for hops in hops {
        all.extend(hops.iter().map(&made));
        first.push(all.len() as u32);
    }
    (first, all)
}

/// By channel: where a value in it can go.
pub(super) fn all(fabric: &Fabric, lanes: &Lanes) -> Vec<Vec<Hop>> {
    let bridges = memory::bridges(lanes);
    let channels = fabric.flat().channels.iter();
    let hops = channels.map(|channel| match channel.sink {
        SinkPort::Port(id, input) if !bridges.contains(&id) => behind(fabric, id, input),
        _ => Vec::new(),
    });
    hops.collect()
}

/// The hops through a component from one of its inputs.
fn behind(fabric: &Fabric, component: loom_adg::ComponentId, input: usize) -> Vec<Hop> {
    let outputs = &fabric.flat().at(component).outputs;
    let through =
        |step: Step, delay: u32, slack: u32| outputs[step.ports().1].map(|to| Hop { to, step, delay, slack });
    let wire = |step: Step| through(step, 0, 0);
    match fabric.component(component) {
        Component::SpatialSw(sw) => {
            let passes = |&output: &usize| sw.connectivity[output][input] && sw.passes_whole(input, output);
            let step = |output| wire(Step::Switch { component, input, output });
            (0..sw.outputs.len()).filter(passes).filter_map(step).collect()
        }
        Component::TemporalSw(sw) => {
            let passes = |&output: &usize| sw.connectivity[output][input];
            let step = |output| wire(Step::Slot { component, slot: 0, tag: 0, input, output });
            (0..sw.outputs).filter(passes).filter_map(step).collect()
        }
        // A FIFO is one hop with a register, and one without where tokens can pass it within the cycle.
        Component::Fifo(f) => {
            let stored = f.can_register().then_some((false, 1, slack_of(f.depth)));
            let passed = f.can_pass().then_some((true, 0, 0));
            let hop = |(bypass, delay, slack)| through(Step::Fifo { component, bypass }, delay, slack);
            stored.into_iter().chain(passed).filter_map(hop).collect()
        }
        Component::AddTag(_) => wire(Step::AddTag { component, tag: 0 }).into_iter().collect(),
        Component::MapTag(_) => {
            wire(Step::MapTag { component, entry: 0, from: 0, to: 0 }).into_iter().collect()
        }
        Component::DelTag(_) => wire(Step::DelTag { component }).into_iter().collect(),
        Component::SpatialPe(_) | Component::Memory(_) => Vec::new(),
    }
}
