//! The tests of this crate in one binary: what they share is compiled once, and none waits for the file before its own.

mod area;
mod common;
mod control;
mod curves;
mod expressions;
mod float_digits;
mod floats;
mod integers;
mod ir;
mod leaves;
#[path = "common/floats.rs"]
mod operands;
mod parts;
mod pipelines;
mod shared;
