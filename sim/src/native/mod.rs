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
mod net;
mod prune;
mod report;
mod run;
mod switch;
mod unit;
mod wire;

pub use build::units;
pub use run::{Limits, PeActivity, Stimulus, Stop, Token, Trace, Value, Waiting};

use loom_adg::{Adg, ComponentId, Flat, HwError, Image, Layout};
use loom_base::Diagnostic;
use loom_dfg::OpKind;
use net::Net;
use std::fmt;
use wire::{FIRST, NEVER, W};

/// A component with configuration, numbered in flattened order: `error_unit`. [`units`] maps it to components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unit(pub u32);

impl Unit {
    /// What error 16 shows: the loader is no component.
    pub const LOADER: Unit = Unit(0xffff);
}

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
pub struct Ports {
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
    ports: Ports,
}

impl NativeModel {
    /// Decodes an image. A configuration error is the one the hardware shows: smallest code, then smallest unit.
    pub fn new(adg: &Adg, flat: &Flat, layout: &Layout, image: &Image) -> Result<NativeModel, Refusal> {
        let built = build::build(adg, flat, layout, image)?;
        let ends = flat.channels.iter().zip(&built.ends_at).map(|(c, &end)| {
            (build::source_name(flat, adg, c.source), build::sink_name(flat, adg, flat.channels[end].sink))
        });
        let ends = ends.collect();
        Ok(NativeModel {
            ports: Ports {
                in_ready: vec![false; built.inputs.len()],
                out: vec![Offer::default(); built.outputs.len()],
            },
            start: built.net.clone(),
            net: built.net,
            inputs: built.inputs,
            outputs: built.outputs,
            pes: built.pes,
            paths: flat.components.iter().map(|c| c.path.clone()).collect(),
            ends,
        })
    }

    /// Back to cycle 0.
    pub fn reset(&mut self) {
        self.net = self.start.clone();
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
    pub fn step(&mut self, inputs: &[Offer], out_ready: &[bool]) -> &Ports {
        self.drive(inputs, out_ready);
        self.net.settle();
        for (ready, &w) in self.ports.in_ready.iter_mut().zip(&self.inputs) {
            *ready = w != NEVER && self.net.wires[w as usize].ready;
        }
        for (out, &w) in self.ports.out.iter_mut().zip(&self.outputs) {
            let wire = self.net.wires[w as usize];
            *out = Offer { valid: w >= FIRST && wire.valid, data: wire.data, tag: u64::from(wire.tag) };
        }
        self.net.clock();
        &self.ports
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
