//! Tokens of MLIR text. Unknown characters are reported and skipped; the rest of the text is still cut.

use loom_base::limits::MAX_PROBLEMS;
use loom_base::{Code, Diagnostic, Diagnostics};
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tok {
    /// `%name`
    Value,
    /// `@name` or `@"name"`
    Symbol,
    /// `^name`
    Block,
    /// `#name`
    AttrName,
    /// `!name`
    TypeName,
    /// A word: keywords, op names, types; dots included.
    Word,
    /// Digits or `0x` digits, no sign.
    Integer,
    /// A number with a point, no sign.
    Float,
    /// `"text"`, quotes included.
    Text,
    /// One character.
    Mark(u8),
    /// `->`
    Arrow,
    /// `...`
    Ellipsis,
    /// After the last token.
    End,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub struct Lexeme {
    /// What it is.
    pub kind: Tok,
    /// Its bytes.
    pub span: Range<usize>,
    /// First token of its line.
    pub starts_line: bool,
}

/// Cuts the text into tokens; the last one is `End`. What starts no token is reported with `code`, as often as anybody reads it.
pub fn lex(text: &str, code: Code, errors: &mut Diagnostics) -> Vec<Lexeme> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut starts_line = true;
    while at < bytes.len() {
        let start = at;
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        match bytes[at] {
            b'\n' => {
                starts_line = true;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b'/' if next == b'/' => {
                at = run(bytes, at, |b| b != b'\n');
                continue;
            }
            _ => {}
        }
        let Some((kind, end)) = token(bytes, at, code, errors) else {
            let c = text[at..].chars().next().unwrap_or(' ');
            at += c.len_utf8();
            let shown = if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
            let message = format!("the character `{shown}` starts no token");
            report(errors, Diagnostic::error(code, message).at(start..at, "").help("remove it"));
            continue;
        };
        at = end;
        tokens.push(Lexeme { kind, span: start..at, starts_line });
        starts_line = false;
    }
    // What is missing at the end is missing after the last text, not on an empty line.
    let end = text.trim_end().len();
    tokens.push(Lexeme { kind: Tok::End, span: end.saturating_sub(1)..end, starts_line: true });
    tokens
}

fn run(bytes: &[u8], from: usize, good: fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|&b| !good(b)).map_or(bytes.len(), |n| from + n)
}

/// The token that starts at `at` and where it ends.
fn token(bytes: &[u8], at: usize, code: Code, errors: &mut Diagnostics) -> Option<(Tok, usize)> {
    let next = bytes.get(at + 1).copied().unwrap_or(0);
    let sigil = |b| match b {
        b'%' => Tok::Value,
        b'@' => Tok::Symbol,
        b'^' => Tok::Block,
        b'#' => Tok::AttrName,
        _ => Tok::TypeName,
    };
    Some(match bytes[at] {
        b'@' if next == b'"' => (Tok::Symbol, string_end(bytes, at + 1, code, errors)),
        b'%' | b'#' | b'^' if next.is_ascii_digit() => {
            (sigil(bytes[at]), run(bytes, at + 1, |b| b.is_ascii_digit()))
        }
        b'%' | b'@' | b'!' | b'#' | b'^' if is_name_start(next) => {
            let mut end = run(bytes, at + 1, is_name);
            // `%a->` is a value and an arrow, not a name that ends in a dash.
            while bytes[end - 1] == b'-' {
                end -= 1;
            }
            (sigil(bytes[at]), end)
        }
        b'"' => (Tok::Text, string_end(bytes, at, code, errors)),
        b'0' if next == b'x' && bytes.get(at + 2).is_some_and(u8::is_ascii_hexdigit) => {
            (Tok::Integer, run(bytes, at + 2, |b| b.is_ascii_hexdigit()))
        }
        b'0'..=b'9' => number(bytes, at),
        b'-' if next == b'>' => (Tok::Arrow, at + 2),
        b'.' if bytes[at..].starts_with(b"...") => (Tok::Ellipsis, at + 3),
        b if b.is_ascii_alphabetic() || b == b'_' => {
            (Tok::Word, run(bytes, at, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.')))
        }
        b if b.is_ascii_punctuation() => (Tok::Mark(b), at + 1),
        _ => return None,
    })
}

fn number(bytes: &[u8], start: usize) -> (Tok, usize) {
    let mut at = run(bytes, start, |b| b.is_ascii_digit());
    if bytes.get(at) != Some(&b'.') {
        return (Tok::Integer, at);
    }
    at = run(bytes, at + 1, |b| b.is_ascii_digit());
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        if bytes.get(at + 1 + sign).is_some_and(u8::is_ascii_digit) {
            at = run(bytes, at + 1 + sign, |b| b.is_ascii_digit());
        }
    }
    (Tok::Float, at)
}

fn is_name_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || matches!(b, b'_' | b'$' | b'.')
}

/// Bytes of a value's, block's or alias's name.
pub fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.' | b'-')
}

/// The end of the string that opens at `open`; a string ends at its line's end at the latest.
fn string_end(bytes: &[u8], open: usize, code: Code, errors: &mut Diagnostics) -> usize {
    let mut at = open + 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'"' => return at + 1,
            // An escape hides one byte; the rest of a longer character cannot be a quote.
            b'\\' if at + 1 < bytes.len() && bytes[at + 1] != b'\n' => at += 2,
            _ => at += 1,
        }
    }
    let problem = Diagnostic::error(code, "a string that does not end on its line").at(open..at, "");
    report(errors, problem.help("close it with `\"`"));
    at
}

fn report(errors: &mut Diagnostics, problem: Diagnostic) {
    if errors.len() < MAX_PROBLEMS {
        errors.push(problem);
    }
}
