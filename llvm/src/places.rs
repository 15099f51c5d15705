//! Places in the user's source, and refusals that name them.

use crate::callees::{Callees, Cycle};
use crate::codes;
use crate::text::Place;
use loom_base::{Code, Diagnostic, Source};
use std::ops::Range;

/// Turns lines and columns into spans of the one text that diagnostics point into; other files are named in notes.
pub(crate) struct Places<'s> {
    source: &'s Source,
    /// Where each line begins.
    lines: Vec<usize>,
    /// What is known of the functions that stay calls.
    callees: Callees,
}

impl<'s> Places<'s> {
    pub fn new(source: &'s Source) -> Places<'s> {
        let starts = source.text.match_indices('\n').map(|(i, _)| i + 1);
        Places { source, lines: [0].into_iter().chain(starts).collect(), callees: Callees::default() }
    }

    /// With what is known of calls.
    pub fn with(self, callees: Callees) -> Places<'s> {
        Places { callees, ..self }
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

    /// Adds a place: a label in the main file, a note elsewhere, with a label where the main file comes there.
    pub fn at(&self, diagnostic: Diagnostic, place: Option<&Place>, text: &str) -> Diagnostic {
        let Some(p) = place else { return diagnostic };
        if let Some(span) = self.span(place) {
            return diagnostic.at(span, text);
        }
        let what = if text.is_empty() { String::new() } else { format!(": {text}") };
        let diagnostic = diagnostic.note(format!("at {}:{}:{}{what}", p.file, p.line, p.column));
        let callers = std::iter::successors(p.caller.as_deref(), |p| p.caller.as_deref());
        match callers.filter_map(|caller| self.span(Some(caller))).next() {
            Some(span) => diagnostic.at(span, "comes here"),
            None => diagnostic,
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

    /// Whether a function has a body, which does not become part of others for another reason than that it calls itself. Where
    /// nobody returns from, such as before an exception, none does.
    pub fn stays(&self, name: &str) -> bool {
        self.callees.has_body(name) && self.callees.cycle(name).is_none()
    }

    /// Refuses the call of a function that calls itself.
    fn recursive(&self, name: &str, cycle: &Cycle, place: Option<&Place>) -> Diagnostic {
        let through: Vec<String> = cycle.through.iter().map(|f| format!("`{f}`")).collect();
        let message = match &through[..] {
            [] => format!("`{name}` calls itself"),
            list => format!("`{name}` calls itself through {}", list.join(", ")),
        };
        let help = match name.contains("introsort_loop") || name.contains("introselect") {
            true => "use `std::make_heap` and `std::sort_heap`, or a loop of your own",
            false => RECURSION,
        };
        let diagnostic = self.refuse(codes::CALL, place, message, help);
        match cycle.place.as_ref().filter(|p| Some(*p) != place) {
            Some(own) if own.caller.is_some() => {
                self.at(diagnostic, Some(own), "its own call, in what it calls")
            }
            Some(own) => self.at(diagnostic, Some(own), "its own call"),
            None => diagnostic,
        }
    }

    /// Refuses the call of a function that takes any number of arguments.
    pub fn any_number(&self, name: &str, place: Option<&Place>) -> Diagnostic {
        let message = format!("a call of `{name}`, which takes any number of arguments");
        self.refuse(codes::CALL, place, message, "leave it to the host")
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
        if let Some(cycle) = self.callees.cycle(name) {
            return self.recursive(name, &cycle, place);
        }
        if self.stays(name) {
            let message = format!("a call of `{name}`, which does not become part of the function");
            let help = "give it the same parameters and result where it is declared, defined and called";
            return self.refuse(codes::CALL, place, message, help);
        }
        if throws(name) {
            let (message, help) = match name.starts_with("_ZSt") {
                true => (
                    format!("an exception that the library throws (`{name}`)"),
                    "test the index or size before, and use what does not throw: `[]` for `.at()`, `std::string_view(s.data() + i, n)` for `.substr(i, n)`",
                ),
                false => (
                    "an exception (`throw`, `try`)".to_string(),
                    "return a value that says what went wrong; what catches it stays with the host",
                ),
            };
            return self.refuse(codes::CALL, place, message, help);
        }
        let help = match name {
            "__mulsc3" | "__muldc3" | "__divsc3" | "__divdc3" => {
                "put `#pragma STDC CX_LIMITED_RANGE ON` before the first line: products of complex numbers then leave out infinities"
            }
            "abort" | "exit" | "_Exit" => "return a value that says what went wrong",
            "qsort" | "bsearch" => "write its loop in the function, with the comparison in it",
            "__assert_fail" => "compile with `-DNDEBUG`, or leave assertions to the host",
            _ => {
                "give its source too, so that it becomes part of the function, or leave the call to the host"
            }
        };
        self.refuse(codes::CALL, place, format!("a call of `{name}`, whose body is not here"), help)
    }
}

/// How to do without recursion.
pub(crate) const RECURSION: &str = "write it as a loop, with an array as a stack";

/// Whether a function of the library is how C++ throws.
pub(crate) fn throws(name: &str) -> bool {
    name.starts_with("__cxa_")
        || name == "_Unwind_Resume"
        || name.starts_with("_ZSt") && name.contains("__throw_")
}
