//! The front end: structured programs (MLIR text), what they mean, and how they become dataflow graphs.

pub mod codes;
pub mod compile;
pub mod depend;
pub mod differential;
pub mod domain;
pub mod edit;
pub mod interp;
pub mod invariants;
pub mod ir;
pub mod legalize;
pub mod lower;
pub mod normalize;
pub mod order;
pub mod passes;
pub mod random;
pub mod regime;
pub mod select;
pub mod structure;
pub mod text;
pub mod verify;

pub use text::{parse, print};
