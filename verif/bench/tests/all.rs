//! The tests of this crate in one binary: what they share is compiled once, and none waits for the file before its own.

mod bounds;
mod c_kernels;
mod cost_model;
mod explore;
mod h7;
mod ppa;
mod throughput;
