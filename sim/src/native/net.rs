//! The evaluation network: nodes, the order in which their outputs and readys are computed, and the clock edge.

use super::memory::Memory;
use super::switch::{bits, Fifo, Fork, LaneSwitch, TagMap, TagSwitch, Through, Watch};
use super::unit::{Immediate, Machine, MachineKind, Plain, Steer};
use super::wire::{Shared, Wire, FIRST, NEVER, OPEN, W};
use std::collections::VecDeque;

/// What a component became. A spatial switch is several forks and watches.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Fork(Fork),
    Watch(Watch),
    Fifo(Fifo),
    Through(Through),
    TagMap(TagMap),
    LaneSwitch(Box<LaneSwitch>),
    TagSwitch(Box<TagSwitch>),
    /// A literal that input muxes select.
    Immediate(Immediate),
    Plain(Box<Plain>),
    Steer(Box<Steer>),
    Machine(Box<Machine>),
    Memory(Box<Memory>),
}

/// A node and the component it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub kind: Kind,
    /// Index in flattened order.
    pub component: u32,
}

/// One evaluation: of which node, and which part of it (output or input of a switch; 0 otherwise).
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub node: u32,
    pub part: u32,
}

/// A step with what it reads and writes, for ordering.
pub(super) struct Arc {
    pub step: Step,
    pub reads: Vec<W>,
    pub writes: Vec<W>,
}

impl Node {
    /// Input and output wires.
    pub fn ports(&self) -> (Vec<W>, Vec<W>) {
        match &self.kind {
            Kind::Fork(n) => (vec![n.input], n.outputs.to_vec()),
            Kind::Watch(n) => (vec![n.input], vec![]),
            Kind::Fifo(n) => (vec![n.input], vec![n.output]),
            Kind::Through(n) => (vec![n.input], vec![n.output]),
            Kind::TagMap(n) => (vec![n.input], vec![n.output]),
            Kind::LaneSwitch(n) => (n.inputs.clone(), n.outputs.clone()),
            Kind::TagSwitch(n) => (n.inputs.clone(), n.outputs.clone()),
            Kind::Immediate(n) => (n.tokens.clone(), vec![n.output]),
            Kind::Plain(n) => (n.inputs.clone(), n.outputs.clone()),
            Kind::Steer(n) => (n.inputs.clone(), n.outputs.clone()),
            Kind::Machine(n) => (n.inputs.clone(), n.outputs.clone()),
            Kind::Memory(n) => (n.inputs(), n.outputs()),
        }
    }

    /// All its wires, to be renamed.
    pub fn wires_mut(&mut self) -> Vec<&mut W> {
        match &mut self.kind {
            Kind::Fork(n) => std::iter::once(&mut n.input).chain(&mut n.outputs).collect(),
            Kind::Watch(n) => vec![&mut n.input],
            Kind::Fifo(n) => vec![&mut n.input, &mut n.output],
            Kind::Through(n) => vec![&mut n.input, &mut n.output],
            Kind::TagMap(n) => vec![&mut n.input, &mut n.output],
            Kind::LaneSwitch(n) => n.inputs.iter_mut().chain(&mut n.outputs).collect(),
            Kind::TagSwitch(n) => n.inputs.iter_mut().chain(&mut n.outputs).collect(),
            Kind::Immediate(n) => n.tokens.iter_mut().chain(std::iter::once(&mut n.output)).collect(),
            Kind::Plain(n) => n.inputs.iter_mut().chain(&mut n.outputs).collect(),
            Kind::Steer(n) => n.inputs.iter_mut().chain(&mut n.outputs).collect(),
            Kind::Machine(n) => n.inputs.iter_mut().chain(&mut n.outputs).collect(),
            Kind::Memory(n) => {
                let requests = n.requests.iter_mut().flatten().filter(|w| **w != NEVER);
                requests.chain(n.answers.iter_mut().flatten().filter(|w| **w != OPEN)).collect()
            }
        }
    }

