//! The tests of this crate in one binary: what they share is compiled once, and none waits for the file before its own.

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
