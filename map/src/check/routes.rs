//! Routes: C3, C4, C5, C7, C10, C11 and C12. Every use of every value is reached, by steps that exist, over channels of its own, with the
//! tag that each component on the way asks for.
//!
//! What configuration a value meets follows from its own steps and from what others set up in the same component: an `add_tag`, `del_tag`
//! or `map_tag` has one channel in, so one value passes it; a temporal switch has values at all its inputs, and no two slots
//! of it may have one tag (configuration error 5), no slot two tags. That no slot gives an output two inputs (error 4) and no tagged channel carries two
//! flows that do not differ (C12) holds since no channel carries two values. Components of bridges have what the lanes set up.

use super::Checker;
use crate::codes;
use crate::mapping::{Route, Step};
use loom_adg::{ChannelId, Component, ComponentId, SinkPort, SourcePort};
use loom_dfg::graph::{Use, ValueDef};
use std::collections::{BTreeMap, BTreeSet};

/// What routes have taken so far.
#[derive(Default)]
struct Taken {
    channels: BTreeMap<ChannelId, u32>,
    /// Temporal switches: by slot its tag, and by tag its slot.
    tags: BTreeMap<(ComponentId, usize), u32>,
    slots: BTreeMap<(ComponentId, u32), usize>,
    /// Components that memory lanes have for themselves.
    bridges: BTreeSet<ComponentId>,
}

/// What a step is to a value at an input of its component.
enum Passage {
    /// Of another input, or of another kind of component.
    Elsewhere,
    /// One that cannot be, which was reported.
    Wrong,
    /// To this output, with this tag behind.
    To(usize, Option<u32>),
}

/// A route that is followed.
struct Walk {
    value: u32,
    name: String,
    unused: BTreeSet<Step>,
    ends: BTreeSet<SinkPort>,
    /// Channels to look at, with the tag that the value has there.
    todo: Vec<(ChannelId, Option<u32>)>,
}

