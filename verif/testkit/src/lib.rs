//! What tests of several crates share: software models of the components with the checks that hold modules against them,
//! random graphs, programs and images, mistakes in modules, fabrics, and the system's tools.
//!
//! - [`components`]: each module made from the architecture model beside a model written from `docs/hardware.md` alone. The
//!   checks are this crate's own tests, and what judges mutants;
//! - [`fabrics`]: the shipped fabrics and others by file, their verilated models, images that mean nothing;
//! - [`random_fabric`]: legal fabrics of every component, drawn from a seed;
//! - [`graphs`], [`programs`]: random graphs and structured programs, [`differential`] what the latter mean against their graphs;
//! - [`unit_graphs`]: small graphs of what a fabric has units for;
//! - [`mutate`], [`choose`]: mistakes in a module, one at a time or all in one text;
//! - [`tools`]: Verilator, yosys and Icarus on a module.
//!
//! Guarantees: a check panics when the module does anything that the page does not say, and never on chance: it is drawn from
//! a seed. A missing tool panics with the package that brings it. Of the
//! product only the fuzzer, the benchmarks and their commands depend on this crate.

pub mod choose;
pub mod components;
pub mod differential;
pub mod fabrics;
pub mod graphs;
pub mod mutate;
pub mod programs;
pub mod random_fabric;
pub mod tools;
pub mod unit_graphs;
