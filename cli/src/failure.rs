//! Why a command stopped.

use loom_base::{Code, Diagnostic, Diagnostics, Source};
use loom_flow::clang::ClangError;
use std::path::Path;

/// A file that cannot be read or written.
pub const FILE: Code = Code::new("C0001", "a file cannot be read or written");

/// Why a command stopped: diagnostics and the text they point into.
#[derive(Debug)]
pub struct Failure {
    /// What the spans point into; a nameless empty one when there is no text.
    pub source: Source,
    /// What went wrong.
    pub diagnostics: Diagnostics,
}

impl Failure {
    /// Problems in a text.
    pub fn new(source: &Source, diagnostics: Diagnostics) -> Self {
        Failure { source: source.clone(), diagnostics }
    }

    /// Problems that have no place in a text.
    pub fn plain(diagnostics: Diagnostics) -> Self {
        Failure { source: Source::new("", ""), diagnostics }
    }

    /// C or C++ that is refused; what clang said comes first.
    pub fn clang(source: &Source, error: ClangError) -> Self {
        eprint!("{}", error.said);
        Failure::new(source, error.diagnostics)
    }

    /// A run that could not be: a fault of the program has its place there, anything else is the case's.
    pub fn of_run(program: &Source, case: &Source, diagnostics: Diagnostics) -> Self {
        let placed = diagnostics.iter().any(|d| !d.labels.is_empty());
        Failure::new(if placed { program } else { case }, diagnostics)
    }

    /// A file that cannot be read or written.
    pub fn io(path: &Path, what: String) -> Self {
        Failure::plain(vec![Diagnostic::error(FILE, format!("`{}` {what}", path.display()))])
    }
}
