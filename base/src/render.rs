//! Diagnostics as text for a terminal, with the line of the source.
//!
//! Guarantees: no character of a source, a name or a message steers the terminal; the work for one diagnostic is bounded, however
//! long the text or its lines are; no place panics, inside of the text or not.
//!
//! This file and `diag.rs` name each other: a diagnostic draws itself, and what is drawn is a diagnostic.

use crate::diag::{Diagnostic, Label, Severity, Source};
use crate::limits::{MAX_COLUMNS, MAX_DRAWN, MAX_PLACES};
use annotate_snippets::{Level, Renderer, Snippet};
use std::collections::BTreeMap;
use std::ops::Range;

/// A tab as it is drawn: the renderer's own tabs overflow where it leaves out the beginning of a line.
const TAB: &str = "    ";
/// Columns before and behind a place in a line that is too long to be drawn whole.
const AROUND: usize = 60;

/// A text without what steers a terminal: control characters but for line ends and tabs, and marks that change the direction
/// of writing, become U+FFFD; carriage returns vanish.
pub fn plain(text: &str) -> String {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let shown = |c: char| match c {
        '\r' => None,
        '\n' | '\t' => Some(c),
        c if steers(c) => Some('\u{fffd}'),
        c => Some(c),
    };
    text.chars().filter_map(shown).collect()
}

/// What is drawn of a source: some of its lines, and labels with their places in them.
struct Drawn {
    text: String,
    first_line: usize,
    labels: Vec<Label>,
    /// Labels too far away, as notes.
    elsewhere: Vec<String>,
    /// Column of the first label as it is drawn, and as it is in the source.
    columns: (usize, usize),
}

impl Drawn {
    fn new(source: &Source, labels: &[Label]) -> Option<Drawn> {
        let text = source.text.as_str();
        let clamped: Vec<Range<usize>> = labels.iter().map(|l| clamp(text, &l.span)).collect();
        let primary = clamped.first()?.clone();
        let near = |span: &Range<usize>| {
            span.start.abs_diff(primary.start) < MAX_DRAWN && span.end.abs_diff(primary.start) < MAX_DRAWN
        };
        let lines = |spans: &[Range<usize>]| {
            let from = spans.iter().map(|s| s.start).min().unwrap_or(0);
            let to = spans.iter().map(|s| s.end).max().unwrap_or(0).max(from);
            let from = text[..from].rfind('\n').map_or(0, |at| at + 1);
            from..text[to..].find('\n').map_or(text.len(), |at| to + at)
        };
        let line_of = |at: usize| lines(std::slice::from_ref(&(at..at)));
        let kept: Vec<Range<usize>> = clamped.iter().filter(|s| near(s)).cloned().collect();
        let window = lines(&kept);
        let (line, column) = source.line_column(primary.start);
        let short = near(&primary)
            && window.len() < 4 * MAX_DRAWN
            && text[window.clone()].lines().all(|l| columns(l) <= MAX_COLUMNS);
        let mut drawn = Drawn {
            text: String::new(),
            first_line: line,
            labels: Vec::new(),
            elsewhere: Vec::new(),
            columns: (column, column),
        };
        if short {
            drawn.text = spaced(&text[window.clone()]);
            let start = line_of(primary.start).start;
            drawn.columns.0 = spaced(&text[start..primary.start]).chars().count() + 1;
            drawn.first_line = line - text[window.start..primary.start].matches('\n').count();
        } else {
            drawn.cut_line(text, &line_of(primary.start), &primary);
        }
        let mut drawn_in: BTreeMap<usize, usize> = BTreeMap::new();
        for (k, (label, span)) in labels.iter().zip(&clamped).enumerate() {
            let said = plain(&label.text);
            // The renderer writes what is said of more than two places in a line over each other.
            let in_line = drawn_in.entry(line_of(span.start).start).or_default();
            if short && near(span) && *in_line < 2 {
                *in_line += 1;
                let at = |offset: usize| spaced(&text[window.start..offset]).len();
                drawn.labels.push(Label { span: at(span.start)..at(span.end), text: said });
            } else if k == 0 {
                drawn.labels[0].text = said;
            } else {
                let (line, column) = source.line_column(span.start);
                drawn.elsewhere.push(format!("{said} (line {line}, column {column})"));
            }
        }
        Some(drawn)
    }

    /// The part of a long line around a place; its label comes without text.
    fn cut_line(&mut self, text: &str, line: &Range<usize>, place: &Range<usize>) {
        let before: Vec<char> = text[line.start..place.start].chars().rev().take(AROUND).collect();
        let behind: String = text[place.start..line.end].chars().take(AROUND).collect();
        let before: String = before.into_iter().rev().collect();
        let dots = |cut: bool| if cut { "..." } else { "" };
        let more = [before.chars().count() == AROUND, behind.chars().count() == AROUND];
        let head = format!("{}{}", dots(more[0]), spaced(before.trim_start()));
        let marked = spaced(behind.get(..place.len()).unwrap_or(&behind));
        self.columns.0 = head.chars().count() + 1;
        self.text = format!("{head}{}{}", spaced(&behind), dots(more[1]));
        let span = head.len()..head.len() + marked.len();
        self.labels = vec![Label { span, text: String::new() }];
    }
}

