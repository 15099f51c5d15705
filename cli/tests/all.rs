//! The tests of this crate in one binary: what they share is compiled once, and none waits for the file before its own.

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
