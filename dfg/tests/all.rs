//! The tests of this crate in one binary: linking costs more than most of them.

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
