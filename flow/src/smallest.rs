//! Which of the fabrics that come with LOOM holds a program, for whoever names none: the smallest.
//!
//! Where a run takes far more there than the ops ask for, larger ones are tried, for as long as each is expected to be much faster than
//! the one before.
//!
//! Most fabrics that are too small say so before anything is placed. What can take long is a mapping that is placed and never
//! routed, so it is given up there after few placements, but on the largest; what is mapped is mapped as if its fabric had been named,
//! and naming it gives the same bytes.

use crate::fitted::{is_faster, is_held_up, Fitted};
use crate::load;
use loom_adg::Fabric;
use loom_base::{Code, Diagnostic, Diagnostics, Source};
use loom_front::codes::RESOURCES;
use loom_map::MapOptions;

/// How much fewer cycles a larger fabric must take.
const WORTH: f64 = 0.85;

/// Codes of what another fabric may mend, beside all of the mapper's.
const OF_FABRIC: [Code; 2] = [RESOURCES, loom_front::codes::JOIN_LIMIT];

/// Gives what `place` makes on the smallest of some fabrics for which it makes something, or on a larger one where that is much faster.
/// Errors: what the last of them lacks; or at once what is wrong with the program, whatever the fabric. `lacks` is told what each
/// lacks. A fabric for which `place` gives an error without a diagnostic is passed over.
pub fn smallest<T: Fitted>(
    fabrics: &[Source],
    options: &MapOptions,
    lacks: &mut Vec<String>,
    place: &mut dyn FnMut(&Fabric, &MapOptions) -> Result<T, Diagnostics>,
) -> Result<T, Diagnostics> {
    let early = MapOptions { gives_up_early: true, ..*options };
    let (mut crowded, mut last) = (0, Vec::new());
    for (at, text) in fabrics.iter().enumerate() {
        let fabric = load::fabric(text)?;
        // What was placed and not routed is not routed with wider words either.
        if size(&fabric) <= crowded {
            continue;
        }
        let is_largest =
            || fabrics[at + 1..].iter().all(|f| load::fabric(f).is_ok_and(|f| size(&f) <= size(&fabric)));
        match place(&fabric, if is_largest() { options } else { &early }) {
            Ok(made) => return Ok(or_larger(made, &fabrics[at + 1..], options, place)),
            Err(why) if why.is_empty() => continue,
            Err(why) if !another_may_do(&why) => return Err(why),
            Err(why) => last = why,
        }
        if last.iter().any(|d| d.code == loom_map::codes::UNROUTABLE) {
            crowded = size(&fabric);
        }
        lacks.push(format!("{}: {}", fabric.name(), in_short(&last).unwrap_or_default()));
    }
    Err(last)
}

/// The first of what stands against a program, with its figure.
pub(crate) fn in_short(why: &[Diagnostic]) -> Option<&str> {
    let first = why.first()?;
    // The message says that it does not fit, and the note what there is too little of.
    let figure = first.notes.first().filter(|_| first.code == RESOURCES);
    Some(figure.unwrap_or(&first.message))
}

/// How much room a fabric has: the same with wider words has no more.
pub(crate) fn size(fabric: &Fabric) -> usize {
    fabric.flat().components.len()
}

/// What was made on a fabric, or on one of the next where that is worth it.
fn or_larger<T: Fitted>(
    mut best: T,
    next: &[Source],
    options: &MapOptions,
    place: &mut dyn FnMut(&Fabric, &MapOptions) -> Result<T, Diagnostics>,
) -> T {
    for text in next {
        if !is_held_up(&best) {
            break;
        }
        let Ok(fabric) = load::fabric(text) else { continue };
        if best.configured().iter().any(|c| size(&fabric) <= size(&c.fabric)) {
            continue;
        }
        match place(&fabric, options) {
            Ok(made) if is_faster(&made, &best, WORTH) => best = made,
            Ok(_) => break,
            Err(_) => {}
        }
    }
    best
}

/// Whether something stands against a program that another fabric, or less of the program, may not have.
pub(crate) fn another_may_do(why: &[Diagnostic]) -> bool {
    why.iter().any(|d| OF_FABRIC.contains(&d.code) || loom_map::codes::CODES.contains(&d.code))
}
