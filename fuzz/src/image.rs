//! Images of some fabrics, and mutations of their fields.
//!
//! The first byte of an input names the fabric, the rest are the words of its image, zeros where there are too few.

use loom_adg::{Component, Fabric, Image};
use loom_base::{Rng, Source};
use loom_gen::Decoded;
use loom_map::Step;
use std::sync::OnceLock;

/// Small fabrics that have every kind of component between them.
pub fn fabrics() -> &'static [Fabric] {
    static ALL: OnceLock<Vec<Fabric>> = OnceLock::new();
    ALL.get_or_init(|| {
        [
            include_str!("../../configs/mesh-2x2.toml"),
            include_str!("../../configs/tags.toml"),
            include_str!("../../configs/units.toml"),
            include_str!("../../verif/cocotb/bench-3x3.toml"),
        ]
        .map(|text| {
            Fabric::new(loom_adg::toml::read(&Source::new("fabric.toml", text)).expect("a fabric of ours"))
        })
        .into()
    })
}

/// The fabric and the image that an input means.
pub fn of(data: &[u8]) -> Option<(&'static Fabric, Image)> {
    let (&which, bytes) = data.split_first()?;
    let fabric = &fabrics()[usize::from(which) % fabrics().len()];
    let mut bytes = bytes.to_vec();
    bytes.resize(4 * fabric.layout().words, 0);
    Some((fabric, Image::from_bytes(&bytes).expect("whole words")))
}

/// The mutator of an image: some fields set anew, or now and then libFuzzer's own. Gives the new size.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut rng = Rng::new(seed.into());
    let Some((fabric, mut image)) = of(&data[..size]).filter(|_| rng.chance(90)) else {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    };
    let ids: Vec<_> = fabric.flat().ids().filter(|&id| fabric.layout().slice(id).is_some()).collect();
    for _ in 0..1 + rng.below(4) {
        let (&id, other) = (rng.pick(&ids), *rng.pick(&ids));
        let slice = fabric.layout().slice(id).expect("it has one");
        let fields = &fabric.layout().of(id).fields;
        if rng.chance(10) && fabric.layout().of(other).fields == *fields {
            // A whole slice from another instance of the definition.
            for field in fields {
                let value = image.get(fabric, other, field.kind);
                image.set(fabric, id, field.kind, value);
            }
            continue;
        }
        let field = rng.pick(fields);
        let was = image.bits(slice, field.low, field.width.min(64));
        let value = match rng.below(5) {
            0 => 0,
            1 => u64::MAX,
            2 => was.wrapping_add(1),
            3 => was ^ 1 << rng.below(field.width.min(64) as usize),
            _ => rng.next_u64(),
        };
        let width = field.width.min(64);
        image.set_bits(slice, field.low, width, loom_base::truncate(value, width));
    }
    let bytes = image.to_bytes();
    if 1 + bytes.len() > max_size {
        return size;
    }
    data[1..1 + bytes.len()].copy_from_slice(&bytes);
    1 + bytes.len()
}

/// The image that sets up what was decoded, and nothing else.
pub fn encode(fabric: &Fabric, image: &Image, decoded: &Decoded) -> Image {
    let mut out = Image::unused(fabric);
    for (id, config) in &decoded.pes {
        config.write(&mut out, fabric, *id);
    }
    for step in decoded.routes.iter().flat_map(|r| &r.steps) {
        let Step::Switch { component, input, output } = *step else { continue };
        let route = loom_adg::FieldKind::Route { output, input };
        if fabric.layout().of(component).field(route).is_some() {
            out.set(fabric, component, route, 1);
        }
    }
    // Tags, tables, regions, and routes by tags or lanes stand in the fields as they are.
    for id in fabric.flat().ids() {
        let plain =
            matches!(fabric.component(id), Component::SpatialSw(sw) if sw.decomposable_bits.is_none());
        if !plain && !matches!(fabric.component(id), Component::SpatialPe(_)) {
            for field in &fabric.layout().of(id).fields {
                out.set(fabric, id, field.kind, image.get(fabric, id, field.kind));
            }
        }
    }
    out
}
