//! Hardware modules in Rust, and the Verilog printer.
//!
//! [`ir`] is the module IR with its printer, checks and evaluator. [`control`] holds the state machines' control in
//! rust-hdl, [`import`] brings it into the IR, and [`leaf`] adds datapaths of any width around it.
//!
//! Guarantees: a module is checked before it is printed, and the same name always means the same text.
//! Refuses, by panicking: builders that connect widths that differ; that is a bug here, never bad user input.

mod channel;
pub mod control;
pub mod import;
pub mod ir;
pub mod leaf;
pub mod parts;

pub use channel::{Channel, Pins};
