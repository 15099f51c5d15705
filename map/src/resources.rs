//! What the placer and the router see of a fabric: channels, how one leads to the next, and distances.

use crate::mapping::Step;
use loom_adg::flat::{ChannelId, Sink, Source};
use loom_adg::{Adg, Component, ComponentId, Flat};
use std::collections::VecDeque;

/// A way from one channel to the next.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    /// The next channel.
    pub to: ChannelId,
    /// What lies between.
    pub step: Step,
    /// Registers on the way.
    pub delay: u32,
    /// A FIFO deeper than a link's, which serves as slack.
    pub slack: bool,
}

/// The routing graph of a fabric.
pub struct Resources {
    /// By channel: where a value in it can go.
    pub hops: Vec<Vec<Hop>>,
    /// By channel: bits that pass, the narrower of its two ends.
    pub width: Vec<u32>,
    /// By component: the channels at its outputs.
    pub outs: Vec<Vec<ChannelId>>,
    /// By component: the channels at its inputs.
    pub ins: Vec<Vec<ChannelId>>,
    /// PEs, in flattened order.
    pub pes: Vec<ComponentId>,
    /// Index into `pes`, by component.
    pub pe_index: Vec<Option<usize>>,
    /// Fewest registers between PE outputs and PE inputs: `between[from][to]`; `None` where no way leads.
    pub between: Vec<Vec<Option<u32>>>,
    /// The same from fabric inputs to PEs.
    pub from_input: Vec<Vec<Option<u32>>>,
    /// From PEs to fabric outputs: `to_output[pe][output]`.
    pub to_output: Vec<Vec<Option<u32>>>,
    /// From fabric inputs to fabric outputs.
    pub input_to_output: Vec<Vec<Option<u32>>>,
}

/// FIFOs deeper than this count as slack.
pub const LINK_DEPTH: usize = 2;

impl Resources {
    /// Cuts the routing graph from a flattened fabric. Tag components and temporal switches are left out: the mapper
    /// does not use them yet.
    pub fn new(adg: &Adg, flat: &Flat) -> Resources {
        let mut hops = vec![Vec::new(); flat.channels.len()];
        for (c, channel) in flat.channels.iter().enumerate() {
            let Sink::Port(id, input) = channel.sink else {
                continue;
            };
            let outputs = &flat.at(id).outputs;
            match flat.component(adg, id) {
                // A decomposable switch is routed as a whole: its lanes are configured one by one, which the mapper
                // does not do yet.
                Component::SpatialSw(sw)
                    if sw.decomposable_bits.is_none() && !sw.inputs[input].is_tagged() =>
                {
                    for (output, row) in sw.connectivity.iter().enumerate() {
                        if let (true, Some(to)) = (row[input], outputs[output]) {
                            let step = Step::Switch { component: id, input, output };
                            hops[c].push(Hop { to, step, delay: 0, slack: false });
                        }
                    }
                }
                Component::Fifo(f) if !f.ty.is_tagged() => {
                    if let Some(to) = outputs[0] {
                        let step = Step::Fifo { component: id, bypass: false };
                        hops[c].push(Hop { to, step, delay: 1, slack: f.depth > LINK_DEPTH });
                        if f.bypassable {
                            let step = Step::Fifo { component: id, bypass: true };
                            hops[c].push(Hop { to, step, delay: 0, slack: false });
                        }
                    }
                }
                _ => {}
            }
        }
        let ports = |list: &[Option<ChannelId>]| list.iter().flatten().copied().collect::<Vec<_>>();
        let outs: Vec<_> = flat.components.iter().map(|c| ports(&c.outputs)).collect();
        let ins: Vec<_> = flat.components.iter().map(|c| ports(&c.inputs)).collect();
        let pes: Vec<ComponentId> =
            flat.ids().filter(|&id| matches!(flat.component(adg, id), Component::SpatialPe(_))).collect();
        let mut pe_index = vec![None; flat.components.len()];
        for (i, id) in pes.iter().enumerate() {
            pe_index[id.0 as usize] = Some(i);
        }
        let width = flat.channels.iter().map(|c| c.source_type.width.min(c.sink_type.width)).collect();
        let mut r = Resources {
            hops,
            width,
            outs,
            ins,
            pes,
            pe_index,
            between: Vec::new(),
            from_input: Vec::new(),
            to_output: Vec::new(),
            input_to_output: Vec::new(),
        };
        let outputs = flat.outputs.len();
        for pe in 0..r.pes.len() {
            let starts = r.outs[r.pes[pe].0 as usize].clone();
            let (pes, ports) = r.distances(flat, &starts, outputs);
            r.between.push(pes);
            r.to_output.push(ports);
        }
        for input in &flat.inputs {
            let starts: Vec<ChannelId> = input.iter().copied().collect();
            let (pes, ports) = r.distances(flat, &starts, outputs);
            r.from_input.push(pes);
            r.input_to_output.push(ports);
        }
        r
    }

    /// Fewest registers from some channels to every PE and fabric output: a search with delays 0 and 1.
    fn distances(
        &self,
        flat: &Flat,
        starts: &[ChannelId],
        outputs: usize,
    ) -> (Vec<Option<u32>>, Vec<Option<u32>>) {
        let mut at = vec![u32::MAX; self.hops.len()];
        let mut todo: VecDeque<ChannelId> = VecDeque::new();
        for &c in starts {
            at[c.0 as usize] = 0;
            todo.push_back(c);
        }
        let mut pes = vec![None; self.pes.len()];
        let mut ports = vec![None; outputs];
        while let Some(c) = todo.pop_front() {
            let d = at[c.0 as usize];
            let slot = match flat.channel(c).sink {
                Sink::Boundary(k) => Some(&mut ports[k]),
                Sink::Port(id, _) => self.pe_index[id.0 as usize].map(|pe| &mut pes[pe]),
            };
            if let Some(slot) = slot {
                *slot = Some(slot.map_or(d, |old: u32| old.min(d)));
            }
            for hop in &self.hops[c.0 as usize] {
                let next = d + hop.delay;
                if next < at[hop.to.0 as usize] {
                    at[hop.to.0 as usize] = next;
                    if hop.delay == 0 {
                        todo.push_front(hop.to);
                    } else {
                        todo.push_back(hop.to);
                    }
                }
            }
        }
        (pes, ports)
    }

    /// Channels a value may start from.
    pub fn starts(&self, flat: &Flat, source: crate::route::Start) -> Vec<ChannelId> {
        match source {
            crate::route::Start::Input(k) => flat.inputs[k].iter().copied().collect(),
            crate::route::Start::Pe(id) => self.outs[id.0 as usize].clone(),
        }
    }

    /// The source of a channel as a mapping writes it.
    pub fn source(&self, flat: &Flat, channel: ChannelId) -> Source {
        flat.channel(channel).source
    }
}
