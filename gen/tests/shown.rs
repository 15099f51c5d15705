//! What an image sets up, as `loom decode` shows it, and the files around it, word for word. The images are set field by
//! field, so no change of the mapper moves them.

use expect_test::expect_file;
use loom_adg::{Component, ComponentId, Fabric, FieldKind, Image, Mux, PeConfig};
use loom_base::Source;
use loom_gen::config::Pin;
use loom_gen::patch::{bases, Names, Tenant};
use loom_gen::{config, decode};
use std::fmt::Write;

struct Shown(Fabric);

impl std::ops::Deref for Shown {
    type Target = Fabric;

    fn deref(&self) -> &Fabric {
        &self.0
    }
}

impl Shown {
    fn new(text: &str) -> Shown {
        let source = Source::new("fabric.toml", text);
        let adg = loom_adg::toml::read(&source)
            .unwrap_or_else(|d| panic!("{}", d.iter().map(|d| d.render(&source)).collect::<String>()));
        Shown(Fabric::new(adg))
    }

    fn at(&self, path: &str) -> ComponentId {
        self.find(path).expect("a component of that name")
    }

    fn set(&self, image: &mut Image, path: &str, fields: &[(FieldKind, u64)]) {
        for &(kind, value) in fields {
            image.set(self, self.at(path), kind, value);
        }
    }

    /// Enables a PE. A mux that is not given is not connected.
    fn pe(&self, image: &mut Image, path: &str, opcode: usize, muxes: [&[Mux]; 2], payload: &[u64]) {
        let id = self.at(path);
        let Component::SpatialPe(pe) = self.component(id) else { panic!("a PE") };
        let full = |given: &[Mux], count: usize| {
            let rest = std::iter::repeat_n(Mux::Disconnect, count - given.len());
            given.iter().copied().chain(rest).collect()
        };
        let inputs = full(muxes[0], pe.input_muxes());
        let outputs = full(muxes[1], pe.output_demuxes());
        let config = PeConfig {
            opcode,
            inputs,
            outputs,
            payload: payload.to_vec(),
            immediates: vec![0; pe.immediates],
        };
        config.write(image, self, id);
    }

    fn shown(&self, image: &Image) -> String {
        match decode(self, image) {
            Ok((decoded, warnings)) => {
                let mut text = decoded.text(self);
                for w in warnings {
                    let _ = writeln!(text, "{}", w.render(&Source::new("config.bin", "")));
                }
                text
            }
            Err(problems) => {
                problems.iter().map(|d| d.render(&Source::new("config.bin", "")) + "\n").collect()
            }
        }
    }
}

fn parts() -> Shown {
    Shown::new(include_str!("shown/parts.toml"))
}

fn route(output: usize, input: usize) -> (FieldKind, u64) {
    (FieldKind::Route { output, input }, 1)
}

