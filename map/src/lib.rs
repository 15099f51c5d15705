//! Mapping a dataflow graph onto a fabric: placement, routing, slack, bounds, and a legality check written apart.
//!
//! Guarantees: the same seed and inputs give the same mapping on any machine; a mapping that is returned passed
//! [`check`]. The mapper sees resources, channels and legality, never file formats or Verilog.

pub mod mapping;

pub use mapping::{Mapping, Placement, Route, Step};
