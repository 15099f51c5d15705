//! The diagnostics of this crate.

use loom_base::Code;

/// A program this crate runs is not installed.
pub const TOOL_MISSING: Code = Code::new("V0101", "a tool is not installed");
/// A program this crate runs failed.
pub const TOOL_FAILED: Code = Code::new("V0102", "a tool failed");
/// The model cache cannot be used.
pub const CACHE: Code = Code::new("V0103", "the model cache cannot be used");
/// The models disagree.
pub const MISMATCH: Code = Code::new("V0201", "the models disagree");
/// The golden model did not finish.
pub const GOLDEN: Code = Code::new("V0202", "the golden model did not finish");
/// The fabric did not finish.
pub const UNFINISHED: Code = Code::new("V0203", "the fabric did not finish");
/// The fabric reported an error.
pub const HARDWARE_ERROR: Code = Code::new("V0204", "the fabric reported an error");
/// What the case expects is not what the golden model computes.
pub const EXPECTATION: Code = Code::new("V0205", "the case expects something else");

/// A proof of a module failed, or proved nothing.
pub const PROOF: Code = Code::new("V0301", "a proof failed");
/// No proof of that name.
pub const PROOF_UNKNOWN: Code = Code::new("V0302", "there is no such proof");

/// Coverage data cannot be read or collected.
pub const COVERAGE: Code = Code::new("V0401", "coverage data cannot be used");

/// Every code, for the catalogue.
pub const CODES: &[Code] = &[
    TOOL_MISSING,
    TOOL_FAILED,
    CACHE,
    MISMATCH,
    GOLDEN,
    UNFINISHED,
    HARDWARE_ERROR,
    EXPECTATION,
    PROOF,
    PROOF_UNKNOWN,
    COVERAGE,
];
