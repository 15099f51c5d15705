//! A space: a base fabric, axes along which its parameters change, and kernels.
//!
//! ```toml
//! base = "general-4x4"                       # one that comes with LOOM, or a TOML file beside the space
//! kernels = ["../../kernels/*/*.scf.mlir"]   # files, `*` for any name
//!
//! [[axis]]
//! name = "links"
//! keys = ["tile.*.channels"]                 # dotted keys of the fabric; `*` for every name that is used
//! values = [2, 3]
//!
//! [[axis]]
//! name = "mix"                               # several keys at once
//! choices = [{ label = "few", set = { "mesh.columns" = 2 } }, ...]
//! ```
//!
//! A table that only a template has is copied from there before it is changed; a table of the fabric goes before a template.
//!
//! Guarantees: every point has a label that tells its values. Refuses: axes without values, keys that the base and its
//! templates do not have, names of kernels that match nothing, values that make no legal fabric (when it is made).

use crate::codes;
use loom_adg::toml::library_text;
use loom_base::{Diagnostic, Diagnostics, Source};
use loom_flow::load;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Most points that a space may have.
const MOST_POINTS: u64 = 1_000_000;

/// The text of a space, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    base: String,
    kernels: Vec<String>,
    axis: Vec<AxisText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AxisText {
    name: String,
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    values: Vec<Value>,
    #[serde(default)]
    choices: Vec<ChoiceText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceText {
    label: String,
    set: BTreeMap<String, Value>,
}

/// One value of an axis.
#[derive(Clone, Debug)]
pub struct AxisChoice {
    /// How it is told.
    pub label: String,
    /// What it sets: dotted keys and values.
    pub set: Vec<(String, Value)>,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its values in their order: neighbours are near each other.
    pub choices: Vec<AxisChoice>,
}

/// A space.
#[derive(Clone, Debug)]
pub struct Space {
    /// Name of the base fabric.
    pub base: String,
    /// Axes in the order of the file.
    pub axes: Vec<Axis>,
    /// Files of kernels, absolute, in order.
    pub kernels: Vec<PathBuf>,
    table: Table,
    /// Template files beside the base, by name.
    pub templates: BTreeMap<String, String>,
}

fn refused(message: String, help: &str) -> Diagnostics {
    vec![Diagnostic::error(codes::SPACE, message).help(help)]
}

impl Space {
    /// Reads a space; `path` is where names of files begin.
    pub fn read(path: &Path) -> Result<Space, Diagnostics> {
        let text = super::read(path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let parsed: Text = toml::from_str(&text).map_err(|e| {
            let place = e.span().unwrap_or(0..0);
            let message = e.message().lines().collect::<Vec<_>>().join(", ");
            vec![Diagnostic::error(codes::SPACE, message)
                .at(place, "here")
                .help("docs/explore.md lists the keys of a space")]
        })?;
        let (base, beside) = base(&parsed.base, folder)?;
        let table: Table = toml::from_str(&base.text).map_err(|e| {
            refused(format!("base fabric `{}`: {}", parsed.base, e.message()), "mend the fabric")
        })?;
        let mut space = Space {
            base: parsed.base,
            axes: Vec::new(),
            kernels: kernels(&parsed.kernels, folder)?,
            table,
            templates: BTreeMap::new(),
        };
        space.templates = space.used(beside.as_deref());
        let mut problems = Vec::new();
        for axis in parsed.axis {
            match space.axis(axis) {
                Ok(axis) if space.axes.iter().any(|a| a.name == axis.name) => {
                    problems.extend(refused(format!("there are two axes `{}`", axis.name), "name each once"));
                }
                Ok(axis) => space.axes.push(axis),
                Err(d) => problems.extend(d),
            }
        }
        if space.axes.is_empty() && problems.is_empty() {
            problems = refused("the space has no axis".into(), "`[[axis]]` with `name`, `keys` and `values`");
        }
        if problems.is_empty() && space.points() > MOST_POINTS {
            let message = format!("the space has more than {MOST_POINTS} points");
            problems = refused(message, "leave values out, or split it");
        }
        if problems.is_empty() {
            Ok(space)
        } else {
            Err(problems)
        }
    }

    /// The template files that the base uses which do not come with LOOM.
    fn used(&self, folder: Option<&Path>) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let names = |table: &Table| -> Vec<String> {
            let list = table.get("use").and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(String::from).collect()
        };
        let mut open = names(&self.table);
        while let (Some(name), Some(folder)) = (open.pop(), folder) {
            let Ok(text) = loom_cosim::files::read_text(&folder.join(format!("{name}.toml"))) else {
                continue;
            };
            if let Ok(table) = toml::from_str::<Table>(&text) {
                open.extend(names(&table));
            }
            found.insert(name, text);
        }
        found
    }

    fn axis(&self, text: AxisText) -> Result<Axis, Diagnostics> {
        let name = text.name;
        let both = !text.choices.is_empty() && (!text.keys.is_empty() || !text.values.is_empty());
        let none = text.choices.is_empty() && (text.keys.is_empty() || text.values.is_empty());
        if both || none {
            let message = format!("axis `{name}` has no values, or two kinds of them");
            return Err(refused(message, "either `keys` and `values`, or `choices`"));
        }
        let mut choices: Vec<AxisChoice> = Vec::new();
        for value in &text.values {
            let set = text.keys.iter().map(|k| (k.clone(), value.clone())).collect();
            choices.push(AxisChoice { label: label(value), set });
        }
        for choice in text.choices {
            choices.push(AxisChoice { label: choice.label, set: choice.set.into_iter().collect() });
        }
        let mut problems = Vec::new();
        for choice in &choices {
            if choices.iter().filter(|c| c.label == choice.label).count() > 1 {
                let message = format!("axis `{name}` has `{}` twice", choice.label);
                problems.extend(refused(message, "leave one out, or give choices other labels"));
                break;
            }
            for (key, _) in &choice.set {
                if let Err(d) = self.expand(key) {
                    problems.extend(d);
                }
            }
        }
        problems.dedup_by(|a, b| a.message == b.message);
        match problems.is_empty() {
            true => Ok(Axis { name, choices }),
            false => Err(problems),
        }
    }

    /// How many points there are.
    pub fn points(&self) -> u64 {
        self.axes.iter().fold(1, |n, a| n.saturating_mul(a.choices.len() as u64))
    }

    /// The values of a point: an index for each axis.
    pub fn values(&self, point: u64) -> Vec<usize> {
        let mut left = point;
        let of = |axis: &Axis| {
            let n = axis.choices.len() as u64;
            let at = (left % n) as usize;
            left /= n;
            at
        };
        let mut values: Vec<usize> = self.axes.iter().rev().map(of).collect();
        values.reverse();
        values
    }

    /// The point of values.
    pub fn point(&self, values: &[usize]) -> u64 {
        self.axes.iter().zip(values).fold(0, |at, (axis, &v)| at * axis.choices.len() as u64 + v as u64)
    }

    /// `links=2 mix=few`.
    pub fn label(&self, point: u64) -> String {
        let values = self.axes.iter().zip(self.values(point));
        values.map(|(a, v)| format!("{}={}", a.name, a.choices[v].label)).collect::<Vec<_>>().join(" ")
    }

    /// The text of a point's fabric, called `name`.
    pub fn fabric(&self, point: u64, name: &str) -> Result<String, Diagnostics> {
        let mut table = self.table.clone();
        table.insert("name".into(), Value::String(name.into()));
        for (axis, at) in self.axes.iter().zip(self.values(point)) {
            for (key, value) in &axis.choices[at].set {
                for path in self.expand(key)? {
                    self.set(&mut table, &path, value.clone());
                }
            }
        }
        Ok(toml::to_string(&table).expect("a table that was read can be written"))
    }

    /// A table of a template file that the base uses, itself or through another.
    fn template(&self, kind: &str, name: &str) -> Option<Value> {
        self.template_tables().into_iter().find_map(|t| t.get(kind)?.as_table()?.get(name).cloned())
    }

    fn template_tables(&self) -> Vec<Table> {
        let mut open: Vec<String> = vec![];
        let names = |table: &Table, open: &mut Vec<String>| {
            let list = table.get("use").and_then(Value::as_array).into_iter().flatten();
            open.extend(list.filter_map(Value::as_str).map(String::from));
        };
        names(&self.table, &mut open);
        let (mut seen, mut tables) = (BTreeSet::new(), Vec::new());
        while let Some(name) = open.pop() {
            let text = self.templates.get(&name).map(String::as_str).or_else(|| library_text(&name));
            if let (true, Some(Ok(table))) = (seen.insert(name), text.map(toml::from_str::<Table>)) {
                names(&table, &mut open);
                tables.push(table);
            }
        }
        tables
    }

    /// The dotted keys that a key stands for: `*` is every name of its kind that the fabric mentions.
    fn expand(&self, key: &str) -> Result<Vec<Vec<String>>, Diagnostics> {
        let parts: Vec<String> = key.split('.').map(String::from).collect();
        let nothing = |what: &str| {
            refused(
                format!("key `{key}`: {what}"),
                "`mesh.columns`, `tile.NAME.channels`, `pe.NAME.fus`: a table of the base or of a template it uses",
            )
        };
        let is_kind = |kind: &str| {
            self.template_tables()
                .iter()
                .chain([&self.table])
                .any(|t| t.get(kind).is_some_and(Value::is_table))
        };
        match parts.as_slice() {
            [one] if one != "name" && one != "use" => Ok(vec![parts]),
            [first, _] if first == "mesh" => match self.table.contains_key("mesh") {
                true => Ok(vec![parts]),
                false => Err(nothing("the base has no `[mesh]`")),
            },
            [kind, name, field] if is_kind(kind) => {
                let of_kind = |t: &Table| t.get(kind).and_then(Value::as_table).cloned().unwrap_or_default();
                let mut names: BTreeSet<String> = of_kind(&self.table).keys().cloned().collect();
                let mut mentioned = BTreeSet::new();
                texts(&Value::Table(self.table.clone()), &mut mentioned);
                for table in self.template_tables() {
                    names.extend(
                        of_kind(&table).keys().filter(|n| name != "*" || mentioned.contains(*n)).cloned(),
                    );
                }
                if name != "*" {
                    return match names.contains(name) {
                        true => Ok(vec![parts]),
                        false => Err(nothing(&format!("there is no `{kind}.{name}`"))),
                    };
                }
                let has = |n: &String| vec![kind.clone(), n.clone(), field.clone()];
                match names.is_empty() {
                    true => Err(nothing("it stands for nothing")),
                    false => Ok(names.iter().map(has).collect()),
                }
            }
            _ => Err(nothing("it is no key of a fabric")),
        }
    }

    fn set(&self, table: &mut Table, path: &[String], value: Value) {
        let empty = || Value::Table(Table::new());
        match path {
            [key] => drop(table.insert(key.clone(), value)),
            [kind, rest @ ..] => {
                let inner = table.entry(kind.clone()).or_insert_with(empty);
                let Some(inner) = inner.as_table_mut() else { return };
                if let [name, _] = rest {
                    if !inner.contains_key(name) {
                        inner.insert(name.clone(), self.template(kind, name).unwrap_or_else(empty));
                    }
                }
                self.set(inner, rest, value);
            }
            [] => {}
        }
    }
}

/// The texts in a value.
fn texts(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => found.extend([text.clone()]),
        Value::Array(list) => list.iter().for_each(|v| texts(v, found)),
        Value::Table(table) => table.iter().for_each(|(_, v)| texts(v, found)),
        _ => {}
    }
}

