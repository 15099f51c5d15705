//! Bitstreams: what a mapping packs decodes to the same mapping; what is damaged is refused with a reason.

use expect_test::expect_file;
use loom_adg::{Component, ComponentId, Fabric, FieldKind, Image, Mux, PeConfig};
use loom_base::{Diagnostics, Rng, Source};
use loom_dfg::Graph;
use loom_gen::{config, decode, Decoded};
use loom_map::{Mapping, Route, Step};
use loom_testkit::graphs::{random_graph, RandomGraphOptions};
use std::fmt::Write;

fn fabric(text: &str) -> Fabric {
    let adg = loom_adg::toml::read(&Source::new("fabric.toml", text)).expect("a legal fabric");
    Fabric::new(adg)
}

fn mesh(n: usize) -> Fabric {
    fabric(&loom_adg::topology::mesh_toml(n, n))
}

/// An input that is wired to a tag component, or through a FIFO to an output, is a way that no mapping asks for; a graph beside it
/// was refused as a fault of the packer.
#[test]
fn what_is_wired_and_not_used_is_no_difference() {
    let f = fabric(
        "name = \"wired\"\ninput = [{ type = \"bits<32>\" }, { type = \"bits<32>\" }, { type = \"bits<32>\" }, { type = \"bits<32>\" }]\n\
         output = [{ type = \"bits<32>\" }, { type = \"tagged<bits<32>, i4>\" }, { type = \"bits<32>\" }]\n\
         instance = [{ name = \"pe\", of = \"pe\" }, { name = \"tag\", of = \"tag\" }, { name = \"queue\", of = \"queue\" }]\n\
         connect = [{ from = \"in0\", to = \"tag.in0\" }, { from = \"tag.out0\", to = \"out1\" }, { from = \"in3\", to = \"queue.in0\" },\n\
         { from = \"queue.out0\", to = \"out2\" }, { from = \"in1\", to = \"pe.in0\" }, { from = \"in2\", to = \"pe.in1\" }, { from = \"pe.out0\", to = \"out0\" }]\n\
         [add_tag.tag]\nwidth = 32\ntag = 4\n[fifo.queue]\ntype = \"bits<32>\"\ndepth = 2\n\
         [pe.pe]\ninputs = { count = 2, width = 32 }\noutputs = { count = 1, width = 32 }\nfus = [\"arith.addi i32\"]\n",
    );
    let text = "handshake.func @add(%a: i32, %b: i32) -> (i32) attributes {resNames = [\"r\"]} {\n  \
                %r = arith.addi %a, %b : i32\n  return %r : i32\n}\n";
    let graph = loom_dfg::parse(&Source::new("add.dfg.mlir", text)).expect("a graph");
    let mapped = loom_map::map(&graph, &f, &Default::default(), &mut |_, _| {}).expect("a mapping");
    let image = loom_map::config::image(&graph, &f, &mapped.mapping);
    let (decoded, _) = decode(&f, &image).expect("it decodes");
    assert_eq!(decoded.matches(&graph, &f, &mapped.mapping), Ok(()));
    assert_eq!(decoded.routes.len(), 5, "both that are wired are shown all the same");
}

fn of_kind(fabric: &Fabric, kind: &str, skip: usize) -> ComponentId {
    let mut ids = fabric.flat().ids().filter(|&id| fabric.component(id).kind_name() == kind);
    ids.nth(skip).expect("the fabric has one")
}

