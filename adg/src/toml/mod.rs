//! Fabric files in TOML (docs/fabric.md): templates, tiles, a mesh or explicit instances and connections.
//!
//! Guarantees: what [`read`] gives is legal; what it refuses comes with the place in the file, all independent
//! problems at once. Refuses: parts of the fabric model that are not built yet, by name.

mod bodies;
mod build;
mod keys;
mod library;
mod schema;

pub use library::{library_text, Lookup};

use crate::model::Adg;
use crate::{codes, legality};
use ::toml::de::{DeTable, DeValue, Error, ValueDeserializer};
use ::toml::Spanned;
use build::Builder;
use loom_base::diag::has_errors;
use loom_base::limits::{MAX_TOML_PROBLEMS, TOML_FOREIGN, TOML_PART};
use loom_base::{Diagnostic, Diagnostics, Source};
use serde::de::DeserializeOwned;
use std::ops::Range;

/// Reads, builds and checks a fabric that uses no template files but those of the default library.
pub fn read(source: &Source) -> Result<Adg, Diagnostics> {
    match load(source, &|_| None) {
        (Some(adg), _) => Ok(adg),
        (None, diagnostics) => Err(diagnostics),
    }
}

/// Like [`read`], but gives the warnings of a legal fabric too, and asks `lookup` for template files first.
pub fn load(source: &Source, lookup: &Lookup) -> (Option<Adg>, Diagnostics) {
    let table = match document(&source.text, &keys::is_key) {
        Ok(table) => table,
        Err(broken) => {
            let errors = broken.errors.iter().map(|e| serde_error(e, codes::TOML_SYNTAX, 0..0));
            let unknown = broken.unknown.into_iter().map(|(key, span)| keys::no_key(&key, span));
            return (None, errors.chain(unknown).chain(broken.more).collect());
        }
    };
    let mut builder = Builder::default();
    let files = library::files(&table, lookup, &mut builder.diagnostics);
    builder.read(table, library::templates(&files));
    let (adg, places, mut diagnostics) = builder.finish();
    if has_errors(&diagnostics) {
        // Names or ports are missing, so bodies are in pieces; definitions stand for themselves.
        diagnostics.extend(legality::check_definitions(&adg, &places));
    } else {
        diagnostics.extend(legality::check(&adg, &places));
    }
    diagnostics.sort_by_key(|d| d.labels.first().map_or(0, |l| l.span.start));
    let legal = !has_errors(&diagnostics);
    (legal.then_some(adg), diagnostics)
}

/// What is wrong with a text that is not TOML, or for a great part something else than what it is read as.
pub struct NotToml {
    /// In the order of the text.
    pub errors: Vec<Error>,
    /// Keys of the whole that are not known, where they ended the reading.
    pub unknown: Vec<(String, Range<usize>)>,
    /// Says that the rest was not read.
    pub more: Option<Diagnostic>,
}

/// The table of a text, of which `is_key` tells the keys. An error of the parser is large, and it stops at none: of a long text the
/// beginning is read first, then four times as much, so that a text with many errors costs what its first ones do, and so does one that
/// goes on as something else.
pub fn document<'t>(text: &'t str, is_key: &dyn Fn(&str) -> bool) -> Result<DeTable<'t>, Box<NotToml>> {
    let mut part = TOML_PART;
    loop {
        // Where a line ends: no more than one error for each bracket that is open there.
        let end = match part < text.len() {
            true => text.as_bytes()[..part].iter().rposition(|&b| b == b'\n').unwrap_or(0),
            false => text.len(),
        };
        let (table, mut errors) = DeTable::parse_recoverable(&text[..end]);
        if end == text.len() && errors.is_empty() {
            return Ok(table.into_inner());
        }
        if end == text.len() || errors.len() > MAX_TOML_PROBLEMS {
            errors.sort_by_key(|e| e.span().map_or(0, |s| s.start));
            let many = errors.len() > MAX_TOML_PROBLEMS;
            errors.truncate(MAX_TOML_PROBLEMS);
            let more = many.then(|| unread(&format!("more than {MAX_TOML_PROBLEMS} problems")));
            return Err(Box::new(NotToml { errors, unknown: Vec::new(), more }));
        }
        // What stands behind changes nothing about a key; of the errors some may come from where the text is cut.
        let mut unknown: Vec<(String, Range<usize>)> = (table.get_ref().keys())
            .filter(|key| end < text.len() && !is_key(key.get_ref()))
            .map(|key| (key.get_ref().to_string(), key.span()))
            .collect();
        if unknown.len() > MAX_TOML_PROBLEMS || (!unknown.is_empty() && part >= TOML_FOREIGN) {
            unknown.sort_by_key(|(_, span)| span.start);
            unknown.truncate(MAX_TOML_PROBLEMS);
            let more = unread("keys that are not known in a long text");
            return Err(Box::new(NotToml { errors: Vec::new(), unknown, more: Some(more) }));
        }
        part *= 4;
    }
}

fn unread(why: &str) -> Diagnostic {
    Diagnostic::error(codes::TOO_MANY, format!("{why}, the rest of the text is not read"))
        .help("correct these first")
}

/// An entry of a table, with the span of its key.
struct Entry<'i> {
    key: String,
    span: Range<usize>,
    value: Spanned<DeValue<'i>>,
}

/// The entries of a table in the order of the file.
fn entries(table: DeTable<'_>) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry> = table
        .into_iter()
        .map(|(key, value)| Entry { span: key.span(), key: key.into_inner().into_owned(), value })
        .collect();
    entries.sort_by_key(|e| e.span.start);
    entries
}

/// One value as `T`.
fn shaped<T: DeserializeOwned>(value: Spanned<DeValue<'_>>) -> Result<T, Box<Diagnostic>> {
    let whole = value.span();
    T::deserialize(ValueDeserializer::from(value))
        .map_err(|e| Box::new(serde_error(&e, codes::TOML_SHAPE, whole)))
}

fn serde_error(error: &Error, code: loom_base::Code, whole: Range<usize>) -> Diagnostic {
    // The library's text may have several lines; a diagnostic's message is one.
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    let mut message = message.trim_end_matches('.').to_string();
    if let Some(first) = message.get(..1) {
        let lower = first.to_lowercase();
        message.replace_range(..1, &lower);
    }
    Diagnostic::error(code, message)
        .at(error.span().unwrap_or(whole), "here")
        .help("docs/fabric.md lists the keys of every table")
}
