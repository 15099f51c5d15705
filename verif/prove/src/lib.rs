//! Unbounded proofs of the leaf modules: `make formal`.
//!
//! An entry of [`table`] is a module from our generator, at run time, under a harness of `verif/prove/formal/`. The harness
//! holds the assumptions (neighbours keep the protocol), a reference written from the specification's phases and the hardware
//! contract, the properties, and cover points. [`prove`] gives it to yosys and ABC: properties hold in every reachable
//! state or the counter-example is written as a waveform; every cover point is reached, so no proof is empty;
//! H1 and the absence of loops are shown on the netlist. [`faults`] plants known mistakes and wants them found.
//!
//! Guarantees: `Proved` is for all time, never for so many cycles; modules are the ones `loom gen` prints.

pub mod codes;
mod components;
mod cosim;
mod entry;
pub mod faults;
mod memories;
mod prove;
mod report;
pub mod table;

pub use components::pe_3x2;
pub use cosim::{simulate, ProvedKernel};
pub use entry::Entry;
pub use prove::{prove, prove_all, Group, Proof, ProofOptions, ProofOutcome};
pub use report::{fault_table, table as report};
