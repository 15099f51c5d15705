//! The diagnostics of this crate.

use loom_base::Code;

/// A proof of a module failed, or proved nothing.
pub const PROOF: Code = Code::new("V0301", "a proof failed");
/// No proof of that name.
pub const PROOF_UNKNOWN: Code = Code::new("V0302", "there is no such proof");

/// Every code, for the catalogue.
pub const CODES: &[Code] = &[PROOF, PROOF_UNKNOWN];