#[test]
fn packing_and_decoding_are_inverse() {
    let f = mesh(4);
    let mut mapped = 0;
    for seed in 0..60 {
        let graph = random_graph(
            &mut Rng::new(seed),
            &RandomGraphOptions { max_ops: 25, ..RandomGraphOptions::default() },
        )
        .graph;
        let options = loom_map::MapOptions { seed, ..loom_map::MapOptions::default() };
        let Ok(result) = loom_map::map(&graph, &f, &options, &mut |_, _| {}) else { continue };
        let image = loom_map::config::image(&graph, &f, &result.mapping);
        // Through the bytes of config.bin.
        let image = Image::from_bytes(&image.to_bytes()).expect("whole words");
        let (decoded, warnings) = decode(&f, &image).expect("a legal image");
        assert!(warnings.is_empty(), "seed {seed}: {warnings:?}");
        decoded.matches(&graph, &f, &result.mapping).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        // And through config.json.
        let names = loom_gen::patch::names(&graph, &f, &result.mapping, &|name| {
            (name.len() % 2 == 0, (name.len() > 1).then_some(name.len() as u32))
        });
        let json = config::config_json(&f, &image, &names).to_string();
        let read = config::check_config_json(&json, &f, &image);
        assert_eq!(read.expect("its own config.json"), names);
        mapped += 1;
    }
    assert!(mapped > 40, "only {mapped} of 60 graphs were mapped");
}

/// A graph's mapping on a fabric, as the mapper makes it and as its image decodes.
fn round_trip(f: &Fabric, text: &str) -> (Graph, Mapping, Decoded) {
    let graph = loom_dfg::parse(&Source::new("kernel.dfg.mlir", text)).expect("a graph");
    let result = loom_map::map(&graph, f, &Default::default(), &mut |_, _| {});
    let mapping = result.unwrap_or_else(|d| panic!("{}", d[0].message)).mapping;
    let image = loom_map::config::image(&graph, f, &mapping);
    let (decoded, warnings) = decode(f, &image).expect("a legal image");
    assert!(warnings.is_empty(), "{warnings:?}");
    (graph, mapping, decoded)
}

/// Of a mapped kernel's bits, one after the other: each is refused, changes what is decoded, or is listed.
#[test]
fn no_flipped_bit_goes_unseen() {
    let f = mesh(2);
    let source = Source::new("sum.dfg.mlir", include_str!("../../kernels/sum/sum.dfg.mlir"));
    let graph = loom_dfg::parse(&source).expect("a graph");
    let mapped =
        loom_map::map(&graph, &f, &loom_map::MapOptions::default(), &mut |_, _| {}).expect("it fits");
    let image = loom_map::config::image(&graph, &f, &mapped.mapping);
    let (whole, warnings) = decode(&f, &image).expect("a legal image");
    assert!(warnings.is_empty() && loom_gen::decode::unread(&f, &image, &whole).is_empty());
    let mut listed = 0;
    for bit in 0..image.words.len() * 32 {
        let mut flipped = image.clone();
        flipped.words[bit / 32] ^= 1 << (bit % 32);
        let Ok((decoded, warnings)) = decode(&f, &flipped) else { continue };
        let unread = loom_gen::decode::unread(&f, &flipped, &decoded);
        listed += usize::from(!unread.is_empty());
        let seen = decoded != whole || !warnings.is_empty() || !unread.is_empty();
        assert!(seen, "bit {} of word {} is not seen", bit % 32, bit / 32);
    }
    assert!(listed > 100, "{listed}");
}

#[test]
fn whatever_differs_from_the_mapping_is_noticed() {
    let f = mesh(2);
    let (graph, mapping, decoded) = round_trip(&f, include_str!("../../kernels/diamond/diamond.dfg.mlir"));
    let compare = |mapping: &Mapping| decoded.matches(&graph, &f, mapping);
    assert_eq!(compare(&mapping), Ok(()));
    let differs = |what: &str, change: &dyn Fn(&mut Mapping)| {
        let mut other = mapping.clone();
        change(&mut other);
        assert_ne!(other, mapping, "{what}: nothing changed");
        assert!(compare(&other).is_err(), "{what}: not noticed");
    };
    for n in 0..mapping.placements.len() {
        differs("another unit", &|m| m.placements[n].fu += 1);
        differs("another place", &|m| m.placements[n].component.0 += 1);
        for operand in 0..mapping.placements[n].inputs.len() {
            differs("another input", &|m| m.placements[n].inputs[operand] += 1);
        }
        for result in 0..mapping.placements[n].outputs.len() {
            differs("another output", &|m| {
                let output = &mut m.placements[n].outputs[result];
                *output = if output.is_some() { None } else { Some(0) };
            });
        }
    }
    for r in 0..mapping.routes.len() {
        differs("no route", &|m| {
            m.routes.remove(r);
        });
        differs("another source", &|m| m.routes[r].source = loom_adg::SourcePort::Boundary(99));
        for step in 0..mapping.routes[r].steps.len() {
            differs("a step less", &|m| {
                m.routes[r].steps.remove(step);
            });
        }
    }
    differs("another result port", &|m| m.outputs[0] += 1);
    // One image for another graph's mapping.
    let (fewer, other, _) = round_trip(&f, include_str!("../../kernels/gate/gate.dfg.mlir"));
    assert!(decoded.matches(&fewer, &f, &other).is_err());
}