#[test]
fn images_are_shown_in_full() {
    let f = parts();
    let mut text = String::new();
    let mut case = |name: &str, change: &dyn Fn(&mut Image)| {
        let mut image = Image::unused(&f);
        change(&mut image);
        let _ = writeln!(text, "== {name}\n{}", f.shown(&image));
    };
    case("nothing is used", &|_| {});
    case("a comparison of integers", &|image| {
        f.pe(image, "unit", 0, [&[Mux::Port(0), Mux::Port(1)], &[Mux::Port(0)]], &[2]);
        f.set(image, "cross", &[route(0, 0), route(1, 1), route(2, 2)]);
        f.set(image, "slack", &[(FieldKind::Bypass, 1)]);
    });
    case("a comparison of floats, its result dropped", &|image| {
        f.pe(image, "unit", 1, [&[Mux::Port(0), Mux::Port(1)], &[Mux::Discard(0)]], &[3]);
        f.set(image, "cross", &[route(0, 0), route(1, 1)]);
    });
    case("a constant, whose trigger is taken and the next port drained", &|image| {
        f.pe(image, "unit", 2, [&[Mux::Port(0), Mux::Discard(1)], &[Mux::Port(0)]], &[1234]);
        f.set(image, "cross", &[route(0, 0), route(1, 1), route(2, 2)]);
    });
    case("a join of two", &|image| {
        f.pe(image, "unit", 3, [&[Mux::Port(1), Mux::Port(0)], &[Mux::Port(0)]], &[0b011]);
        f.set(image, "cross", &[route(0, 0), route(1, 1), route(2, 2)]);
    });
    case("a sum, of a body with a mux", &|image| {
        f.pe(image, "unit", 6, [&[Mux::Port(1), Mux::Port(0)], &[Mux::Port(0)]], &[0, 0]);
        f.set(image, "cross", &[route(0, 0), route(1, 1), route(2, 2)]);
    });
    case("a comparison, of the same body", &|image| {
        let inputs = [Mux::Port(0), Mux::Disconnect, Mux::Port(1)];
        f.pe(image, "unit", 6, [&inputs, &[Mux::Port(0)]], &[4, 2]);
        f.set(image, "cross", &[route(0, 0), route(1, 1), route(2, 2)]);
    });
    case("a difference that lacks an operand", &|image| {
        f.pe(image, "unit", 6, [&[Mux::Port(0), Mux::Port(1)], &[Mux::Port(0)]], &[4, 1]);
        f.set(image, "cross", &[route(0, 0), route(1, 1), route(2, 2)]);
    });
    case("a mux that selects what is not there", &|image| {
        f.pe(image, "unit", 6, [&[Mux::Port(0), Mux::Port(1)], &[Mux::Port(0)]], &[4, 3]);
        f.set(image, "cross", &[route(0, 0), route(1, 1), route(2, 2)]);
    });
    case("a stream, and a switch output that feeds nobody", &|image| {
        f.pe(image, "loop", 0, [&[Mux::Port(0), Mux::Port(1), Mux::Disconnect], &[Mux::Port(0)]], &[0b00010]);
        f.set(image, "cross", &[route(3, 0), route(4, 1), route(2, 3)]);
    });
    case("one input at three outputs, two of them dead ends", &|image| {
        f.set(image, "cross", &[route(2, 0), route(0, 0), route(3, 0)]);
    });
    case("routes that no stream reaches", &|image| {
        f.set(image, "cross", &[route(0, 3), route(1, 3), route(2, 2)]);
    });
    case("a stream that comes back to its FIFO", &|image| {
        f.set(image, "cross", &[route(5, 0), route(5, 4)]);
    });
    case("a stream that comes back and goes on", &|image| {
        f.set(image, "cross", &[route(5, 0), route(2, 4)]);
    });
    case("two FIFOs before a port that nobody takes from", &|image| {
        f.pe(image, "unit", 2, [&[Mux::Port(0)], &[Mux::Port(0)]], &[7]);
        f.set(image, "cross", &[route(0, 0), route(6, 0)]);
    });
    case("two FIFOs before a port that drops what comes", &|image| {
        f.pe(image, "unit", 2, [&[Mux::Discard(2)], &[Mux::Port(0)]], &[7]);
        f.set(image, "cross", &[route(6, 1)]);
    });
    case("regions", &|image| {
        let region = |k: usize, [start, end, offset, size]: [u64; 4]| {
            [
                (FieldKind::RegionValid(k), 1),
                (FieldKind::RegionStart(k), start),
                (FieldKind::RegionEnd(k), end),
                (FieldKind::RegionOffset(k), offset),
                (FieldKind::RegionSize(k), size),
            ]
        };
        f.set(image, "port", &region(0, [1, 2, 0x1000, 2]));
        f.set(image, "port", &region(1, [0, 1, 0x2340, 1]));
        f.set(image, "pad", &region(0, [0, 1, 0, 0]));
    });
    expect_file!["shown/parts.txt"].assert_eq(&text);
}

