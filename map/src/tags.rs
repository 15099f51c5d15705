//! The tags and slots of routed values: told apart wherever tags and slots suffice.
//!
//! Guarantees: of routes in which no channel carries two values, legal ones, with the same ways. A value keeps its tag from where
//! it gets it to where it loses it or gets another; the tag fits every channel between. In a temporal switch, values have tags and
//! slots of their own: a token that came where it should not be would miss every slot (error 257) instead of going on as another's.
//! Where tags or slots do not suffice, some values have one together, which a temporal switch takes as well: a slot has a route for
//! each input, and an input belongs to one value. At worst all have tag 0 and slot 0.

use crate::mapping::{Route, Step};
use loom_adg::{ChannelId, Component, ComponentId, Fabric, SinkPort};
use std::collections::{BTreeMap, BTreeSet};

/// A value from where it gets a tag to where it loses it.
struct Stretch {
    /// The fewest bits that tags have on the way.
    bits: u32,
    /// Temporal switches on the way.
    switches: BTreeSet<ComponentId>,
}

/// What gives, takes or asks for a tag: step of a route, with the stretch before it and the one behind.
type Place = ((usize, usize), Option<usize>, Option<usize>);

/// Sets tags and slots of all routes.
pub(crate) fn tell_apart(fabric: &Fabric, routes: &mut [Route]) {
    let (mut stretches, mut places) = (Vec::new(), Vec::new());
    for (r, route) in routes.iter().enumerate() {
        walk(fabric, r, route, &mut stretches, &mut places);
    }
    // Where it cannot be done one after the other, all stays as it was routed.
    let Some(tags) = own_tags(fabric, &stretches) else { return };
    for ((r, s), before, behind) in places {
        let tag = |stretch: Option<usize>| stretch.map_or(0, |at| tags[at].0);
        let slot_of = |id: ComponentId| before.map_or(0, |at| tags[at].1[&id]);
        match &mut routes[r].steps[s] {
            Step::AddTag { tag: own, .. } => *own = tag(behind),
            Step::MapTag { from, to, .. } => (*from, *to) = (tag(before), tag(behind)),
            Step::Slot { component, slot, tag: own, .. } => {
                (*slot, *own) = (slot_of(*component), tag(before));
            }
            Step::Switch { .. } | Step::Fifo { .. } | Step::DelTag { .. } => {}
        }
    }
    routes.iter_mut().for_each(|route| route.steps.sort());
}

/// Follows a route from its source.
fn walk(fabric: &Fabric, r: usize, route: &Route, stretches: &mut Vec<Stretch>, places: &mut Vec<Place>) {
    let flat = fabric.flat();
    let mut todo: Vec<(ChannelId, Option<usize>)> =
        flat.channel_from(route.source).map(|c| (c, None)).into_iter().collect();
    let mut open: BTreeMap<(ComponentId, usize), Vec<usize>> = BTreeMap::new();
    for (s, step) in route.steps.iter().enumerate() {
        open.entry((step.component(), step.ports().0)).or_default().push(s);
    }
    while let Some((c, stretch)) = todo.pop() {
        let channel = flat.channel(c);
        if let Some(at) = stretch {
            let at: &mut Stretch = &mut stretches[at];
            at.bits = at.bits.min(channel.source_type.tag).min(channel.sink_type.tag);
        }
        let SinkPort::Port(id, port) = channel.sink else { continue };
        for s in open.remove(&(id, port)).unwrap_or_default() {
            let step = route.steps[s];
            let behind = match step {
                Step::AddTag { .. } | Step::MapTag { .. } => {
                    stretches.push(Stretch { bits: u32::MAX, switches: BTreeSet::new() });
                    Some(stretches.len() - 1)
                }
                Step::DelTag { .. } => None,
                Step::Switch { .. } | Step::Fifo { .. } | Step::Slot { .. } => stretch,
            };
            if let (Step::Slot { .. }, Some(at)) = (step, stretch) {
                stretches[at].switches.insert(id);
            }
            places.push(((r, s), stretch, behind));
            todo.extend(flat.at(id).outputs[step.ports().1].map(|next| (next, behind)));
        }
    }
}

/// A tag for each stretch, with its slot in each of its switches; none where what is there for each in turn does not do.
fn own_tags(fabric: &Fabric, stretches: &[Stretch]) -> Option<Vec<(u32, BTreeMap<ComponentId, usize>)>> {
    let mut taken: BTreeMap<ComponentId, Vec<u32>> = BTreeMap::new();
    let mut all = Vec::new();
    for stretch in stretches {
        let slots = |id: &ComponentId| match fabric.component(*id) {
            Component::TemporalSw(sw) => sw.num_route_table,
            _ => 0,
        };
        let tags = |id: &ComponentId| taken.get(id).map_or(&[][..], Vec::as_slice);
        let is_new = |id: &ComponentId, tag: u32| !tags(id).contains(&tag) && tags(id).len() < slots(id);
        let is_own = |&tag: &u32| stretch.switches.iter().all(|id| is_new(id, tag));
        let fits = |&tag: &u32| stretch.switches.iter().all(|id| is_new(id, tag) || tags(id).contains(&tag));
        // One more than there are stretches is new everywhere.
        let count = (1u32 << stretch.bits.min(16)).min(stretches.len() as u32 + 1);
        let tag = (0..count).find(is_own).or_else(|| (0..count).find(fits))?;
        let mut own = BTreeMap::new();
        for &id in &stretch.switches {
            let tags = taken.entry(id).or_default();
            let slot = tags.iter().position(|&t| t == tag).unwrap_or_else(|| {
                tags.push(tag);
                tags.len() - 1
            });
            own.insert(id, slot);
        }
        all.push((tag, own));
    }
    Some(all)
}
