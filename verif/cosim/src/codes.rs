//! The diagnostics of this crate.

use loom_base::Code;

/// A program this crate runs is not installed.
pub const TOOL_MISSING: Code = Code::new("V0101", "a tool is not installed");
/// A program this crate runs failed.
pub const TOOL_FAILED: Code = Code::new("V0102", "a tool failed");
/// The model cache cannot be used.
pub const CACHE: Code = Code::new("V0103", "the model cache cannot be used");
/// A program this crate runs is too old.
pub const TOOL_OLD: Code = Code::new("V0104", "a tool is too old");
/// The limit on the time of tools is none.
pub const LIMIT: Code = Code::new("V0105", "the seconds that a tool may take are no such number");
/// Coverage data cannot be read or collected.
pub const COVERAGE: Code = Code::new("V0401", "coverage data cannot be used");

/// Every code, for the catalogue.
pub const CODES: &[Code] = &[TOOL_MISSING, TOOL_FAILED, CACHE, TOOL_OLD, LIMIT, COVERAGE];
