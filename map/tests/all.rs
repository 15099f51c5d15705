//! The tests of this crate in one binary: what they share is compiled once, and none waits for the file before its own.

mod arch_check;
mod casts;
mod checker;
mod common;
mod covers;
mod elementary;
mod exact;
mod kernels;
mod large;
mod mapping;
mod memory;
mod memory_tables;
mod more_hardware;
mod nest;
mod ports;
mod refusals;
mod tags;