    /// How valid and data of its outputs are computed.
    pub fn forward(&self, node: u32) -> Vec<Arc> {
        let (inputs, outputs) = self.ports();
        let whole = |reads, writes| vec![Arc { step: Step { node, part: 0 }, reads, writes }];
        let part =
            |o: usize, reads| Arc { step: Step { node, part: o as u32 }, reads, writes: vec![outputs[o]] };
        match &self.kind {
            Kind::Watch(_) | Kind::Machine(_) => vec![],
            Kind::Fifo(n) if !n.falls => whole(vec![], outputs),
            Kind::Memory(_) => whole(vec![], outputs),
            Kind::Plain(n) if n.latency > 0 => whole(vec![], outputs),
            Kind::LaneSwitch(n) => {
                (0..outputs.len()).map(|o| part(o, bits(n.joined[o]).map(|i| inputs[i]).collect())).collect()
            }
            Kind::TagSwitch(n) => (0..outputs.len())
                .map(|o| {
                    let any = n.slots.iter().fold(0, |m, s| m | s.routes[o]);
                    part(o, bits(any).map(|i| inputs[i]).collect())
                })
                .collect(),
            _ => whole(inputs, outputs),
        }
    }

    /// How the readys of its inputs are computed. Valids are all there by then.
    pub fn backward(&self, node: u32) -> Vec<Arc> {
        let (inputs, outputs) = self.ports();
        let whole = |reads, writes| vec![Arc { step: Step { node, part: 0 }, reads, writes }];
        let part =
            |i: usize, reads| Arc { step: Step { node, part: i as u32 }, reads, writes: vec![inputs[i]] };
        match &self.kind {
            Kind::Watch(_) | Kind::Fifo(_) | Kind::Immediate(_) => vec![],
            // Its outputs are inputs of buffers, whose readys are registers.
            Kind::Machine(_) | Kind::Memory(_) => whole(vec![], inputs),
            Kind::LaneSwitch(n) => (0..inputs.len())
                .map(|i| {
                    let to = (0..outputs.len()).filter(|&o| n.joined[o] >> i & 1 == 1);
                    part(i, to.map(|o| outputs[o]).collect())
                })
                .collect(),
            Kind::TagSwitch(n) => (0..inputs.len())
                .map(|i| {
                    let to =
                        (0..outputs.len()).filter(|&o| n.slots.iter().any(|s| s.routes[o] >> i & 1 == 1));
                    part(i, to.map(|o| outputs[o]).collect())
                })
                .collect(),
            _ => whole(outputs, inputs),
        }
    }

    #[inline]
    fn valid(&mut self, part: u32, wires: &mut [Wire]) {
        match &mut self.kind {
            Kind::Fork(n) => n.valid(wires),
            Kind::Fifo(n) => n.valid(wires),
            Kind::Immediate(n) => n.valid(wires),
            Kind::Plain(n) => n.valid(wires),
            Kind::Steer(n) => n.valid(wires),
            Kind::Through(n) => n.valid(wires),
            Kind::TagMap(n) => n.valid(wires),
            Kind::LaneSwitch(n) => n.valid(part as usize, wires),
            Kind::TagSwitch(n) => n.valid(part as usize, wires),
            Kind::Memory(n) => n.valid(wires),
            Kind::Watch(_) | Kind::Machine(_) => {}
        }
    }

    #[inline]
    fn ready(&mut self, part: u32, wires: &mut [Wire], shared: &Shared) {
        match &mut self.kind {
            Kind::Fork(n) => n.ready(wires, shared),
            Kind::Plain(n) => n.ready(wires),
            Kind::Steer(n) => n.ready(wires),
            Kind::Machine(n) => n.ready(wires, shared),
            Kind::Memory(n) => n.ready(wires, shared),
            Kind::Through(n) => n.ready(wires),
            Kind::TagMap(n) => n.ready(wires, shared),
            Kind::LaneSwitch(n) => n.ready(part as usize, wires, shared),
            Kind::TagSwitch(n) => n.ready(part as usize, wires, shared),
            Kind::Watch(_) | Kind::Fifo(_) | Kind::Immediate(_) => {}
        }
    }

    #[inline]
    fn clock(&mut self, wires: &[Wire], shared: &mut Shared) {
        match &mut self.kind {
            Kind::Fork(n) => n.clock(wires, shared),
            Kind::Watch(n) => n.clock(wires, shared),
            Kind::Fifo(n) => n.clock(wires, shared),
            Kind::Plain(n) => n.clock(wires, shared),
            Kind::Steer(n) => n.clock(shared),
            Kind::Machine(n) => n.clock(wires, shared),
            Kind::Memory(n) => n.clock(wires, shared),
            Kind::Through(_) | Kind::Immediate(_) => {}
            Kind::TagMap(n) => n.clock(wires, shared),
            Kind::LaneSwitch(n) => n.clock(wires, shared),
            Kind::TagSwitch(n) => n.clock(wires, shared),
        }
    }

