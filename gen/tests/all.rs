//! The tests of this crate in one binary: linking costs more than most of them.

mod elaborate;
mod equivalence;
mod images;
mod patch;
mod paths;
mod readable;
mod regions;
mod shown;
