//! The tests of this crate in one binary: what they share is compiled once, and none waits for the file before its own.

mod elaborate;
mod equivalence;
mod images;
mod patch;
mod paths;
mod readable;
mod regions;
mod shown;
