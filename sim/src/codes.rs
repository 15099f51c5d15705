//! Diagnostic codes of this crate: one table, read by the documentation.

use loom_base::Code;

/// Wider than 64 bits.
pub const TOO_WIDE: Code = Code::new("S0001", "a fabric port or switch too wide for the native model");
/// A function unit the contract has no equations for.
pub const UNSUPPORTED: Code = Code::new("S0002", "a function unit body the native model does not know");
/// Never in a legal fabric.
pub const CYCLE: Code = Code::new("S0003", "a combinational cycle in a configured fabric");
/// TOML grammar.
pub const SYNTAX: Code = Code::new("S0101", "a case file that is not TOML");
/// A key nobody reads.
pub const UNKNOWN_KEY: Code = Code::new("S0102", "an unknown key or section in a case file");
/// A TOML type that does not fit.
pub const WRONG_TYPE: Code = Code::new("S0103", "a value of the wrong kind in a case file");
/// A number that does not fit.
pub const OUT_OF_RANGE: Code = Code::new("S0104", "a number outside its range in a case file");
/// No such argument.
pub const UNKNOWN_ARGUMENT: Code = Code::new("S0105", "inputs for an argument the graph does not have");
/// An argument without tokens.
pub const MISSING_ARGUMENT: Code = Code::new("S0106", "an argument without inputs");
/// No such result.
pub const UNKNOWN_RESULT: Code = Code::new("S0107", "an expectation for a result the graph does not have");
/// `{ ... }` with keys that do not go together.
pub const BAD_STREAM: Code = Code::new("S0108", "a generated stream with missing or contradicting keys");
/// More tokens than a case may have.
pub const TOO_MANY: Code = Code::new("S0109", "a stream with too many tokens");
/// An argument memory without contents.
pub const MISSING_MEMORY: Code = Code::new("S0110", "a memory behind an argument without words");
/// No such memory.
pub const UNKNOWN_MEMORY: Code = Code::new("S0111", "words for a memory the graph does not have");
/// Sizes and parts.
pub const BAD_MEMORY: Code =
    Code::new("S0112", "words that do not fit their memory, or a bad part of another memory");

/// All of them, for the catalogue.
pub const CODES: &[Code] = &[
    TOO_WIDE,
    UNSUPPORTED,
    CYCLE,
    SYNTAX,
    UNKNOWN_KEY,
    WRONG_TYPE,
    OUT_OF_RANGE,
    UNKNOWN_ARGUMENT,
    MISSING_ARGUMENT,
    UNKNOWN_RESULT,
    BAD_STREAM,
    TOO_MANY,
    MISSING_MEMORY,
    UNKNOWN_MEMORY,
    BAD_MEMORY,
];
