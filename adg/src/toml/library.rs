//! Template files: function units, components and tiles that a fabric takes by name with `use = ["NAME"]`.
//!
//! A fabric gets those templates that its tables name, and what these name in turn; a table of its own goes before a
//! template of the same name. What is wrong with a template is reported at the `use` that brought it.

use super::schema::COMPONENTS;
use super::{entries, keys, shaped, Entry};
use crate::codes;
use ::toml::de::{DeTable, DeValue};
use loom_base::{Code, Diagnostic, Diagnostics};
use std::collections::BTreeSet;
use std::ops::Range;

/// The text of a template file, by the name in `use`.
pub type Lookup<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The library that is always there.
const DEFAULT: [(&str, &str); 4] = [
    ("mesh32", include_str!("../../../configs/library/mesh32.toml")),
    ("mesh64", include_str!("../../../configs/library/mesh64.toml")),
    ("general32", include_str!("../../../configs/library/general32.toml")),
    ("general64", include_str!("../../../configs/library/general64.toml")),
];

/// The text of a template file that comes with LOOM.
pub fn library_text(name: &str) -> Option<&'static str> {
    DEFAULT.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// A template file that a fabric uses, itself or through another.
pub(super) struct File {
    name: String,
    text: String,
    /// The element of the fabric's `use`.
    place: Range<usize>,
}

/// A table of a template file.
pub(super) struct Template<'i> {
    pub kind: String,
    pub entry: Entry<'i>,
    /// Its file, and where the fabric uses that.
    pub file: &'i str,
    pub place: Range<usize>,
}

/// The files that a fabric's table uses, each before those that use it.
pub(super) fn files(table: &DeTable, lookup: &Lookup, diagnostics: &mut Diagnostics) -> Vec<File> {
    let mut search = Search { lookup, found: Vec::new(), open: Vec::new(), diagnostics };
    for (name, span) in used(table, search.diagnostics) {
        search.file(&name, span);
    }
    search.found
}

/// Names in a table's `use`, with their places.
fn used(table: &DeTable, diagnostics: &mut Diagnostics) -> Vec<(String, Range<usize>)> {
    let list = table.iter().find(|(key, _)| key.get_ref() == "use");
    let list: Vec<::toml::Spanned<String>> = match list.map(|(_, value)| shaped(value.clone())) {
        Some(Ok(list)) => list,
        Some(Err(d)) => {
            diagnostics.push(*d);
            Vec::new()
        }
        None => Vec::new(),
    };
    list.into_iter().map(|name| (name.get_ref().clone(), name.span())).collect()
}

struct Search<'a> {
    lookup: &'a Lookup<'a>,
    found: Vec<File>,
    /// Files whose `use` is being followed.
    open: Vec<String>,
    diagnostics: &'a mut Diagnostics,
}

impl Search<'_> {
    fn error(&mut self, code: Code, message: String, place: Range<usize>, help: String) {
        self.diagnostics.push(Diagnostic::error(code, message).at(place, "used here").help(help));
    }

    fn file(&mut self, name: &str, place: Range<usize>) {
        if self.open.iter().any(|n| n == name) {
            let circle = format!("template file `{name}` uses itself: {} -> {name}", self.open.join(" -> "));
            let help = "move what both need into a third file".into();
            return self.error(codes::TEMPLATE_CYCLE, circle, place, help);
        }
        if self.found.iter().any(|f| f.name == name) {
            return;
        }
        let default = || library_text(name).map(String::from);
        let Some(text) = (self.lookup)(name).or_else(default) else {
            let known: Vec<&str> = DEFAULT.iter().map(|(n, _)| *n).collect();
            let help = format!("a file of that name beside the fabric, or one of: {}", known.join(" "));
            return self.error(
                codes::TEMPLATE_UNKNOWN,
                format!("there is no template file `{name}`"),
                place,
                help,
            );
        };
        let table = match super::document(&text, &keys::is_key) {
            Ok(table) => table,
            Err(broken) => {
                let unknown = broken.unknown.first().map(|(key, _)| format!("`{key}` is no key of it"));
                let first = broken.errors.first().map(|e| e.message().to_string()).or(unknown);
                let message = format!("template file `{name}`: {}", first.as_deref().unwrap_or("not TOML"));
                return self.error(codes::TOML_SYNTAX, message, place, "mend the file".into());
            }
        };
        let inner = used(&table, self.diagnostics);
        for entry in entries(table) {
            let known = matches!(entry.key.as_str(), "use" | "fu" | "tile");
            if !known && !COMPONENTS.contains(&entry.key.as_str()) {
                let message = format!("`{}` in template file `{name}`", entry.key);
                let help = format!("a template file has: use fu {} tile", COMPONENTS.join(" "));
                self.error(codes::TEMPLATE_KIND, message, place.clone(), help);
            }
        }
        self.open.push(name.to_string());
        for (inner, _) in inner {
            self.file(&inner, place.clone());
        }
        self.open.pop();
        self.found.push(File { name: name.to_string(), text, place });
    }
}

/// Every template of the files, in their order.
pub(super) fn templates(files: &[File]) -> Vec<Template<'_>> {
    let mut all = Vec::new();
    for file in files {
        // Those with errors were refused when they were found.
        let Ok(table) = super::document(&file.text, &keys::is_key) else { continue };
        let mut of_file = Vec::new();
        for kind in entries(table) {
            let DeValue::Table(table) = kind.value.into_inner() else { continue };
            for entry in entries(table) {
                let (kind, place) = (kind.key.clone(), file.place.clone());
                of_file.push(Template { kind, entry, file: &file.name, place });
            }
        }
        of_file.sort_by_key(|t| t.entry.span.start);
        all.extend(of_file);
    }
    all
}

/// The templates that texts in `own` name, and what these name; those whose names are `taken` are left out.
pub(super) fn reached<'i>(
    own: &[&DeValue],
    taken: &BTreeSet<String>,
    templates: Vec<Template<'i>>,
) -> Vec<Template<'i>> {
    let mut names = BTreeSet::new();
    own.iter().for_each(|value| mentioned(value, &mut names));
    let mut kept = vec![false; templates.len()];
    loop {
        let wanted = |t: &Template| names.contains(&t.entry.key) && !taken.contains(&t.entry.key);
        let Some(next) = (0..templates.len()).find(|&k| !kept[k] && wanted(&templates[k])) else { break };
        kept[next] = true;
        mentioned(templates[next].entry.value.get_ref(), &mut names);
    }
    templates.into_iter().zip(kept).filter_map(|(t, kept)| kept.then_some(t)).collect()
}

/// Texts in a value, whole and behind a colon.
fn mentioned(value: &DeValue, names: &mut BTreeSet<String>) {
    match value {
        DeValue::String(text) => {
            names.insert(text.to_string());
            names.extend(text.split_once(':').map(|(_, of)| of.trim().to_string()));
        }
        DeValue::Array(list) => list.iter().for_each(|v| mentioned(v.get_ref(), names)),
        DeValue::Table(table) => table.iter().for_each(|(_, v)| mentioned(v.get_ref(), names)),
        _ => {}
    }
}
