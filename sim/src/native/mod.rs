//! The native cycle model: what a configured fabric does, cycle by cycle.
//!
//! [`NativeModel::new`] checks the image for the static errors of the contract (section 7), decodes it into the
//! components that can ever see a token, and orders their equations: valids and data forward, readys backward, then
//! the clock edge. A component without configuration in use costs nothing.
//!
//! Guarantees: no cycle allocates; no input panics. Refuses a boundary or a decomposable
//! switch wider than 64 bits (function units hold at most 64, so nothing else carries more), a body that is none of
//! the contract's, and a combinational cycle, which a legal fabric does not have.

mod alu;
mod build;
mod memory;
mod net;
mod prune;
mod record;
mod report;
mod run;
mod switch;
mod unit;
mod wire;

pub use record::{ChannelState, MemoryEvent, MemoryTrack, Recording, Track, UnitTrack, Window, MOST_VALUES};
pub use run::{InputToken, Limits, OutputToken, PeActivity, Stimulus, Stop, Trace, WaitingChannel};

use crate::axi::{AxiOptions, HostMemory, Master, Subordinate};
use loom_adg::{ComponentId, Fabric, HwError, Image, Unit};
use loom_base::Diagnostic;
use loom_dfg::OpKind;
use net::Net;
use std::fmt;
use wire::{FIRST, NEVER, W};

/// Why there is no model of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The hardware would not start: a configuration error, and its unit.
    Hardware(HwError, Unit),
    /// This model cannot run it.
    Unsupported(Box<Diagnostic>),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Hardware(error, unit) => {
                write!(f, "error {} ({}) of unit {}", error.code(), error.name(), unit.0)
            }
            Refusal::Unsupported(diagnostic) => f.write_str(&diagnostic.message),
        }
    }
}

impl std::error::Error for Refusal {}

/// One side's signals of a boundary port in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// `valid`.
    pub valid: bool,
    /// `data`; its low bits as wide as the port.
    pub data: u64,
    /// `tag`; 0 where untagged.
    pub tag: u64,
}

/// What the fabric shows at its boundary in one cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boundary {
    /// `ready` of each fabric input.
    pub in_ready: Vec<bool>,
    /// `valid`, `data` and `tag` of each fabric output.
    pub out: Vec<Offer>,
}

/// A configured fabric.
#[derive(Clone, Debug)]
pub struct NativeModel {
    net: Net,
    /// As after `cfg_done` rose.
    start: Net,
    inputs: Vec<W>,
    outputs: Vec<W>,
    pes: Vec<(ComponentId, OpKind)>,
    paths: Vec<String>,
    /// By channel: its two ends in words.
    ends: Vec<(String, String)>,
    /// By channel: its wire, and whether its source makes tokens instead of carrying on what came to it.
    wire_of: Vec<W>,
    makes: Vec<bool>,
    ports: Boundary,
    /// Nodes of the memory interfaces that can see a token: those with an AXI port by its number, those without.
    axi_nodes: Vec<(usize, usize)>,
    pad_nodes: Vec<(ComponentId, usize)>,
    environment: Environment,
}

/// The memory behind the AXI ports.
#[derive(Clone, Debug, Default)]
struct Environment {
    start: HostMemory,
    memory: HostMemory,
    options: AxiOptions,
    masters: Vec<Master>,
    broken: Option<String>,
}

impl NativeModel {
    /// Decodes an image. A configuration error is the one the hardware shows: smallest code, then smallest unit.
    pub fn new(fabric: &Fabric, image: &Image) -> Result<NativeModel, Refusal> {
        let built = build::build(fabric, image)?;
        let ends = fabric.flat().channels.iter().zip(&built.ends_at).map(|(c, &end)| {
            (build::source_name(fabric, c.source), build::sink_name(fabric, fabric.flat().channels[end].sink))
        });
        let ends = ends.collect();
        let node_of = |id: ComponentId| {
            let is = |n: &net::Node| n.component == id.0 && matches!(n.kind, net::Kind::Memory(_));
            built.net.nodes.iter().position(is)
        };
        let masters = fabric.ports().masters.iter();
        let axi_nodes =
            masters.enumerate().filter_map(|(k, port)| Some((k, node_of(port.component)?))).collect();
        let pads = fabric.memories().filter(|(_, memory)| !memory.is_external());
        let pad_nodes = pads.filter_map(|(id, _)| Some((id, node_of(id)?))).collect();
        let mut model = NativeModel {
            axi_nodes,
            pad_nodes,
            environment: Environment::default(),
            ports: Boundary {
                in_ready: vec![false; built.inputs.len()],
                out: vec![Offer::default(); built.outputs.len()],
            },
            makes: fabric.flat().channels.iter().map(|c| build::makes(fabric, c.source)).collect(),
            wire_of: built.wire_of,
            start: built.net.clone(),
            net: built.net,
            inputs: built.inputs,
            outputs: built.outputs,
            pes: built.pes,
            paths: fabric.flat().components.iter().map(|c| c.path.clone()).collect(),
            ends,
        };
        model.attach(HostMemory::new(), &AxiOptions::default());
        Ok(model)
    }