impl Checker<'_> {
    /// All routes, and that none is missing.
    pub(super) fn routes(&mut self) {
        let uses = self.graph.uses();
        let mut routed = BTreeSet::new();
        let bridges = self.lanes.values().flat_map(|l| &l.settings).map(|s| s.0).collect();
        let mut taken = Taken { bridges, ..Taken::default() };
        for route in &self.mapping.routes {
            let v = route.value.0;
            if !routed.insert(v) {
                let name = &self.graph.value(route.value).name;
                self.bad(codes::CHECK_TWICE, format!("value `%{name}` is routed twice"));
                continue;
            }
            if let Some(start) = self.start(route) {
                let walk = self.follow(route, start, &mut taken);
                self.arrives(&walk, &uses[v as usize]);
            }
        }
        // Routes were looked at one by one; a value without any was not among them.
        for (v, uses) in uses.iter().enumerate() {
            let travels = !uses.is_empty() && !matches!(self.graph.values[v].def, ValueDef::Literal(_));
            if travels && !routed.contains(&(v as u32)) {
                self.bad(codes::CHECK_ENDS, format!("`%{}` is not routed", self.graph.values[v].name));
            }
        }
    }

    /// The first channel of a route, which begins where the value is made.
    fn start(&mut self, route: &Route) -> Option<ChannelId> {
        let name = &self.graph.value(route.value).name;
        let expected = match self.graph.value(route.value).def {
            ValueDef::Argument(a) => self.mapping.arguments[a].map(SourcePort::Boundary),
            ValueDef::Result { node, result } => self.source_of(node, result),
            ValueDef::Literal(_) => None,
        };
        if expected != Some(route.source) {
            let message = format!("the route of `%{name}` does not start where the value is made");
            self.bad(codes::CHECK_ENDS, message);
            return None;
        }
        let start = self.fabric.flat().channel_from(route.source);
        if start.is_none() {
            self.bad(codes::CHECK_STEP, format!("the source of `%{name}` is connected to nothing"));
        }
        start
    }

    /// Follows the steps from the source, in no order of their own; each is used up where the value passes it.
    fn follow(&mut self, route: &Route, start: ChannelId, taken: &mut Taken) -> Walk {
        let steps: BTreeSet<Step> = route.steps.iter().copied().collect();
        let name = self.graph.value(route.value).name.to_string();
        if steps.len() != route.steps.len() {
            self.bad(codes::CHECK_TWICE, format!("a step of `%{name}` stands twice"));
        }
        let todo = vec![(start, None)];
        let mut walk = Walk { value: route.value.0, name, unused: steps, ends: BTreeSet::new(), todo };
        while let Some((c, tag)) = walk.todo.pop() {
            if !self.own_channel(&walk, c, taken) {
                continue;
            }
            self.fits_channel(&walk, c, tag);
            let sink = self.fabric.flat().channel(c).sink;
            match sink {
                SinkPort::Boundary(k) => {
                    if tag.is_some() {
                        let message = format!("`%{}` leaves at output {k} with a tag", walk.name);
                        self.bad(codes::CHECK_TAG, message);
                    }
                    walk.ends.insert(sink);
                }
                SinkPort::Port(id, port) => self.enter(&mut walk, (id, port), tag, taken),
            }
        }
        walk
    }

    /// A channel belongs to one value, and a tree comes to it once.
    fn own_channel(&mut self, walk: &Walk, c: ChannelId, taken: &mut Taken) -> bool {
        let name = &walk.name;
        match taken.channels.insert(c, walk.value) {
            Some(other) if other != walk.value => {
                let other = &self.graph.values[other as usize].name;
                let at = crate::channel_name(self.fabric, c);
                self.bad(codes::CHECK_TWICE, format!("`%{other}` and `%{name}` both use {at}"));
                false
            }
            Some(_) => {
                self.bad(codes::CHECK_TWICE, format!("the route of `%{name}` meets itself"));
                false
            }
            None => true,
        }
    }

    /// A value must fit every channel it passes (C2), and so must its tag, which it has on tagged channels only.
    fn fits_channel(&mut self, walk: &Walk, c: ChannelId, tag: Option<u32>) {
        let value = &self.graph.values[walk.value as usize];
        let width = value.ty.width(self.fabric.index_width());
        let channel = self.fabric.flat().channel(c);
        let (from, to) = (channel.source_type, channel.sink_type);
        let at = crate::channel_name(self.fabric, c);
        let narrow = from.width.min(to.width);
        if narrow < width {
            let message = format!("`%{}` is {width} bits, {at} carries {narrow}", walk.name);
            self.bad(codes::CHECK_WIDTH, message);
        }
        let wrong = match tag {
            None => from.is_tagged() || to.is_tagged(),
            Some(tag) => !is_within(tag, from.tag) || !is_within(tag, to.tag),
        };
        if wrong {
            let has = tag.map_or("no tag".to_string(), |tag| format!("tag {tag}"));
            let message = format!(
                "`%{}` has {has} on {at}, which has tags of {} bits",
                walk.name,
                from.tag.min(to.tag)
            );
            self.bad(codes::CHECK_TAG, message);
        }
    }

    /// Goes on behind a component, by the steps that stand for it.
    fn enter(
        &mut self,
        walk: &mut Walk,
        (id, port): (ComponentId, usize),
        tag: Option<u32>,
        taken: &mut Taken,
    ) {
        let component = self.fabric.component(id);
        if matches!(component, Component::SpatialPe(_) | Component::Memory(_)) || taken.bridges.contains(&id)
        {
            walk.ends.insert(SinkPort::Port(id, port));
            return;
        }
        let here: Vec<Step> = walk.unused.iter().copied().filter(|s| s.component() == id).collect();
        let mut any = false;
        for step in here {
            // Of the two ways through a FIFO, or two settings of one component, the first is taken; the other stays as a step that
            // is not reached.
            if any && component.outputs().len() == 1 {
                break;
            }
            let passage = self.passes(walk, step, port, tag, taken);
            if matches!(passage, Passage::Elsewhere) {
                continue;
            }
            any = true;
            walk.unused.remove(&step);
            let Passage::To(output, behind) = passage else { continue };
            match self.fabric.flat().at(id).outputs.get(output).copied().flatten() {
                Some(next) => walk.todo.push((next, behind)),
                None => {
                    let at = self.fabric.path(id);
                    let message = format!("`%{}`: output {output} of `{at}` leads nowhere", walk.name);
                    self.bad(codes::CHECK_STEP, message);
                }
            }
        }
        if !any {
            let message = format!("the route of `%{}` ends in `{}`", walk.name, self.fabric.path(id));
            self.bad(codes::CHECK_ENDS, message);
        }
    }

    /// How a value passes a component as a step says, from an input and with a tag.
    fn passes(
        &mut self,
        walk: &Walk,
        step: Step,
        port: usize,
        tag: Option<u32>,
        taken: &mut Taken,
    ) -> Passage {
        if step.ports().0 != port {
            return Passage::Elsewhere;
        }
        let output = step.ports().1;
        let (joined, fits, behind) = match (step, self.fabric.component(step.component())) {
            (Step::Switch { .. }, Component::SpatialSw(sw)) => {
                let passes = sw.connectivity.get(output).is_some_and(|row| row[port]);
                // Lane by lane, all lanes of the output come from this input (C7).
                let lanes = sw.decomposable_bits.is_none()
                    || sw.outputs.get(output).is_some_and(|o| o.width <= sw.inputs[port].width);
                (passes && lanes, true, tag)
            }
            (Step::Fifo { bypass, .. }, Component::Fifo(f)) => {
                match if bypass { f.can_pass() } else { f.can_register() } {
                    true => (true, true, tag),
                    false => return Passage::Elsewhere,
                }
            }
            (Step::AddTag { tag: own, .. }, Component::AddTag(c)) => (true, is_within(own, c.tag), Some(own)),
            (Step::MapTag { entry, from, to, .. }, Component::MapTag(c)) => {
                let within = is_within(from, c.tag_in) && is_within(to, c.tag_out);
                (true, within && entry < c.table_size && tag == Some(from), Some(to))
            }
            (Step::DelTag { .. }, Component::DelTag(_)) => (true, true, None),
            (Step::Slot { slot, tag: own, component, .. }, Component::TemporalSw(sw)) => {
                let passes = sw.connectivity.get(output).is_some_and(|row| row[port]);
                let within = is_within(own, sw.ty.tag) && slot < sw.num_route_table;
                // Both ways round: no slot with two tags, no tag in two slots, whoever set them up.
                let one = *taken.tags.entry((component, slot)).or_insert(own) == own
                    && *taken.slots.entry((component, own)).or_insert(slot) == slot;
                (passes, within && one && tag == Some(own), tag)
            }
            _ => return Passage::Elsewhere,
        };
        let path = self.fabric.path(step.component());
        if !joined {
            let message =
                format!("`%{}`: `{path}` does not connect input {port} to output {output}", walk.name);
            self.bad(codes::CHECK_STEP, message);
        } else if !fits {
            let (at, has) = (step.text(path), tag.map_or("none".into(), |tag| tag.to_string()));
            let message = format!("`%{}` has tag {has} before {at}, which is not set up so", walk.name);
            self.bad(codes::CHECK_TAG, message);
        }
        match joined && fits {
            true => Passage::To(output, behind),
            false => Passage::Wrong,
        }
    }

    /// Nothing is left over, and the uses are reached, both ways: a use that is not reached waits for ever, and an end that is no
    /// use takes a token that nobody removes.
    fn arrives(&mut self, walk: &Walk, uses: &[Use]) {
        let name = &walk.name;
        for &step in &walk.unused {
            let path = self.fabric.flat().components.get(step.component().0 as usize);
            let at = step.text(path.map_or("a component that is not there", |c| c.path.as_str()));
            self.bad(codes::CHECK_STEP, format!("the route of `%{name}` does not reach its step {at}"));
        }
        let sink = |u: &Use| match *u {
            Use::Output(k) => SinkPort::Boundary(self.mapping.outputs[k]),
            Use::Operand { node, operand } => self.sink_of(node, operand),
        };
        let wanted: BTreeSet<SinkPort> = uses.iter().map(sink).collect();
        if wanted != walk.ends {
            let names = |sinks: &BTreeSet<SinkPort>| match sinks.len() {
                0 => "nothing".into(),
                _ => sinks.iter().map(|&s| self.fabric.sink_name(s)).collect::<Vec<_>>().join(", "),
            };
            let (ends, wanted) = (names(&walk.ends), names(&wanted));
            let message = format!("the route of `%{name}` ends at {ends}, its uses are at {wanted}");
            self.bad(codes::CHECK_ENDS, message);
        }
    }
}

/// Whether a tag is one of so many bits.
fn is_within(tag: u32, bits: u32) -> bool {
    bits >= u32::BITS || tag >> bits == 0
}
