//! The tests of this crate in one binary: what they share is compiled once, and none waits for the file before its own.

mod bad;
mod configs;
mod cost;
mod cycles;
mod lanes;
mod large;
mod limits;
mod reach;
mod robust;
mod round_trip;