/// Tags, tables and lanes, on the fabric that has each of them once.
#[test]
fn tag_settings_are_shown_in_full() {
    let f = Shown::new(include_str!("../../configs/tags.toml"));
    let mut text = String::new();
    let mut case = |name: &str, change: &dyn Fn(&mut Image)| {
        let mut image = Image::unused(&f);
        change(&mut image);
        let _ = writeln!(text, "== {name}\n{}", f.shown(&image));
    };
    let slot = |slot: usize, tag: u64, routes: &[(usize, usize)]| -> Vec<(FieldKind, u64)> {
        let fixed = [(FieldKind::SlotValid(slot), 1), (FieldKind::SlotTag(slot), tag)];
        let routes = routes.iter().map(|&(input, output)| (FieldKind::SlotRoute { slot, output, input }, 1));
        fixed.into_iter().chain(routes).collect()
    };
    let entry = |k: usize, from: u64, to: u64| {
        [(FieldKind::EntryValid(k), 1), (FieldKind::EntrySource(k), from), (FieldKind::EntryTarget(k), to)]
    };
    let lane = |output, output_lane, input, input_lane| {
        (FieldKind::LaneRoute { output, output_lane, input, input_lane }, 1)
    };
    case("tags, slots and entries", &|image| {
        f.set(image, "mark0", &[(FieldKind::Tag, 5)]);
        f.set(image, "mark1", &[(FieldKind::Tag, 6)]);
        f.set(image, "cross", &[route(0, 0), route(1, 1)]);
        f.set(image, "sort", &slot(0, 5, &[(0, 0), (1, 2)]));
        f.set(image, "sort", &slot(2, 6, &[(1, 1)]));
        f.set(image, "rename", &entry(1, 5, 3));
        f.set(image, "rename", &entry(3, 6, 1));
    });
    case("lanes in another order", &|image| {
        f.set(image, "lanes", &[lane(0, 0, 0, 3), lane(0, 1, 1, 0), lane(0, 3, 0, 0), lane(1, 0, 1, 1)]);
    });
    case("one lane alone", &|image| f.set(image, "lanes", &[lane(0, 3, 0, 3)]));
    case("two lanes on one", &|image| f.set(image, "lanes", &[lane(0, 1, 0, 0), lane(0, 1, 1, 1)]));
    case("a slot that takes two inputs for an output", &|image| {
        f.set(image, "sort", &slot(1, 4, &[(0, 1), (1, 1)]));
    });
    case("two slots that take one each are fine, with one tag they are not", &|image| {
        f.set(image, "sort", &slot(1, 4, &[(0, 1)]));
        f.set(image, "sort", &slot(2, 4, &[(1, 1)]));
    });
    case("a table entry twice", &|image| {
        f.set(image, "rename", &entry(0, 7, 3));
        f.set(image, "rename", &entry(2, 7, 1));
    });
    case("a stream that comes back", &|image| {
        f.set(image, "cross", &[route(1, 0)]);
        f.set(image, "slack", &[(FieldKind::Bypass, 1)]);
    });
    expect_file!["shown/tags.txt"].assert_eq(&text);
}

/// The names of arguments are a user's; they stand in JSON, in comments and in macros.
#[test]
fn the_files_around_an_image() {
    let f = parts();
    let mut image = Image::unused(&f);
    let predicates: Vec<u64> = (0..17).map(|k| k % 10).collect();
    f.pe(&mut image, "unit", 5, [&[Mux::Port(0), Mux::Port(1)], &[Mux::Port(0)]], &predicates);
    let region = |k, start, end, size| {
        [
            (FieldKind::RegionValid(k), 1),
            (FieldKind::RegionStart(k), start),
            (FieldKind::RegionEnd(k), end),
            (FieldKind::RegionSize(k), size),
        ]
    };
    f.set(&mut image, "port", &region(0, 0, 1, 2));
    f.set(&mut image, "port", &region(1, 1, 2, 1));
    f.set(&mut image, "pad", &region(0, 0, 1, 0));
    let tenant = |name: &str, noalias| Tenant { name: name.into(), noalias, alias_set: None, words: None };
    let names: Names =
        [((f.at("port"), 0), tenant("a_1", true)), ((f.at("port"), 1), tenant("b_c", false))].into();
    let json = config::config_json(&f, &image, &names);
    // The hash changes with every detail of the fabric; the rest is what this looks at.
    let without_hash = |text: String| text.replace(f.hash(), "<hash>").replace(&f.hash()[..12], "<hash>");
    expect_file!["shown/config.json"].assert_eq(&without_hash(format!("{json:#}\n")));
    let read = config::check_config_json(&json.to_string(), &f, &image);
    assert_eq!(read.expect("its own config.json"), names);
    let bases = bases(&f, &image, &names);
    let pin = |signal: Option<&str>, name: &str, ty: loom_dfg::Type| Pin {
        signal: signal.map(String::from),
        name: name.into(),
        ty,
        width: ty.width(32),
    };
    let pins = [
        pin(Some("in0"), "n", loom_dfg::Type::Index),
        pin(None, "nobody", loom_dfg::Type::F32),
        pin(Some("out11"), "done", loom_dfg::Type::None),
    ];
    let header = config::config_h(&f, "add.one", &image, &bases, &pins);
    expect_file!["shown/config.h"].assert_eq(&without_hash(header));
    let layout = config::layout_json(&f);
    expect_file!["shown/layout.json"].assert_eq(&without_hash(format!("{layout:#}\n")));
    // A fabric without configuration.
    let none = config::config_h(&f, "none", &Image { words: Vec::new() }, &[], &[]);
    expect_file!["shown/empty.h"].assert_eq(&without_hash(none));
}
