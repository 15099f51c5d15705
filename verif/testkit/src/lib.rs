//! What tests of several crates share: software models of the components with the checks that hold modules against them,
//! fabrics with random images for them, and the system's tools.
//!
//! - [`components`]: each module made from the architecture model beside a model written from `docs/hardware.md` alone. The
//!   checks are this crate's own tests, and what judges mutants;
//! - [`fabrics`]: the shipped fabrics and others by file, their verilated models, images that mean nothing;
//! - [`tools`]: Verilator, yosys and Icarus on a module.
//!
//! Guarantees: a check panics when the module does anything that the page does not say, and never on chance: it is drawn from
//! a seed. A missing tool panics with the package that brings it. No product crate depends on this one.

pub mod components;
pub mod fabrics;
pub mod tools;
