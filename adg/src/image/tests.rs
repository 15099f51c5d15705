//! The image: fields, slices, and what is written is read.

use super::*;
use loom_base::{Rng, Source};

fn fabric(text: String) -> Fabric {
    Fabric::new(crate::toml::read(&Source::new("x", text)).expect("legal"))
}

fn fabrics() -> Vec<Fabric> {
    let tags = format!("{}/../configs/tags.toml", env!("CARGO_MANIFEST_DIR"));
    vec![
        fabric(crate::topology::mesh_toml(2, 2)),
        fabric(std::fs::read_to_string(tags).expect("configs/tags.toml")),
    ]
}

#[test]
fn fields_and_slices_tile_the_image() {
    for fabric in fabrics() {
        let layout = fabric.layout();
        for (d, slice) in fabric.adg().definitions.iter().zip(&layout.definitions) {
            let mut next = 0;
            for field in &slice.fields {
                assert_eq!(field.low, next, "{} {}", d.name, field.kind);
                assert!(field.width > 0);
                assert_eq!(slice.field(field.kind), Some(*field));
                next += field.width;
            }
            assert_eq!(slice.bits, next);
        }
        let mut next = 0;
        let mut pes = false;
        for slice in &layout.slices {
            assert_eq!(slice.word_offset, next);
            next += slice.word_count;
            assert_eq!(slice.word_count, layout.of(slice.component).words());
            let pe = fabric.component(slice.component).is_pe();
            assert!(pe >= pes, "PEs come last");
            pes = pe;
        }
        assert_eq!(next, layout.words);
    }
}

#[test]
fn sizes_of_small_slices() {
    let fabric = &fabrics()[1];
    let (adg, layout) = (fabric.adg(), fabric.layout());
    let bits = |name: &str| {
        let d = adg.definitions.iter().position(|d| d.name == name).expect(name);
        layout.definitions[d].bits
    };
    assert_eq!(bits("mark"), 4);
    assert_eq!(bits("strip"), 0);
    assert_eq!(bits("slack"), 1);
    assert_eq!(bits("back"), 0);
    assert_eq!(bits("rename"), 4 * (1 + 4 + 3));
    assert_eq!(bits("cross"), 5);
    assert_eq!(bits("sort"), 4 * (1 + 4 + 6));
    // 4 lanes and 1 lane out, each from 4 + 2 lanes in.
    assert_eq!(bits("lanes"), 5 * 6);
}

#[test]
fn what_is_written_is_read_and_nothing_else_changes() {
    for fabric in fabrics() {
        let layout = fabric.layout();
        let mut rng = Rng::new(3);
        let mut image = Image::unused(&fabric);
        let mut want = Vec::new();
        for slice in &layout.slices {
            for field in &layout.of(slice.component).fields {
                let value = loom_base::truncate(rng.next_u64(), field.width.min(64));
                image.set(&fabric, slice.component, field.kind, value);
                want.push((slice.component, field.kind, value));
            }
        }
        for (component, kind, value) in want {
            assert_eq!(image.get(&fabric, component, kind), value, "{kind}");
        }
        assert_eq!(Image::from_bytes(&image.to_bytes()), Some(image));
    }
    assert_eq!(Image::from_bytes(&[0; 6]), None);
}

#[test]
fn an_unused_fabric_is_disconnected_and_disabled() {
    let fabric = &fabrics()[0];
    let image = Image::unused(fabric);
    for id in fabric.flat().ids() {
        if let Component::SpatialPe(_) = fabric.component(id) {
            assert_eq!(PeConfig::read(&image, fabric, id), None);
            assert_eq!(image.get(fabric, id, FieldKind::InputDisconnect(0)), 1);
        } else if let Some(slice) = fabric.layout().slice(id) {
            let words = &image.words[slice.word_offset..slice.word_offset + slice.word_count];
            assert!(words.iter().all(|w| *w == 0));
        }
    }
}

#[test]
fn pe_configurations_read_back() {
    let fabric = &fabrics()[0];
    let mut rng = Rng::new(7);
    for id in fabric.flat().ids() {
        let Component::SpatialPe(pe) = fabric.component(id) else {
            continue;
        };
        for opcode in 0..pe.fus.len() {
            let mux = |rng: &mut Rng, ports: usize| match rng.below(3) {
                0 => Mux::Disconnect,
                1 => Mux::Discard(rng.below(ports)),
                _ => Mux::Port(rng.below(ports)),
            };
            let config = PeConfig {
                opcode,
                inputs: (0..pe.input_muxes()).map(|_| mux(&mut rng, pe.input_choices())).collect(),
                outputs: (0..pe.output_demuxes()).map(|_| mux(&mut rng, pe.outputs.len())).collect(),
                payload: payload(&pe.fus[opcode], fabric.index_width())
                    .iter()
                    .map(|p| loom_base::truncate(rng.next_u64(), p.width))
                    .collect(),
                immediates: (0..pe.immediates)
                    .map(|_| loom_base::truncate(rng.next_u64(), pe.immediate_width(fabric.index_width())))
                    .collect(),
            };
            let mut image = Image::unused(fabric);
            config.write(&mut image, fabric, id);
            assert_eq!(PeConfig::read(&image, fabric, id), Some(config));
        }
    }
}

#[test]
fn field_names_are_distinct_within_a_slice() {
    for fabric in fabrics() {
        let layout = fabric.layout();
        for slice in &layout.definitions {
            let names: std::collections::BTreeSet<String> =
                slice.fields.iter().map(|f| f.kind.to_string()).collect();
            assert_eq!(names.len(), slice.fields.len());
        }
    }
}
