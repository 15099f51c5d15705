//! The tests of this crate in one binary: linking costs more than most of them.

mod bad;
mod common;
mod components;
mod configs;
mod direct;
mod kernels;
mod record;
mod state_machines;
mod sum_loop;
mod tags;
