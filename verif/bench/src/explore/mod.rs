//! Exploration: many fabrics of one kind, each held against the same kernels.
//!
//! A [`space`] is a base fabric and axes along which it changes. A [`point`] is a folder with a fabric, a list of kernels and, once it
//! was evaluated, one result: whatever can run a command in a folder can evaluate points, in any order and on any machine. The
//! [`search`] decides which points; [`front`] says which of them nothing beats, [`picture`] draws them.
//!
//! Guarantees: the same space, budget and seed give the same points and the same files, for any number of threads; a point whose
//! result is there is not evaluated again. Refuses: a space with an axis that changes nothing, values that make no fabric.

pub mod front;
pub mod picture;
pub mod point;
pub mod search;
pub mod space;

use crate::codes;
use loom_base::{Diagnostic, Diagnostics};
use loom_cosim::files;
use std::path::Path;

/// Reads a file.
fn read(path: &Path) -> Result<String, Diagnostics> {
    files::read_text(path).map_err(|e| io(path, &format!("cannot be read: {e}")))
}

/// Writes a file beside its place, then renames it: whoever looks never finds half of one.
pub fn write(path: &Path, text: &str) -> Result<(), Diagnostics> {
    files::write(path, text.as_bytes()).map_err(|e| io(path, &format!("cannot be written: {e}")))
}

fn io(path: &Path, what: &str) -> Diagnostics {
    vec![Diagnostic::error(codes::POINT, format!("`{}` {what}", path.display()))]
}