/// A text as it is drawn.
fn spaced(text: &str) -> String {
    plain(text).replace('\t', TAB)
}

/// Width of a line on a terminal, about.
fn columns(line: &str) -> usize {
    line.chars().map(|c| if c == '\t' { TAB.len() } else { 1 }).sum()
}

/// A span within a text, on characters' bounds.
fn clamp(text: &str, span: &Range<usize>) -> Range<usize> {
    let fit = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = fit(span.start);
    start..fit(span.end).max(start)
}

/// Terminal text without colour, with file, line, column and the source line shown.
pub(crate) fn render(diagnostic: &Diagnostic, source: &Source) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
    };
    let (title, name) = (plain(&diagnostic.message), plain(&source.name));
    let mut notes: Vec<String> = diagnostic.notes.iter().map(|n| plain(n)).collect();
    let help = diagnostic.help.as_deref().map(plain);
    let labels = &diagnostic.labels[..diagnostic.labels.len().min(MAX_PLACES)];
    let drawn = Drawn::new(source, labels);
    let mut message = level.title(&title).id(diagnostic.code.id);
    if let Some(drawn) = &drawn {
        notes.extend(drawn.elsewhere.iter().cloned());
        if diagnostic.labels.len() > labels.len() {
            notes.push(format!("and {} more places", diagnostic.labels.len() - labels.len()));
        }
        let mut snippet = Snippet::source(&drawn.text).line_start(drawn.first_line).origin(&name).fold(true);
        for (i, label) in drawn.labels.iter().enumerate() {
            let level = if i == 0 { level } else { Level::Info };
            snippet = snippet.annotation(level.span(label.span.clone()).label(&label.text));
        }
        message = message.snippet(snippet);
    }
    message = message.footers(notes.iter().map(|n| Level::Note.title(n)));
    if let Some(help) = &help {
        message = message.footer(Level::Help.title(help));
    }
    // Lines are cut above, where their columns are known.
    let mut text = Renderer::plain().term_width(16 * MAX_COLUMNS).render(message).to_string();
    match &drawn {
        Some(Drawn { columns: (shown, real), first_line, .. }) if shown != real => {
            let place = |column| format!("--> {name}:{first_line}:{column}\n");
            text = text.replacen(&place(shown), &place(real), 1);
        }
        None if !name.is_empty() => {
            let (head, rest) = text.split_once('\n').map_or((text.as_str(), None), |(h, r)| (h, Some(r)));
            let rest = rest.map(|r| format!("\n{r}")).unwrap_or_default();
            text = format!("{head}\n --> {name}{rest}");
        }
        _ => {}
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Code;

    const CODE: Code = Code::new("T0001", "test");

    fn shown(text: &str, spans: impl IntoIterator<Item = Range<usize>>) -> String {
        let mut d = Diagnostic::error(CODE, "m");
        for span in spans {
            d = d.at(span, "here");
        }
        d.render(&Source::new("x", text))
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let source = Source::new("a\x1b[2Jb", "x\x1b[31m\x07 \u{9b}1m \u{202e}y\r\nz");
        let d = Diagnostic::error(CODE, "m\x1b]0;t\x07").at(13..14, "l\x08").note("n\x7f").help("h\x1b");
        let text = d.render(&source);
        assert!(text.chars().all(|c| c == '\n' || (!c.is_control() && c != '\u{202e}')), "{text:?}");
        assert!(text.contains("x\u{fffd}[31m\u{fffd} \u{fffd}1m \u{fffd}y"), "{text}");
    }

    /// The renderer's own way to cut such a line overflowed.
    #[test]
    fn long_lines_are_cut_around_the_place() {
        for tabs in [0, 1, 40, 100, 300] {
            for length in [0, 50, 300, 5000] {
                let text =
                    format!("{}{}@{}\nnext", "\t".repeat(tabs), "x".repeat(length), "y".repeat(length));
                let at = tabs + length;
                let drawn = shown(&text, Some(at..at + 1));
                assert!(drawn.contains(&format!("--> x:1:{}\n", at + 1)), "{drawn}");
                assert!(drawn.contains('@') && drawn.contains("^ here"), "{drawn}");
                assert!(drawn.lines().all(|l| columns(l) < 2 * MAX_COLUMNS), "{drawn}");
            }
        }
    }

    #[test]
    fn what_is_far_away_is_named_and_not_drawn() {
        let text = format!("one\n{}two\n", "line\n".repeat(100_000));
        let drawn = shown(&text, [0..3, 500_004..500_007]);
        assert!(drawn.contains("note: here (line 100002, column 1)"), "{drawn}");
        assert!(drawn.len() < 500, "{drawn}");
        // More places than anybody reads.
        let drawn = shown(&text, (0..100_000).map(|k| 4 + 5 * k..8 + 5 * k));
        assert!(drawn.contains("note: and 99992 more places") && drawn.len() < 2000, "{drawn}");
        // A place as long as the text.
        assert!(shown(&text, Some(0..text.len())).len() < 1000);
    }
}
