//! Diagnostics as values: a stable code, a message, the place in the user's text, notes and help.
//!
//! Crates build them, only the command line prints them. Text follows one form: lower case, no full stop, names
//! in backticks, what was found against what is allowed, and in `help` what to do.

use serde::Serialize;
use std::ops::Range;

/// A stable error code with the one-line title its documentation page has. Each crate lists its codes in one
/// `CODES` table; the first letter names the crate (`D` dfg, `F` front, `L` llvm, `A` adg, `M` map, `G` gen, `S` sim and cases,
/// `V` verif, `C` command line). A crate that meets no user's text, such as hdl, has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code {
    /// For instance `A0102`.
    pub id: &'static str,
    /// One line, for the catalogue.
    pub title: &'static str,
}

impl Code {
    /// A code; for the `CODES` tables.
    pub const fn new(id: &'static str, title: &'static str) -> Self {
        Code { id, title }
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The result is refused.
    Error,
    /// The result stands.
    Warning,
}

/// A named text that spans point into.
#[derive(Clone, Debug)]
pub struct Source {
    /// File name as the user wrote it.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A named text. A mark of the byte order before it is no part of any format.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        Source { name: name.into(), text }
    }

    /// 1-based line and column (in characters) of a byte offset.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}

/// A place in a [`Source`], in bytes, with a few words about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Byte range.
    pub span: Range<usize>,
    /// May be empty.
    pub text: String,
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// What was found against what is allowed.
    pub message: String,
    /// The first label is the primary place. Empty when the problem has no place in a text.
    pub labels: Vec<Label>,
    /// Facts that help to understand.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
}

/// The diagnostics of one run; `Err` of most functions.
pub type Diagnostics = Vec<Diagnostic>;

impl Diagnostic {
    /// An error without a place yet.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// A warning without a place yet.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Adds a place; the first one added is the primary one.
    pub fn at(mut self, span: Range<usize>, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a place when there is one.
    pub fn at_opt(self, span: Option<Range<usize>>, text: impl Into<String>) -> Self {
        match span {
            Some(span) => self.at(span, text),
            None => self,
        }
    }

    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Terminal text without colour, with file, line, column and the source line shown.
    pub fn render(&self, source: &Source) -> String {
        crate::render::render(self, source)
    }

    /// The form `--json` prints.
    pub fn to_json(&self, source: &Source) -> serde_json::Value {
        let place = self.labels.first().map(|l| source.line_column(l.span.start));
        serde_json::json!({
            "code": self.code.id,
            "severity": self.severity,
            "message": self.message,
            "file": source.name,
            "line": place.map(|p| p.0),
            "column": place.map(|p| p.1),
            "notes": self.notes,
            "help": self.help,
        })
    }
}

/// Whether any of them is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: Code = Code::new("T0001", "test");

    #[test]
    fn renders_place_notes_and_help() {
        let source = Source::new("x.toml", "a = 1\nbb = 22\n");
        let d = Diagnostic::error(CODE, "`bb` is 22, the limit is 20")
            .at(11..13, "too large")
            .note("a fact")
            .help("use 20");
        let text = d.render(&source);
        for part in
            ["error[T0001]: `bb` is 22", "x.toml:2:6", "bb = 22", "too large", "note: a fact", "help: use 20"]
        {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert_eq!(d.to_json(&source)["line"], 2);
    }

    #[test]
    fn a_span_outside_the_text_does_not_panic() {
        let source = Source::new("x", "é");
        Diagnostic::error(CODE, "m").at(1..99, "").render(&source);
        assert_eq!(source.line_column(99), (1, 2));
    }
}
