//! Legality: every rule and limit of the fabric model that concerns the components we have, plus H5 and H6.
//!
//! Guarantees for an architecture without errors here: flattening, layout, generation and simulation need no further
//! checks. One code per rule (docs/fabric.md lists them); all violations are reported in one run.

mod bodies;
mod cycles;
mod definitions;
mod fus;

use crate::codes;
use crate::model::{limits, Adg, Of};
use crate::places::{BodyId, Object, Places};
use loom_base::diag::has_errors;
use loom_base::name::shown;
use loom_base::{Diagnostic, Diagnostics, Name};

/// Checks an architecture; warnings do not make it illegal.
pub fn check(adg: &Adg, places: &Places) -> Diagnostics {
    let mut diagnostics = check_definitions(adg, places);
    if adg.name.is_empty() {
        diagnostics.push(Diagnostic::error(codes::NAME, "the fabric has no name"));
    }
    bodies::check(adg, places, &mut diagnostics);
    // The signal graph needs indices and connections that exist.
    if !has_errors(&diagnostics) {
        bodies::registered_links(adg, places, &mut diagnostics);
        cycles::check(adg, places, &mut diagnostics);
        unused(adg, places, &mut diagnostics);
    }
    diagnostics
}

/// Checks what stands for itself: names, `index_width` and the definitions.
pub fn check_definitions(adg: &Adg, places: &Places) -> Diagnostics {
    let mut diagnostics = Vec::new();
    if !adg.name.is_empty() {
        // A fabric is named like its file: `mesh-4x4`. In Verilog the hyphen becomes an underscore.
        let identifier = adg.name.replace('-', "_");
        if !is_name(&identifier) {
            let message = format!("`{}` cannot be a name (fabric)", shown(&adg.name));
            let help =
                "a letter, then letters, digits and single `_` or `-`, not at the end; at most 64 characters";
            let place = places.of(Object::Fabric);
            diagnostics.push(Diagnostic::error(codes::NAME, message).at_opt(place, "here").help(help));
        }
    }
    if !limits::INDEX_WIDTHS.contains(&adg.index_width) {
        diagnostics.push(
            Diagnostic::error(
                codes::INDEX_WIDTH,
                format!("`index_width` is {}, {} to {} are allowed", adg.index_width, 32, 64),
            )
            .at_opt(places.of(Object::IndexWidth), "here"),
        );
    }
    for (i, d) in adg.definitions.iter().enumerate() {
        name(&d.name, d.component.kind_name(), places, Object::Definition(i), &mut diagnostics);
        definitions::check(adg, i, places, &mut diagnostics);
    }
    diagnostics
}

/// Names become names in Verilog and in both text forms.
/// Verilog is made with names put together by `_`: their own are single, and inside.
fn is_name(name: &str) -> bool {
    Name::new(name).is_some() && !name.starts_with('_') && !name.ends_with('_') && !name.contains("__")
}

fn name(name: &str, what: &str, places: &Places, object: Object, diagnostics: &mut Diagnostics) {
    if !is_name(name) {
        diagnostics.push(
            Diagnostic::error(codes::NAME, format!("`{}` cannot be a name ({what})", shown(name)))
                .at_opt(places.of(object), "here")
                .help("a letter, then letters, digits and single `_`, not at the end; at most 64 characters"),
        );
    }
}

/// Two of a list with one name.
fn distinct<'a>(
    names: impl Iterator<Item = (&'a str, Object)>,
    what: &str,
    places: &Places,
    diagnostics: &mut Diagnostics,
) {
    let mut seen = std::collections::HashMap::new();
    for (name, object) in names {
        if let Some(first) = seen.insert(name.to_string(), object) {
            let mut d = Diagnostic::error(codes::DUPLICATE_NAME, format!("two {what} are called `{name}`"))
                .at_opt(places.of(object), "again here");
            if !d.labels.is_empty() {
                d = d
                    .at_opt(places.of(first).filter(|s| Some(s) != places.of(object).as_ref()), "first here");
            }
            diagnostics.push(d);
            seen.insert(name.to_string(), first);
        }
    }
}

/// Warns about definitions and tiles that no instance uses.
fn unused(adg: &Adg, places: &Places, diagnostics: &mut Diagnostics) {
    let mut definitions = vec![false; adg.definitions.len()];
    let mut tiles = vec![false; adg.tiles.len()];
    for body in std::iter::once(&adg.top).chain(adg.tiles.iter().map(|t| &t.body)) {
        for instance in &body.instances {
            match instance.of {
                Of::Component(d) => definitions[d] = true,
                Of::Tile(t) => tiles[t] = true,
            }
        }
    }
    let definitions = adg
        .definitions
        .iter()
        .enumerate()
        .filter(|&(i, _)| !definitions[i])
        .map(|(i, d)| (&d.name, Object::Definition(i)));
    let tiles = adg
        .tiles
        .iter()
        .enumerate()
        .filter(|&(i, _)| !tiles[i])
        .map(|(i, t)| (&t.name, Object::Body(BodyId::Tile(i))));
    for (name, object) in definitions.chain(tiles) {
        diagnostics.push(
            Diagnostic::warning(codes::UNUSED, format!("`{name}` has no instance"))
                .at_opt(places.of(object), "unused"),
        );
    }
}
