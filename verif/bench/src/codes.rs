//! The diagnostics of this crate.

use loom_base::Code;

/// A cell library is not there, or a mapping to it is not complete.
pub const LIBRARY: Code = Code::new("V0501", "a cell library that cannot be used");
/// No tile of that name.
pub const NO_TILE: Code = Code::new("V0502", "there is no such tile");
/// A tool printed something else than it should.
pub const REPORT: Code = Code::new("V0503", "the report of a tool cannot be read");

/// Every code, for the catalogue.
pub const CODES: &[Code] = &[LIBRARY, NO_TILE, REPORT];
