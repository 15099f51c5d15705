//! Hardware modules in Rust, and the Verilog printer.
//!
//! [`ir`] is the module IR with its printer, checks and evaluator. [`control`] holds the state machines' control in
//! rust-hdl, [`import`] brings it into the IR, [`leaf`] adds datapaths of any width around it, and
//! [`parts`] makes the modules of a fabric from its model. What a unit computes in several cycles is cut into stages.
//!
//! Guarantees: a module is checked before it is printed, and the same name always means the same text.
//! Refuses, by panicking: builders that connect widths that differ; that is a bug here, never bad user input.
//!
//! ```
//! use loom_adg::{model::FifoKind, ChannelType};
//! use loom_hdl::{ir::{Design, Module}, leaf, Channel, Pins};
//! let mut m = Module::new("two_deep");
//! let input = Channel::input(&mut m, "in", ChannelType::bits(8));
//! let output = Channel::output(&mut m, "out", ChannelType::bits(8));
//! let mut pins = Pins::new();
//! pins.channel("in", &input).channel("out", &output);
//! let buffer = m.instance("buffer", &leaf::fifo(8, 0, 2, FifoKind::Registered), &pins);
//! m.assign_output("busy", buffer.out("busy"));
//! let mut design = Design::new();
//! design.add(&m.finish());
//! design.check("two_deep").expect("well formed");
//! assert!(design.print("two_deep").contains("output wire [7:0] out_data"));
//! ```

mod channel;
pub mod control;
pub mod import;
pub mod ir;
pub mod leaf;
pub mod parts;
mod stages;

pub use channel::{Channel, Pins};
