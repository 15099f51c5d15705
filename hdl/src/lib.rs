//! Hardware modules in Rust, and the Verilog printer.
//!
//! Guarantees: a module is checked before it is printed, and the same name always means the same text.
//! Refuses, by panicking: builders that connect widths that differ; that is a bug here, never bad user input.

pub mod ir;
