//! Which of the fabrics that come with LOOM holds a program, for whoever names none: the smallest.
//!
//! Where tokens wait for room there more than for one another, larger ones are tried, for as long as each is expected to be much faster
//! than the one before.
//!
//! Most fabrics that are too small say so before anything is placed. What can take long is a mapping that is placed and never
//! routed, so the search is content with few placements; the fabric that it finds is then mapped as if it had been named,
//! and naming it gives the same bytes. Where nothing is routed on any, the last gets as many placements as if it had been named.

use crate::fitted::{is_faster, is_held_up, Fitted};
use crate::load;
use loom_adg::Fabric;
use loom_base::{Code, Diagnostic, Diagnostics, Source};
use loom_map::MapOptions;

/// Placements tried on a fabric while one is looked for; twice as many where none is routed.
const ATTEMPTS: u32 = 2;

/// How much fewer cycles a larger fabric must take.
const WORTH: f64 = 0.85;

/// Codes of what another fabric may mend, beside all of the mapper's.
const OF_FABRIC: [Code; 2] = [loom_front::codes::RESOURCES, loom_front::codes::JOIN_LIMIT];

/// Gives what `place` makes on the smallest of some fabrics for which it makes something, or on a larger one where that is much faster.
/// Errors: what the last of them lacks; or at once what is wrong with the program, whatever the fabric. `lacks` is told what each
/// lacks. A fabric for which `place` gives an error without a diagnostic is passed over.
pub fn smallest<T: Fitted>(
    fabrics: &[Source],
    options: &MapOptions,
    lacks: &mut Vec<String>,
    place: &mut dyn FnMut(&Fabric, &MapOptions) -> Result<T, Diagnostics>,
) -> Result<T, Diagnostics> {
    let search = MapOptions { attempts: options.attempts.min(ATTEMPTS), ..*options };
    let (mut largest, mut last) = (None, Vec::new());
    for (at, text) in fabrics.iter().enumerate() {
        let fabric = load::fabric(text)?;
        match place(&fabric, &search) {
            Ok(_) => {
                return place(&fabric, options)
                    .map(|made| or_larger(made, &fabrics[at + 1..], options, place))
            }
            Err(why) if why.is_empty() => continue,
            Err(why) if !another_may_do(&why) => return Err(why),
            Err(why) => last = why,
        }
        lacks.push(format!("{}: {}", fabric.name(), last.first().map_or("", |d| &d.message)));
        largest = Some(fabric);
    }
    if let (true, Some(fabric)) = (may_be_routed(&last), largest) {
        match place(&fabric, options) {
            Ok(made) => return Ok(made),
            Err(why) => last = why,
        }
    }
    Err(last)
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
        // The same with wider words has no more room.
        let size = |fabric: &Fabric| fabric.flat().components.len();
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

/// Whether more placements may find what few did not.
fn may_be_routed(why: &[Diagnostic]) -> bool {
    why.iter().any(|d| d.code == loom_map::codes::UNROUTABLE)
}

/// Whether something stands against a program that another fabric, or less of the program, may not have.
pub(crate) fn another_may_do(why: &[Diagnostic]) -> bool {
    why.iter().any(|d| OF_FABRIC.contains(&d.code) || loom_map::codes::CODES.contains(&d.code))
}
