//! The diagnostics of this crate.

use loom_base::Code;

/// A cell library is not there, or a mapping to it is not complete.
pub const LIBRARY: Code = Code::new("V0501", "a cell library that cannot be used");
/// No tile of that name.
pub const NO_TILE: Code = Code::new("V0502", "there is no such tile");
/// A tool printed something else than it should.
pub const REPORT: Code = Code::new("V0503", "the report of a tool cannot be read");
/// A space that is none, or names what is not there.
pub const SPACE: Code = Code::new("V0504", "a space that cannot be explored");
/// A point's folder or result, or a kernel that does not run to its end on it.
pub const POINT: Code = Code::new("V0505", "a point that cannot be evaluated");

/// Every code, for the catalogue.
pub const CODES: &[Code] = &[LIBRARY, NO_TILE, REPORT, SPACE, POINT];
