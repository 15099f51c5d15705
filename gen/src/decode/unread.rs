//! Bits of an image that no packer sets and that mean nothing: fields of what is not in use. The hardware takes such an image; that
//! they are set shows that the file was damaged, or made by something else.

use super::Decoded;
use crate::codes;
use loom_adg::layout::FieldKind;
use loom_adg::{Component, ComponentId, Fabric, Image};
use loom_base::{Diagnostic, Diagnostics};
use loom_map::Step;
use std::collections::BTreeSet;

/// Fields named of one component, at most.
const NAMED: usize = 8;

/// A warning for each component with such bits. `decoded` is what the image decodes to.
pub fn unread(fabric: &Fabric, image: &Image, decoded: &Decoded) -> Diagnostics {
    let canonical = canonical(fabric, image, decoded);
    let mut warnings = Vec::new();
    for slice in &fabric.layout().slices {
        let id = slice.component;
        let differs = |low: u32, width: u32| {
            (0..width).any(|bit| image.bits(*slice, low + bit, 1) != canonical.bits(*slice, low + bit, 1))
        };
        let fields = fabric.layout().of(id).fields.iter().filter(|f| differs(f.low, f.width));
        let names: Vec<String> = fields.map(|f| f.kind.to_string()).collect();
        if names.is_empty() {
            continue;
        }
        let more = match names.len() {
            n if n > NAMED => format!(" and {} more", n - NAMED),
            _ => String::new(),
        };
        let names = names.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
        let path = fabric.path(id);
        let message = format!("bits of `{path}` that mean nothing are not as unused ones are: {names}{more}");
        warnings.push(
            Diagnostic::warning(codes::UNREAD, message)
                .help("`loom map` does not write them: the file was changed, or is damaged"),
        );
    }
    warnings
}

/// The image that says no more than what it decodes to.
fn canonical(fabric: &Fabric, image: &Image, decoded: &Decoded) -> Image {
    let mut kept = Image::unused(fabric);
    for (id, config) in &decoded.pes {
        config.write(&mut kept, fabric, *id);
    }
    let steps = decoded.routes.iter().flat_map(|r| &r.steps);
    let passed: BTreeSet<ComponentId> = steps
        .filter_map(|s| match s {
            Step::Fifo { component, .. } => Some(*component),
            _ => None,
        })
        .collect();
    // Streams that come with a tag are followed up to where it decides.
    let by_tag = |id: ComponentId| {
        !matches!(
            fabric.component(id),
            Component::SpatialPe(_) | Component::SpatialSw(_) | Component::Fifo(_) | Component::Memory(_)
        )
    };
    let tags = fabric.flat().ids().any(by_tag);
    for slice in &fabric.layout().slices {
        let id = slice.component;
        let valid = |kind| image.get(fabric, id, kind) == 1;
        for field in &fabric.layout().of(id).fields {
            let means = match field.kind {
                FieldKind::Bypass => tags || passed.contains(&id),
                FieldKind::SlotTag(s) | FieldKind::SlotRoute { slot: s, .. } => {
                    valid(FieldKind::SlotValid(s))
                }
                FieldKind::EntrySource(e) | FieldKind::EntryTarget(e) => valid(FieldKind::EntryValid(e)),
                FieldKind::RegionStart(r)
                | FieldKind::RegionEnd(r)
                | FieldKind::RegionOffset(r)
                | FieldKind::RegionSize(r) => valid(FieldKind::RegionValid(r)),
                // Of PEs what their settings have; every bit of a route was followed.
                _ => !matches!(fabric.component(id), Component::SpatialPe(_)),
            };
            if means {
                for bit in 0..field.width {
                    kept.set_bits(*slice, field.low + bit, 1, image.bits(*slice, field.low + bit, 1));
                }
            }
        }
    }
    kept
}
