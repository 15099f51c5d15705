//! Places in the user's source, and refusals that name them.

use crate::codes;
use crate::text::Place;
use loom_base::{Code, Diagnostic, Source};
use std::ops::Range;

/// Turns lines and columns into spans of the one text that diagnostics point into; other files are named in notes.
pub(crate) struct Places<'s> {
    source: &'s Source,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl<'s> Places<'s> {
    pub fn new(source: &'s Source) -> Places<'s> {
        let starts = source.text.match_indices('\n').map(|(i, _)| i + 1);
        Places { source, lines: [0].into_iter().chain(starts).collect() }
    }

    /// The word or sign at a place of the main file.
    pub fn span(&self, place: Option<&Place>) -> Option<Range<usize>> {
        // Clang may leave out the working folder.
        let is_main = |file: &str| {
            self.source.name.strip_suffix(file).is_some_and(|s| s.is_empty() || s.ends_with('/'))
        };
        let place = place.filter(|p| is_main(&p.file))?;
        let line = *self.lines.get(place.line.checked_sub(1)?)?;
        let end = self.lines.get(place.line).map_or(self.source.text.len(), |next| next - 1);
        let text = self.source.text.get(line..end)?;
        // Columns count bytes from 1; column 0 means the line.
        let Some(column) =
            place.column.checked_sub(1).filter(|&c| text.is_char_boundary(c) && c < text.len())
        else {
            let indent = text.len() - text.trim_start().len();
            return Some(line + indent..end.max(line + indent));
        };
        let rest = &text[column..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match rest.find(|c| !is_word(c)) {
            Some(0) => rest.chars().next().map_or(0, char::len_utf8),
            Some(n) => n,
            None => rest.len(),
        };
        Some(line + column..line + column + length)
    }

    /// Adds a place: a label in the main file, a note elsewhere.
    pub fn at(&self, diagnostic: Diagnostic, place: Option<&Place>, text: &str) -> Diagnostic {
        match (self.span(place), place) {
            (Some(span), _) => diagnostic.at(span, text),
            (None, Some(p)) => {
                let what = if text.is_empty() { String::new() } else { format!(": {text}") };
                diagnostic.note(format!("at {}:{}:{}{what}", p.file, p.line, p.column))
            }
            (None, None) => diagnostic,
        }
    }

    /// An error with its place and a cure.
    pub fn refuse(
        &self,
        code: Code,
        place: Option<&Place>,
        message: impl Into<String>,
        help: &str,
    ) -> Diagnostic {
        self.at(Diagnostic::error(code, message), place, "").help(help)
    }

    /// Refuses text that mlir-translate does not write.
    pub fn not_understood(&self, place: Option<&Place>, why: &str) -> Diagnostic {
        let message = format!("text of the LLVM dialect in which {why}");
        self.refuse(codes::UNREADABLE, place, message, "mlir-translate 19 is what is understood")
    }

    /// Refuses a call that is left after inlining.
    pub fn no_body(&self, name: &str, place: Option<&Place>) -> Diagnostic {
        if matches!(
            name,
            "malloc" | "calloc" | "realloc" | "free" | "_Znwm" | "_Znam" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm"
        ) {
            let help = "let the host allocate it and pass it as an argument, or use a local array";
            return self.refuse(
                codes::STORAGE,
                place,
                format!("`{name}`: memory that is allocated at run time"),
                help,
            );
        }
        if name.starts_with("__cxa_") {
            let help = "return a value that says what went wrong; what catches it stays with the host";
            return self.refuse(codes::CALL, place, "an exception (`throw`, `try`)".to_string(), help);
        }
        let help = match name {
            "__mulsc3" | "__muldc3" | "__divsc3" | "__divdc3" => {
                "put `#pragma STDC CX_LIMITED_RANGE ON` before the first line: products of complex numbers then leave out infinities"
            }
            "__assert_fail" => "compile with `-DNDEBUG`, or leave assertions to the host",
            _ => {
                "give its source too, so that it becomes part of the function, or leave the call to the host"
            }
        };
        self.refuse(codes::CALL, place, format!("a call of `{name}`, whose body is not here"), help)
    }
}
