//! The tests of this crate in one binary: linking costs more than most of them.

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
