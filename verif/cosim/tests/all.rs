//! The tests of this crate in one binary: linking costs more than most of them.

mod fabrics;
mod gates;
mod images;
mod lanes;
mod loader;
mod memory;
mod noise;
