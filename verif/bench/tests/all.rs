//! The tests of this crate in one binary: linking costs more than most of them.

mod bounds;
mod c_kernels;
mod cost_model;
mod explore;
mod h7;
mod ppa;
mod throughput;
