//! Verification: Verilator as a library, co-simulation, comparison of the models, random programs, benchmarks.
//!
//! [`run`] is the whole chain for one kernel, fabric and case. Guarantees: golden model, native model and Verilog
//! are compared token for token, the last two cycle for cycle, and nothing may be left in flight in any of them.

pub mod bench;
pub mod codes;
pub mod cosim;
pub mod coverage;
pub mod formal;
pub mod fuzz;
pub mod h7;
pub mod host;
pub mod model;
pub mod run;
pub mod section;
pub mod software;
pub mod throughput;
pub mod tools;
