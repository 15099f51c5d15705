//! The way of one token stream through a configured fabric: through switches and FIFOs, and with its tag through tag components and
//! temporal switches, to its ends.
//!
//! A stream from an untagged source has one tag at each place, which follows from the settings alone. One that comes with a tag, from a
//! tagged port, may have any: its route ends at the first component that looks at tags. Bridges of memory lanes are ends too.

use super::{DecodedRoute, Decoder};
use crate::codes;
use loom_adg::layout::{whole_route, FieldKind};
use loom_adg::model::{Component, MapTag, SpatialSw, TemporalSw};
use loom_adg::{ChannelId, ComponentId, Mux, PeConfig, SinkPort, SourcePort};
use loom_base::{truncate, Diagnostic};
use loom_map::Step;
use std::collections::BTreeSet;

/// What is known of a stream's tag.
#[derive(Clone, Copy, PartialEq)]
enum Tag {
    /// It has none.
    None,
    Known(u64),
    /// It came with one.
    Any,
}

impl Tag {
    /// Behind a channel that carries so many bits of it.
    fn carried(self, bits: u32) -> Tag {
        match self {
            Tag::Known(tag) => Tag::Known(truncate(tag, bits)),
            other => other,
        }
    }
}

impl Decoder<'_> {
    /// Follows a stream to its ends.
    pub(super) fn follow(&mut self, source: SourcePort, used: &mut BTreeSet<Step>) -> DecodedRoute {
        let flat = self.fabric.flat();
        let start = match source {
            SourcePort::Boundary(k) => flat.inputs[k],
            SourcePort::Port(id, port) => flat.at(id).outputs.get(port).copied().flatten(),
        };
        let mut steps = BTreeSet::new();
        let mut sinks = BTreeSet::new();
        let tag = |c: ChannelId| if flat.channel(c).source_type.is_tagged() { Tag::Any } else { Tag::None };
        let mut todo: Vec<(ChannelId, Tag)> = start.map(|c| (c, tag(c))).into_iter().collect();
        while let Some((c, tag)) = todo.pop() {
            let channel = flat.channel(c);
            let tag = tag.carried(channel.source_type.tag.min(channel.sink_type.tag));
            let SinkPort::Port(id, port) = channel.sink else {
                sinks.insert(channel.sink);
                continue;
            };
            let Some(behind) = self.behind(id, port, tag) else {
                sinks.insert(channel.sink);
                continue;
            };
            for (step, tag) in behind {
                if steps.insert(step) {
                    todo.extend(flat.at(id).outputs[step.ports().1].map(|next| (next, tag)));
                } else if matches!(step, Step::Fifo { .. }) {
                    let message = format!("the stream that enters `{}` comes back to it", self.path(id));
                    self.problems.push(Diagnostic::error(codes::ROUTE_LOOP, message));
                }
            }
        }
        self.drop_dead(&mut steps, &sinks);
        used.extend(steps.iter().copied());
        DecodedRoute { source, steps: steps.into_iter().collect(), sinks: sinks.into_iter().collect() }
    }

    /// The steps that a stream takes through a component, with its tag behind each; none of it where it ends there, and no step where the
    /// component lets nothing pass.
    fn behind(&self, id: ComponentId, port: usize, tag: Tag) -> Option<Vec<(Step, Tag)>> {
        if self.bridges.contains(&id) {
            return None;
        }
        match self.fabric.component(id) {
            Component::SpatialSw(sw) => {
                let taken = (0..sw.outputs.len()).filter(|&o| self.switch_takes(id, sw, o, port));
                let step = |output| (Step::Switch { component: id, input: port, output }, tag);
                Some(taken.map(step).collect())
            }
            Component::Fifo(f) => {
                let bypass = !f.can_register() || self.get(id, FieldKind::Bypass) == 1;
                Some(vec![(Step::Fifo { component: id, bypass }, tag)])
            }
            Component::AddTag(_) => {
                let own = self.get(id, FieldKind::Tag);
                Some(vec![(Step::AddTag { component: id, tag: own as u32 }, Tag::Known(own))])
            }
            Component::DelTag(_) => Some(vec![(Step::DelTag { component: id }, Tag::None)]),
            Component::MapTag(c) => self.map_tag(id, c, tag),
            Component::TemporalSw(sw) => self.slot(id, sw, port, tag),
            Component::SpatialPe(_) => {
                let config = PeConfig::read(self.image, self.fabric, id);
                let takes = |mux: &Mux| *mux == Mux::Port(port) || *mux == Mux::Discard(port);
                // What nobody takes ends nowhere.
                match config.is_some_and(|c| c.inputs.iter().any(takes)) {
                    true => None,
                    false => Some(Vec::new()),
                }
            }
            Component::Memory(_) => None,
        }
    }

    /// Through the first entry with the stream's tag.
    fn map_tag(&self, id: ComponentId, c: &MapTag, tag: Tag) -> Option<Vec<(Step, Tag)>> {
        let Tag::Known(from) = tag else { return None };
        let hits = |&e: &usize| {
            self.get(id, FieldKind::EntryValid(e)) == 1 && self.get(id, FieldKind::EntrySource(e)) == from
        };
        let through = |entry| {
            let to = self.get(id, FieldKind::EntryTarget(entry));
            let step = Step::MapTag { component: id, entry, from: from as u32, to: to as u32 };
            (step, Tag::Known(to))
        };
        Some((0..c.table_size).find(hits).map(through).into_iter().collect())
    }

    /// By the first slot with the stream's tag.
    fn slot(&self, id: ComponentId, sw: &TemporalSw, port: usize, tag: Tag) -> Option<Vec<(Step, Tag)>> {
        let Tag::Known(own) = tag else { return None };
        let hits = |&s: &usize| {
            self.get(id, FieldKind::SlotValid(s)) == 1 && self.get(id, FieldKind::SlotTag(s)) == own
        };
        let Some(slot) = (0..sw.num_route_table).find(hits) else { return Some(Vec::new()) };
        let taken = (0..sw.outputs).filter(|&output| {
            sw.connectivity[output][port]
                && self.get(id, FieldKind::SlotRoute { slot, output, input: port }) == 1
        });
        let step = |output| (Step::Slot { component: id, slot, tag: own as u32, input: port, output }, tag);
        Some(taken.map(step).collect())
    }

    /// Drops FIFOs and tag components that nothing follows, and then what leads to nothing else: a link FIFO before a switch that has no
    /// route for it carries nothing.
    fn drop_dead(&self, steps: &mut BTreeSet<Step>, sinks: &BTreeSet<SinkPort>) {
        loop {
            let dead: Vec<Step> = steps.iter().copied().filter(|&s| self.is_dead(s, steps, sinks)).collect();
            if dead.is_empty() {
                return;
            }
            for step in dead {
                steps.remove(&step);
            }
        }
    }

    /// Whether a step is one that no configuration asks for and behind which the stream does not go on.
    fn is_dead(&self, step: Step, steps: &BTreeSet<Step>, sinks: &BTreeSet<SinkPort>) -> bool {
        if !matches!(step, Step::Fifo { .. } | Step::AddTag { .. } | Step::DelTag { .. }) {
            return false;
        }
        let Some(channel) = self.fabric.flat().at(step.component()).outputs[0] else { return true };
        let sink = self.fabric.flat().channel(channel).sink;
        let goes_on = match sink {
            SinkPort::Boundary(_) => true,
            SinkPort::Port(id, port) => steps.iter().any(|s| (s.component(), s.ports().0) == (id, port)),
        };
        !goes_on && !sinks.contains(&sink)
    }

    fn switch_takes(&self, id: ComponentId, sw: &SpatialSw, output: usize, input: usize) -> bool {
        if !sw.connectivity[output][input] {
            return false;
        }
        match sw.decomposable_bits {
            None => self.get(id, FieldKind::Route { output, input }) == 1,
            Some(lane) => (0..(sw.outputs[output].width / lane) as usize).any(|output_lane| {
                (0..(sw.inputs[input].width / lane) as usize).any(|input_lane| {
                    self.get(id, FieldKind::LaneRoute { output, output_lane, input, input_lane }) == 1
                })
            }),
        }
    }

    /// Whether a step is one through a decomposable switch whose output does not have the bits of the input as they are.
    pub(super) fn is_mixed(&self, step: Step) -> bool {
        let Step::Switch { component, input, output } = step else { return false };
        let Component::SpatialSw(sw) = self.fabric.component(component) else { return false };
        let fields = &self.fabric.layout().of(component).fields;
        let set = fields.iter().map(|f| f.kind).filter(|&kind| {
            matches!(kind, FieldKind::LaneRoute { output: o, .. } if o == output)
                && self.get(component, kind) == 1
        });
        let set: BTreeSet<FieldKind> = set.collect();
        let whole = sw.passes_whole(input, output).then(|| whole_route(sw, input, output));
        sw.decomposable_bits.is_some() && whole.is_none_or(|fields| set != fields.into_iter().collect())
    }
}