/// A value in a label.
fn label(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(label).collect::<Vec<_>>().join("/"),
        other => other.to_string(),
    }
}

/// The base fabric, and the folder of its templates.
fn base(name: &str, folder: &Path) -> Result<(Source, Option<PathBuf>), Diagnostics> {
    if let Some(source) = load::built_in(name) {
        return Ok((source, None));
    }
    let path = folder.join(name);
    let text = loom_cosim::files::read_text(&path).map_err(|e| {
        let known = load::built_in_names().join(" ");
        refused(
            format!("base fabric `{name}` cannot be read: {e}"),
            &format!("a TOML file, told from the space's folder, or one of: {known}"),
        )
    })?;
    Ok((Source::new(name, text), path.parent().map(Path::to_path_buf)))
}

/// The files that patterns name, in order.
fn kernels(patterns: &[String], folder: &Path) -> Result<Vec<PathBuf>, Diagnostics> {
    let mut found = BTreeSet::new();
    let mut problems = Vec::new();
    for pattern in patterns {
        let files = matches(folder, pattern);
        if files.is_empty() {
            let message = format!("kernels `{pattern}`: no file is called so");
            problems
                .extend(refused(message, "a path from the space's folder, with `*` for any part of a name"));
        }
        found.extend(files);
    }
    if patterns.is_empty() {
        problems = refused("the space has no kernels".into(), "`kernels = [\"kernels/*/*.scf.mlir\"]`");
    }
    match problems.is_empty() {
        true => Ok(found.into_iter().collect()),
        false => Err(problems),
    }
}

fn matches(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut at = vec![match pattern.starts_with('/') {
        true => PathBuf::from("/"),
        false => folder.to_path_buf(),
    }];
    for part in pattern.split('/').filter(|p| !p.is_empty() && *p != ".") {
        let mut next = Vec::new();
        for place in &at {
            match part.contains('*') {
                false => next.push(place.join(part)),
                true => {
                    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
                    let names = entries.filter_map(|e| e.file_name().into_string().ok());
                    next.extend(names.filter(|n| like(n, part)).map(|n| place.join(n)));
                }
            }
        }
        at = next;
    }
    at.retain(|p| p.is_file());
    at.iter().filter_map(|p| p.canonicalize().ok()).collect()
}

/// Whether a name is what a pattern with `*` says.
fn like(name: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(left) = name.strip_prefix(first) else { return false };
    (0..=left.len()).filter(|&k| left.is_char_boundary(k)).any(|k| like(&left[k..], rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(like("gcd.scf.mlir", "*.scf.mlir") && like("a", "*") && like("abc", "a*c") && like("a", "a"));
        assert!(!like("gcd.dfg.mlir", "*.scf.mlir") && !like("ab", "a") && !like("", "a*"));
    }
}
