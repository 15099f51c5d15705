//! The tests of this crate in one binary: linking costs more than most of them.

mod bitstream;
mod c_kernels;
mod cache;
mod catalogue;
mod citations;
mod cli;
mod common;
mod docs;
mod exec;
mod explore;
mod hard;
mod imports;
mod init;
mod names;
mod patch;
mod ppa;
mod smallest;
