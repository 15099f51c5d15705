//! The tests of this crate in one binary: what they share is compiled once, and none waits for the file before its own.

mod fabrics;
mod gates;
mod images;
mod lanes;
mod loader;
mod memory;
mod noise;
