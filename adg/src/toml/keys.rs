//! The keys of a fabric file.

use super::schema::COMPONENTS;
use crate::codes;
use loom_base::Diagnostic;
use std::ops::Range;

/// Tables of components that this version does not know.
pub const UNBUILT: [&str; 1] = ["temporal_pe"];

/// Keys of a fabric file, beside the components.
const KEYS: [&str; 10] =
    ["name", "index_width", "use", "fu", "tile", "mesh", "input", "output", "instance", "connect"];

/// Whether a fabric or a template file may have the key, as far as this or a later version knows.
pub fn is_key(key: &str) -> bool {
    KEYS.contains(&key) || COMPONENTS.contains(&key) || UNBUILT.contains(&key)
}

/// A key of the file that it cannot have.
pub fn no_key(key: &str, span: Range<usize>) -> Diagnostic {
    let (front, back) = KEYS.split_at(4);
    Diagnostic::error(codes::TOML_SHAPE, format!("`{key}` is no key of a fabric file"))
        .at(span, "here")
        .help(format!("allowed are: {} {} {}", front.join(" "), COMPONENTS.join(" "), back.join(" ")))
}
