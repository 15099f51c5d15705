//! The front end: structured programs (MLIR text), what they mean, and how they become dataflow graphs.

pub mod ir;
