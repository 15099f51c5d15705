//! The tests of this crate in one binary: what they share is compiled once, and none waits for the file before its own.

mod docs;
mod examples;
mod float;
mod integers;
mod kernels;
mod least_cycles;
mod memory;
mod random;
mod table;
mod text;
