//! Fabric files in TOML (docs/fabric.md): templates, tiles, a mesh or explicit instances and connections.
//!
//! Guarantees: what [`read`] gives is legal; what it refuses comes with the place in the file, all independent
//! problems at once. Refuses: parts of the fabric model that are not built yet, by name.

mod bodies;
mod build;
mod library;
mod schema;

pub use library::{library_text, Lookup};

use crate::model::Adg;
use crate::{codes, legality};
use ::toml::de::{DeTable, DeValue, Error, ValueDeserializer};
use ::toml::Spanned;
use build::Builder;
use loom_base::diag::has_errors;
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
    let (table, errors) = DeTable::parse_recoverable(&source.text);
    if !errors.is_empty() {
        let diagnostics = errors.iter().map(|e| serde_error(e, codes::TOML_SYNTAX, 0..0)).collect();
        return (None, diagnostics);
    }
    let mut builder = Builder::default();
    let files = library::files(&source.text, lookup, &mut builder.diagnostics);
    builder.read(table.into_inner(), library::templates(&files));
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