    /// Puts memory behind the AXI ports; every run begins with it as it is given here.
    pub fn attach(&mut self, memory: HostMemory, options: &AxiOptions) {
        self.environment.start = memory;
        self.environment.options = *options;
        self.reset();
    }

    /// Sets what a scratchpad holds when a run begins; bytes beyond its end are dropped.
    pub fn set_scratchpad(&mut self, id: ComponentId, contents: &[u8]) {
        let nodes = self.pad_nodes.clone();
        for &(_, n) in nodes.iter().filter(|(c, _)| *c == id) {
            if let net::Kind::Memory(memory) = &mut self.start.nodes[n].kind {
                if let memory::Back::Pad { bytes, .. } = &mut memory.back {
                    bytes.iter_mut().zip(contents).for_each(|(to, from)| *to = *from);
                }
            }
        }
        self.reset();
    }

    /// What a scratchpad holds now; `None` when no token can reach it.
    pub fn scratchpad(&self, id: ComponentId) -> Option<&[u8]> {
        let &(_, n) = self.pad_nodes.iter().find(|(c, _)| *c == id)?;
        match &self.net.nodes[n].kind {
            net::Kind::Memory(memory) => match &memory.back {
                memory::Back::Pad { bytes, .. } => Some(bytes),
                memory::Back::Axi { .. } => None,
            },
            _ => None,
        }
    }

    /// The memory behind the AXI ports as it is now.
    pub fn memory(&self) -> &HostMemory {
        &self.environment.memory
    }

    /// The first rule of AXI that the fabric broke.
    pub fn broken_rule(&self) -> Option<&str> {
        self.environment.broken.as_deref()
    }

    /// Back to cycle 0.
    pub fn reset(&mut self) {
        self.net = self.start.clone();
        let e = &mut self.environment;
        e.memory = e.start.clone();
        e.broken = None;
        self.fresh_masters();
    }

    /// Memory's side of the AXI ports with nothing under way.
    fn fresh_masters(&mut self) {
        let e = &mut self.environment;
        e.masters.clear();
        for &(k, n) in &self.axi_nodes {
            if let net::Kind::Memory(memory) = &self.net.nodes[n].kind {
                e.masters.push(Master::new(k, memory.shape.width, &e.options));
            }
        }
    }

    /// Number of the next cycle.
    pub fn cycle(&self) -> u64 {
        self.net.shared.cycle
    }

    /// The first run-time error so far.
    pub fn error(&self) -> Option<(HwError, Unit)> {
        self.net.shared.error.map(|(error, unit)| (error, Unit(unit)))
    }

    /// One cycle: the boundary's valids and readys go in, what the fabric shows in that cycle comes out, and the
    /// clock edge is done. Ports beyond the end of a slice are not valid, not ready.
    pub fn step(&mut self, inputs: &[Offer], out_ready: &[bool]) -> &Boundary {
        self.with_own_memory(|model, memory| model.step_on(memory, inputs, out_ready));
        &self.ports
    }

    /// Does something on the memory that was attached.
    fn with_own_memory<T>(&mut self, act: impl FnOnce(&mut NativeModel, &mut dyn Subordinate) -> T) -> T {
        let mut memory = std::mem::take(&mut self.environment.memory);
        let result = act(self, &mut memory);
        self.environment.memory = memory;
        result
    }

    fn step_on(&mut self, host: &mut dyn Subordinate, inputs: &[Offer], out_ready: &[bool]) {
        self.drive(inputs, out_ready);
        let cycle = self.net.shared.cycle;
        for (&(_, n), master) in self.axi_nodes.iter().zip(&self.environment.masters) {
            if let net::Kind::Memory(memory) = &mut self.net.nodes[n].kind {
                if let memory::Back::Axi { seen, .. } = &mut memory.back {
                    *seen = master.inputs(cycle);
                }
            }
        }
        self.net.settle();
        for (ready, &w) in self.ports.in_ready.iter_mut().zip(&self.inputs) {
            *ready = w != NEVER && self.net.wires[w as usize].ready;
        }
        for (out, &w) in self.ports.out.iter_mut().zip(&self.outputs) {
            let wire = self.net.wires[w as usize];
            *out = Offer { valid: w >= FIRST && wire.valid, data: wire.data, tag: u64::from(wire.tag) };
        }
        self.net.clock();
        let Environment { masters, broken, .. } = &mut self.environment;
        for (&(_, n), master) in self.axi_nodes.iter().zip(masters) {
            if let net::Kind::Memory(memory) = &mut self.net.nodes[n].kind {
                if let memory::Back::Axi { out, .. } = &memory.back {
                    if let Some(rule) = master.clock(cycle, out, host) {
                        broken.get_or_insert(rule);
                    }
                }
            }
        }
    }

    fn drive(&mut self, inputs: &[Offer], out_ready: &[bool]) {
        for (k, &w) in self.inputs.iter().enumerate().filter(|(_, &w)| w != NEVER) {
            let offer = inputs.get(k).copied().unwrap_or_default();
            wire::put(&mut self.net.wires, w, offer.valid, offer.data, offer.tag as u32);
        }
        for (k, &w) in self.outputs.iter().enumerate().filter(|(_, &w)| w >= FIRST) {
            self.net.wires[w as usize].ready = out_ready.get(k).copied().unwrap_or(false);
        }
    }
}
