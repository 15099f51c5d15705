//! Verilator as a library, and a fabric's Verilog driven through it.
//!
//! [`verilate`] builds the Verilog of a fabric, or finds it in a cache; [`FabricModel`] loads a bitstream into it and plays
//! the boundary; [`model`] does the first for any design; [`coverage`] sums what was covered on the way; [`tools`] finds
//! and runs programs; [`files`] reads and writes what is the user's.
//!
//! Guarantees: `verilator -Wall` runs without waivers; the boundary and the memory behind it are those the native model
//! sees, cycle by cycle. Refuses, with the package that brings it, where a tool is missing. This crate runs processes and
//! keeps files in the cache that it is given; it decides nothing about right and wrong.

mod cache;
pub mod codes;
pub mod coverage;
pub mod fabric;
pub mod files;
pub mod model;
pub mod tools;

pub use fabric::{FabricModel, Loaded, VerilogTrace};
pub use model::{BuildOptions, Built};

use loom_adg::Fabric;
use loom_base::Diagnostics;
use model::PortSpec;
use std::path::Path;
use std::sync::Arc;

/// Builds a fabric's Verilog model, or finds it in the cache.
pub fn verilate(fabric: &Fabric, options: BuildOptions, cache: &Path) -> Result<Arc<Built>, Diagnostics> {
    let made = loom_gen::elaborate(fabric)?;
    model::build(&made.files(), &made.top, &top_ports(&made), options, cache)
}

/// The ports of a fabric's top.
pub fn top_ports(made: &loom_gen::Elaborated) -> Vec<PortSpec> {
    let ports = made.ports().into_iter();
    let input = loom_gen::fabric::Direction::Input;
    ports.map(|p| PortSpec { name: p.name, width: p.width, input: p.direction == input }).collect()
}
