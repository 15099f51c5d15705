//! The tests of this crate in one binary: linking costs more than most of them.

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
