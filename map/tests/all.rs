//! The tests of this crate in one binary: linking costs more than most of them.

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