/// Two loads on one interface: tags, slots and regions of the lanes come back.
#[test]
fn lanes_of_a_memory_interface_come_back() {
    let f = fabric(include_str!("../../verif/prove/formal/faults/lanes.toml"));
    let (graph, mapping, decoded) =
        round_trip(&f, include_str!("../../verif/prove/formal/faults/pair.dfg.mlir"));
    assert_eq!(decoded.matches(&graph, &f, &mapping), Ok(()));
    assert_eq!(decoded.regions.len(), 2);
    let less = Decoded { regions: decoded.regions[1..].to_vec(), ..decoded };
    assert!(less.matches(&graph, &f, &mapping).is_err());
}

#[test]
fn a_step_through_a_bypassed_fifo_sets_its_bit() {
    let f = fabric(include_str!("../../configs/tags.toml"));
    let bypassable =
        |&id: &ComponentId| matches!(f.component(id), Component::Fifo(fifo) if fifo.is_bypassable());
    let component = f.flat().ids().find(bypassable).expect("tags.toml has one");
    let wire = "handshake.func @wire(%a: i32, ...) -> i32 attributes {argNames = [\"a\"], resNames = [\"b\"]} {\n  return %a : i32\n}\n";
    let graph = loom_dfg::parse(&Source::new("wire.dfg.mlir", wire)).expect("a graph");
    for bypass in [false, true] {
        let steps = vec![Step::Fifo { component, bypass }];
        let source = loom_adg::SourcePort::Boundary(0);
        let routes = vec![Route { value: loom_dfg::ValueId(0), source, steps }];
        let (arguments, outputs) = (vec![Some(0)], vec![0]);
        let mapping = Mapping { covers: vec![], placements: vec![], arguments, outputs, routes };
        let image = loom_map::config::image(&graph, &f, &mapping);
        assert_eq!(image.get(&f, component, FieldKind::Bypass), u64::from(bypass));
    }
}

#[test]
fn every_bit_of_an_image_is_explained() {
    let f = mesh(2);
    let image = Image { words: (0..f.layout().words as u32).map(|w| w.wrapping_mul(0x9e37_79b9)).collect() };
    let json = config::config_json(&f, &image, &Default::default());
    let mut again = vec![0u32; f.layout().words];
    for slice in json["slices"].as_array().unwrap() {
        let base = slice["word_offset"].as_u64().unwrap() * 32;
        for field in slice["fields"].as_array().unwrap() {
            let value = field["value"].as_u64().expect("fields of a mesh fit 64 bits");
            for i in 0..field["width"].as_u64().unwrap() {
                let at = base + field["low_bit"].as_u64().unwrap() + i;
                again[(at / 32) as usize] |= ((value >> i & 1) as u32) << (at % 32);
            }
        }
    }
    for slice in &f.layout().slices {
        let used = f.layout().of(slice.component).bits;
        for bit in 0..used {
            let at = slice.word_offset * 32 + bit as usize;
            let get = |words: &[u32]| words[at / 32] >> (at % 32) & 1;
            assert_eq!(get(&again), get(&image.words), "bit {bit} of slice {}", slice.component.0);
        }
    }
}

