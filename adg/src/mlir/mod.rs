//! The `.fabric.mlir` form of an architecture (docs/fabric.md).
//!
//! Guarantees: `read(write(adg)) == adg` for every legal architecture, and writing what was read from a written text
//! gives the same bytes. [`read`] refuses what legality refuses, with the place in the text.

mod attributes;
mod read;
mod write;

pub use read::{load, read};
pub use write::write;
