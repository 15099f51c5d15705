//! The input budget: how much of what somebody gives is read, kept and shown; `docs/limits.md` is its page.
//!
//! Each reader takes its numbers from here, so that no input costs more than its size allows. Limits of the language and of the
//! hardware (widths, ports, depths) stand with what they limit.

/// Bytes of a file that is read.
pub const MAX_BYTES: u64 = 64 << 20;
/// Attributes, types and numbers that the aliases of a text may stand for, all uses counted.
pub const MAX_NODES: usize = 1 << 20;
/// Types and attributes inside each other.
pub const MAX_DEPTH: usize = 80;
/// Problems that are kept of cutting a text into tokens; readers keep fewer.
pub const MAX_PROBLEMS: usize = 200;
/// Problems of TOML's own grammar from which on the rest of a text is not read.
pub const MAX_TOML_PROBLEMS: usize = 100;
/// Bytes of TOML of which all problems are found before the first are looked at.
pub const TOML_PART: usize = 1 << 16;
/// Bytes of TOML that are read at least before keys that are not known end it.
pub const TOML_FOREIGN: usize = 1 << 20;
/// Problems that are shown, of a file or a command.
pub const MAX_SHOWN: usize = 20;
/// Bytes of source that are drawn around the place of a problem.
pub const MAX_DRAWN: usize = 1 << 14;
/// Places that are shown of one problem.
pub const MAX_PLACES: usize = 8;
/// Names among which one is looked for that somebody may have meant.
pub const MAX_NEAR: usize = 10_000;
/// Columns of a line that is drawn whole.
pub const MAX_COLUMNS: usize = 240;
