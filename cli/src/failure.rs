//! Why a command stopped.

use crate::terminal::{self, FILE};
use loom_base::limits::MAX_SHOWN;
use loom_base::{Code, Diagnostic, Diagnostics, Severity, Source};
use loom_flow::clang::ClangError;
use std::collections::BTreeMap;
use std::path::Path;

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
        terminal::err(&error.said);
        Failure::new(source, error.diagnostics)
    }

    /// A run that could not be: a fault of the program has its place there, anything else is the case's.
    pub fn of_run(program: &Source, case: &Source, diagnostics: Diagnostics) -> Self {
        let placed = diagnostics.iter().any(|d| !d.labels.is_empty());
        Failure::new(if placed { program } else { case }, diagnostics)
    }

    /// The form `--json` prints: the first diagnostics, and how many more there are.
    pub fn to_json(&self) -> serde_json::Value {
        let (first, more) = shown(&self.diagnostics);
        let list: Vec<_> = first.iter().map(|d| d.to_json(&self.source)).collect();
        match more {
            0 => serde_json::json!({ "diagnostics": list }),
            _ => serde_json::json!({ "diagnostics": list, "more": more }),
        }
    }

    /// A file that cannot be read or written.
    pub fn io(path: &Path, what: String) -> Self {
        Failure::plain(vec![Diagnostic::error(FILE, format!("`{}` {what}", path.display()))])
    }
}

/// The diagnostics that are shown, in their order, and the number of those that are not. Where there are too many, errors go before
/// warnings, and the first of each code before the second of another: what is wrong in one way only is not lost.
pub fn shown(diagnostics: &[Diagnostic]) -> (Vec<&Diagnostic>, usize) {
    let mut seen: BTreeMap<Code, usize> = BTreeMap::new();
    let rank = |(at, d): (usize, _)| {
        let d: &Diagnostic = d;
        let before = seen.entry(d.code).or_default();
        *before += 1;
        (d.severity != Severity::Error, *before, at)
    };
    let mut ranks: Vec<_> = diagnostics.iter().enumerate().map(rank).collect();
    ranks.sort_unstable();
    ranks.truncate(MAX_SHOWN);
    ranks.sort_unstable_by_key(|r| r.2);
    let list: Vec<&Diagnostic> = ranks.into_iter().map(|r| &diagnostics[r.2]).collect();
    let more = diagnostics.len() - list.len();
    (list, more)
}
