//! Verification: random programs through every model, proofs of the leaf modules, measurements.
//!
//! Guarantees: a seed draws the same program on any machine; what is compared, and when it agrees, is
//! [`loom_flow::report`]'s.

pub mod bench;
pub mod codes;
pub mod formal;
pub mod fuzz;
pub mod h7;
pub mod page;
pub mod throughput;