#[test]
fn damage_is_refused_with_a_reason() {
    let f = mesh(2);
    let tags = fabric(include_str!("../../configs/tags.toml"));
    let mut text = String::new();
    let mut case = |name: &str, result: Result<(), Diagnostics>| {
        let _ = writeln!(text, "== {name}");
        let diagnostics = result.expect_err(name);
        for d in diagnostics {
            let _ = writeln!(text, "{}\n", d.render(&Source::new("sum.config.bin", "")));
        }
    };
    let check = |f: &Fabric, image: &Image| decode(f, image).map(|_| ());
    let unused = Image::unused(&f);
    let edit = |change: &dyn Fn(&mut Image)| {
        let mut image = unused.clone();
        change(&mut image);
        check(&f, &image)
    };
    let sw = of_kind(&f, "spatial_sw", 1);
    let state = f.find("t_1_0.s0").expect("a component of that name");
    let compute = f.find("t_1_0.c0").expect("a component of that name");
    let pe = |image: &mut Image, id: ComponentId, change: &dyn Fn(&mut PeConfig)| {
        let Component::SpatialPe(spec) = f.component(id) else { panic!("a PE") };
        let opcode = 0;
        let mut config = PeConfig {
            opcode,
            inputs: vec![Mux::Disconnect; spec.input_muxes()],
            outputs: vec![Mux::Disconnect; spec.output_demuxes()],
            payload: loom_adg::layout::payload(&spec.fus[opcode], 32).iter().map(|_| 1).collect(),
            immediates: vec![0; spec.immediates],
        };
        change(&mut config);
        config.write(image, &f, id);
    };

    case("a word is missing", check(&f, &Image { words: unused.words[1..].to_vec() }));
    case("a word too many", check(&f, &Image { words: [&unused.words[..], &[0]].concat() }));
    case("made for a larger mesh", check(&f, &Image::unused(&mesh(4))));
    case(
        "a spare bit is set",
        edit(&|image| {
            let slice = f.layout().slice(sw).expect("a slice");
            image.words[slice.word_offset + slice.word_count - 1] |= 1 << 31;
        }),
    );
    case(
        "two inputs on one output",
        edit(&|image| {
            let connected: Vec<FieldKind> = f.layout().of(sw).fields.iter().map(|x| x.kind).take(2).collect();
            connected.into_iter().for_each(|kind| image.set(&f, sw, kind, 1));
        }),
    );
    case(
        "an opcode beyond the units",
        edit(&|image| {
            image.set(&f, compute, FieldKind::Enable, 1);
            image.set(&f, compute, FieldKind::Opcode, 31);
        }),
    );
    case("two muxes on one port", edit(&|image| pe(image, compute, &|c| c.inputs[..2].fill(Mux::Port(1)))));
    case("a mux beyond the ports", edit(&|image| pe(image, state, &|c| c.inputs[0] = Mux::Port(3))));
    case("cont_cond not one-hot", edit(&|image| pe(image, state, &|c| c.payload[0] = 0b101)));
    case(
        "a predicate above 9",
        edit(&|image| {
            let Component::SpatialPe(spec) = f.component(compute) else { panic!("a PE") };
            let cmpi = spec.fus.iter().position(|u| u.name.contains("cmpi")).expect("a compare");
            pe(image, compute, &|_| {});
            image.set(&f, compute, FieldKind::Opcode, cmpi as u64);
            image.set(&f, compute, FieldKind::Payload, 10);
        }),
    );
    let mut twice = Image::unused(&tags);
    let map = of_kind(&tags, "map_tag", 0);
    twice.set(&tags, map, FieldKind::EntryValid(0), 1);
    twice.set(&tags, map, FieldKind::EntryValid(1), 1);
    case("a tag set up twice", check(&tags, &twice));

    let json = |text: &str| config::check_config_json(text, &f, &unused).map(|_| ());
    let good = config::config_json(&f, &unused, &Default::default());
    case("config.json is not JSON", json("{\"fabric\": "));
    case("config.json without a hash", json("{}"));
    case("config.json of another fabric", {
        let mut other = good.clone();
        other["fabric"] = "mesh-9x9".into();
        other["fabric_hash"] = "0123456789abcdef".into();
        json(&other.to_string())
    });
    case("config.json with other words", {
        let mut other = good.clone();
        other["words"][0] = 77.into();
        json(&other.to_string())
    });
    expect_file!["bad/images.txt"].assert_eq(&text);
}