    /// What it holds, in words; `None` when its registers are as after reset (but for pointers and errors).
    pub fn holds(&self) -> Option<String> {
        match &self.kind {
            Kind::Fork(n) if n.done != 0 => {
                Some(format!("a fork has given {} of its copies", n.done.count_ones()))
            }
            Kind::Fifo(n) if !n.queue.is_empty() => Some(format!("{} in a buffer", tokens(n.queue.len()))),
            Kind::LaneSwitch(n) if n.done.iter().any(|&d| d != 0) => {
                Some("an output has taken a token early".into())
            }
            Kind::TagSwitch(n) if n.done.iter().any(|&d| d != 0) => {
                Some("an output has taken a token early".into())
            }
            Kind::Memory(n) => n.holds(),
            Kind::Plain(n) => {
                let held = n.stages.iter().filter(|&&full| full).count();
                let parts = [
                    (held > 0).then(|| format!("{} in the pipeline", tokens(held))),
                    (n.done != 0).then(|| "one output has taken its result".to_string()),
                    (n.counter > 0).then(|| "the interval counter runs".to_string()),
                ];
                let parts: Vec<String> = parts.into_iter().flatten().collect();
                (!parts.is_empty()).then(|| parts.join(", "))
            }
            Kind::Machine(n) if n.running => Some(match n.kind {
                MachineKind::Stream { .. } => "the stream is in phase Active".into(),
                MachineKind::Gate => "the gate is in phase Body".into(),
                MachineKind::Carry => "the carry is in phase Loop".into(),
                MachineKind::Invariant => "the invariant is in phase Loop".into(),
                MachineKind::CarryBr => "the carry with its branch is in phase Loop".into(),
                MachineKind::InvariantBr => "the invariant with its branch is in phase Loop".into(),
            }),
            _ => None,
        }
    }
}

fn tokens(n: usize) -> String {
    if n == 1 {
        "1 token".into()
    } else {
        format!("{n} tokens")
    }
}

/// Nodes in evaluation order.
#[derive(Clone, Debug)]
pub(super) struct Net {
    pub nodes: Vec<Node>,
    pub wires: Vec<Wire>,
    pub shared: Shared,
    pub forward: Vec<Step>,
    pub backward: Vec<Step>,
}

impl Net {
    /// Valids and data, then readys. Boundary valids and readys must stand on the wires.
    #[inline]
    pub fn settle(&mut self) {
        let Net { nodes, wires, shared, forward, backward } = self;
        for step in forward.iter() {
            nodes[step.node as usize].valid(step.part, wires);
        }
        for step in backward.iter() {
            nodes[step.node as usize].ready(step.part, wires, shared);
        }
    }

    /// The clock edge.
    #[inline]
    pub fn clock(&mut self) {
        self.shared.changed = false;
        for node in &mut self.nodes {
            node.clock(&self.wires, &mut self.shared);
        }
        self.shared.cycle += 1;
    }
}

/// Orders steps so that each comes after those that write what it reads. `Err` names a wire on a cycle.
pub(super) fn order(arcs: Vec<Arc>, wires: usize) -> Result<Vec<Step>, W> {
    let mut writer = vec![None; wires];
    for (i, arc) in arcs.iter().enumerate() {
        for &w in arc.writes.iter().filter(|&&w| w >= FIRST) {
            writer[w as usize] = Some(i);
        }
    }
    let mut missing = vec![0usize; arcs.len()];
    let mut users = vec![Vec::new(); arcs.len()];
    for (i, arc) in arcs.iter().enumerate() {
        for from in arc.reads.iter().filter_map(|&w| writer[w as usize]) {
            missing[i] += 1;
            users[from].push(i);
        }
    }
    let mut queue: VecDeque<usize> = (0..arcs.len()).filter(|&i| missing[i] == 0).collect();
    let mut steps = Vec::with_capacity(arcs.len());
    while let Some(i) = queue.pop_front() {
        steps.push(arcs[i].step);
        for &user in &users[i] {
            missing[user] -= 1;
            if missing[user] == 0 {
                queue.push_back(user);
            }
        }
    }
    if steps.len() == arcs.len() {
        return Ok(steps);
    }
    // Walk backwards through steps that still wait: that must come round.
    let mut at = (0..arcs.len()).find(|&i| missing[i] > 0).unwrap_or(0);
    let mut wire = NO_WIRE;
    for _ in 0..arcs.len() {
        let next = arcs[at]
            .reads
            .iter()
            .find_map(|&w| writer[w as usize].filter(|&i| missing[i] > 0).map(|i| (w, i)));
        let Some((w, i)) = next else { break };
        (wire, at) = (w, i);
    }
    Err(wire)
}

const NO_WIRE: W = 0;
