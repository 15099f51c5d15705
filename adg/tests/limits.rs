//! Every limit from both sides: what stands at it is legal, what stands beyond is refused, in the words of the snapshot.
//! The architectures are edited behind the readers, which refuse some of this earlier.

use expect_test::expect_file;
use loom_adg::model::{
    Adg, Backing, BodyKind, BodyOp, BodyValue, ChannelType, Component, Connection, End, FunctionUnit,
    Instance, MemoryInterface, Of, Port, Tile,
};
use loom_adg::{codes, legality};
use loom_base::{Severity, Source};
use loom_dfg::{OpKind, Type};
use std::fmt::Write;

fn base() -> Adg {
    let source = Source::new("base.toml", include_str!("limits/base.toml"));
    loom_adg::toml::read(&source)
        .unwrap_or_else(|d| panic!("{}", d.iter().map(|d| d.render(&source)).collect::<String>()))
}

/// Errors as the user sees them, without places.
fn errors(change: &dyn Fn(&mut Adg)) -> String {
    let mut adg = base();
    change(&mut adg);
    let mut text = String::new();
    for d in legality::check(&adg, &Default::default()) {
        if d.severity == Severity::Error && d.code != codes::UNUSED {
            let _ = writeln!(text, "{} {}", d.code.id, d.message);
            d.help.iter().for_each(|help| {
                let _ = writeln!(text, "      {help}");
            });
        }
    }
    text
}

fn definition<'a>(adg: &'a mut Adg, name: &str) -> &'a mut Component {
    &mut adg.definitions.iter_mut().find(|d| d.name == name).expect("a definition").component
}

macro_rules! edit {
    ($kind:ident, $name:literal, |$c:ident| $change:expr) => {
        &|adg: &mut Adg| {
            let Component::$kind($c) = definition(adg, $name) else { panic!("another kind") };
            $change;
        }
    };
}

type Change<'a> = &'a dyn Fn(&mut Adg);

#[test]
fn limits_are_where_the_documentation_says() {
    let wide = |width| ChannelType::bits(width);
    let tagged = |tag| ChannelType { width: 8, tag };
    let full = |n: usize| vec![vec![true; n]; n];
    let within: &[(&str, Change)] = &[
        ("nothing changed", &|_| {}),
        ("a FIFO of one entry", edit!(Fifo, "fifo", |f| f.depth = 1)),
        ("a FIFO of 65536 entries", edit!(Fifo, "fifo", |f| f.depth = 65536)),
        ("a FIFO of 4096 bits", edit!(Fifo, "fifo", |f| f.ty.width = 4096)),
        ("a FIFO with tags of 16 bits", edit!(Fifo, "fifo", |f| f.ty.tag = 16)),
        ("a tag of 1 bit added", edit!(AddTag, "add", |t| t.tag = 1)),
        ("a tag of 16 bits added", edit!(AddTag, "add", |t| t.tag = 16)),
        ("a table of 1 entry", edit!(MapTag, "map", |t| t.table_size = 1)),
        ("a table of 256 entries", edit!(MapTag, "map", |t| t.table_size = 256)),
        (
            "a switch of 32 inputs and outputs",
            edit!(SpatialSw, "one", |s| {
                (s.inputs, s.outputs) = (vec![wide(32); 32], vec![wide(32); 32]);
                s.connectivity = full(32);
            }),
        ),
        ("lanes of 1 bit", edit!(SpatialSw, "lanes", |s| s.decomposable_bits = Some(1))),
        ("one slot", edit!(TemporalSw, "sort", |s| s.num_route_table = 1)),
        ("256 slots", edit!(TemporalSw, "sort", |s| s.num_route_table = 256)),
        ("64 lanes", edit!(Memory, "port", |m| (m.loads, m.stores, m.tag) = (64, 64, 6))),
        ("one kind of lanes", edit!(Memory, "port", |m| (m.loads, m.stores) = (0, 2))),
        ("tags wider than lanes need", edit!(Memory, "port", |m| m.tag = 16)),
        ("queues of 2", edit!(Memory, "port", |m| m.queue = 2)),
        ("queues of 64", edit!(Memory, "port", |m| m.queue = 64)),
        ("one region", edit!(Memory, "port", |m| m.regions = 1)),
        ("64 regions", edit!(Memory, "port", |m| m.regions = 64)),
        ("words of 64 bits, one of them", edit!(Memory, "pad", |m| (m.width, m.store) = (64, pad(8)))),
        ("words of 8 bits, one of them", edit!(Memory, "pad", |m| (m.width, m.store) = (8, pad(1)))),
        ("a scratchpad of 1 MiB", edit!(Memory, "pad", |m| m.store = pad(1 << 20))),
        ("a PE of 128 ports", edit!(SpatialPe, "pe", |p| p.inputs = vec![wide(32); 128])),
        (
            "a latency of 128, an interval of 256",
            edit!(SpatialPe, "pe", |p| {
                (p.fus[0].latency, p.fus[0].interval) = (128, 256);
            }),
        ),
        (
            "a divider that takes 33 cycles",
            edit!(SpatialPe, "pe", |p| {
                (p.fus[1].latency, p.fus[1].interval) = (33, 33);
            }),
        ),
        (
            "a divider that takes 128 cycles more, every 256 more",
            edit!(SpatialPe, "pe", |p| {
                (p.fus[1].latency, p.fus[1].interval) = (33 + 128, 33 + 256);
            }),
        ),
        ("a mux of two values", edit!(SpatialPe, "pe", |p| with_mux(&mut p.fus[3], 2))),
        ("256 settings", edit!(SpatialPe, "pe", |p| (0..8).for_each(|_| with_mux(&mut p.fus[3], 2)))),
        ("a port of 4096 bits", &|adg| adg.top.inputs[0].ty.width = 4096),
        ("an index of 64 bits", &|adg| index(adg, 64)),
        ("a name of 64 characters", &|adg| adg.definitions[0].name = "a".repeat(64)),
        ("65535 units", &|adg| units(adg, 0)),
    ];
    for (what, change) in within {
        assert_eq!(errors(change), "", "{what}");
    }
    let beyond: &[(&str, Change)] = &[
        ("a FIFO without entries", edit!(Fifo, "fifo", |f| f.depth = 0)),
        ("a FIFO of 65537 entries", edit!(Fifo, "fifo", |f| f.depth = 65537)),
        ("a FIFO of 4097 bits", edit!(Fifo, "fifo", |f| f.ty.width = 4097)),
        ("a FIFO with tags of 17 bits", edit!(Fifo, "fifo", |f| f.ty.tag = 17)),
        ("a tag of no bits added", edit!(AddTag, "add", |t| t.tag = 0)),
        ("4097 bits and a tag", edit!(AddTag, "add", |t| t.width = 4097)),
        ("a tag of 17 bits removed", edit!(DelTag, "del", |t| t.tag = 17)),
        ("4097 bits and no tag", edit!(DelTag, "del", |t| t.width = 4097)),
        ("a table without entries", edit!(MapTag, "map", |t| t.table_size = 0)),
        ("a table of 257 entries", edit!(MapTag, "map", |t| t.table_size = 257)),
        ("a table from no tag", edit!(MapTag, "map", |t| t.tag_in = 0)),
        ("a table to 17 bits", edit!(MapTag, "map", |t| t.tag_out = 17)),
        ("a table beside 4097 bits", edit!(MapTag, "map", |t| t.width = 4097)),
        (
            "a switch of 33 inputs and outputs",
            edit!(SpatialSw, "one", |s| {
                (s.inputs, s.outputs) = (vec![wide(32); 33], vec![wide(32); 33]);
                s.connectivity = full(33);
            }),
        ),
        (
            "a switch without ports",
            edit!(SpatialSw, "one", |s| {
                s.inputs.clear();
                s.outputs.clear();
            }),
        ),
        ("a switch with wide inputs", edit!(SpatialSw, "one", |s| s.inputs[0].width = 4097)),
        ("a switch with wide outputs", edit!(SpatialSw, "one", |s| s.outputs[0].width = 4097)),
        ("a switch with one tagged output", edit!(SpatialSw, "one", |s| s.outputs[0].tag = 1)),
        ("a row too many", edit!(SpatialSw, "one", |s| s.connectivity.push(vec![true]))),
        ("a digit too many", edit!(SpatialSw, "one", |s| s.connectivity[0].push(true))),
        ("no wire at all", edit!(SpatialSw, "one", |s| s.connectivity[0][0] = false)),
        ("lanes of no bits", edit!(SpatialSw, "lanes", |s| s.decomposable_bits = Some(0))),
        ("lanes that do not divide", edit!(SpatialSw, "lanes", |s| s.decomposable_bits = Some(16))),
        ("lanes of a control token", edit!(SpatialSw, "lanes", |s| s.outputs[1].width = 0)),
        ("lanes and one tag", edit!(SpatialSw, "lanes", |s| s.outputs[1].tag = 2)),
        ("a temporal switch of 4097 bits", edit!(TemporalSw, "sort", |s| s.ty.width = 4097)),
        ("a temporal switch without tags", edit!(TemporalSw, "sort", |s| s.ty.tag = 0)),
        ("a temporal switch without slots", edit!(TemporalSw, "sort", |s| s.num_route_table = 0)),
        ("257 slots", edit!(TemporalSw, "sort", |s| s.num_route_table = 257)),
        ("33 ways in", edit!(TemporalSw, "sort", |s| s.inputs = 33)),
        ("no lanes", edit!(Memory, "port", |m| (m.loads, m.stores) = (0, 0))),
        ("65 lanes", edit!(Memory, "port", |m| (m.loads, m.tag) = (65, 7))),
        ("a tag too narrow", edit!(Memory, "port", |m| m.loads = 3)),
        ("a tag of 17 bits", edit!(Memory, "port", |m| m.tag = 17)),
        ("queues of 1", edit!(Memory, "port", |m| m.queue = 1)),
        ("queues of 65", edit!(Memory, "port", |m| m.queue = 65)),
        ("no region", edit!(Memory, "port", |m| m.regions = 0)),
        ("65 regions", edit!(Memory, "port", |m| m.regions = 65)),
        ("words of 24 bits", edit!(Memory, "port", |m| m.width = 24)),
        ("words of 4 bits in 3 bytes", edit!(Memory, "pad", |m| (m.width, m.store) = (4, pad(3)))),
        ("addresses of 33 bits", edit!(Memory, "port", |m| m.address = 33)),
        ("less than a word", edit!(Memory, "pad", |m| (m.width, m.store) = (64, pad(4)))),
        ("2 MiB", edit!(Memory, "pad", |m| m.store = pad(1 << 21))),
        ("48 bytes", edit!(Memory, "pad", |m| m.store = pad(48))),
        (
            "a PE without ports",
            edit!(SpatialPe, "pe", |p| {
                p.inputs.clear();
                p.outputs.clear();
            }),
        ),
        ("a PE of 129 ports", edit!(SpatialPe, "pe", |p| p.inputs = vec![wide(32); 129])),
        ("a PE with a wide port", edit!(SpatialPe, "pe", |p| p.inputs[0].width = 4097)),
        ("a PE with a tagged port", edit!(SpatialPe, "pe", |p| p.outputs[0].tag = 3)),
        ("a PE without units", edit!(SpatialPe, "pe", |p| p.fus.clear())),
        ("two units of one name", edit!(SpatialPe, "pe", |p| p.fus[1].name = p.fus[0].name.clone())),
        ("a unit without a name", edit!(SpatialPe, "pe", |p| p.fus[1].name.clear())),
        ("a latency of 129", edit!(SpatialPe, "pe", |p| p.fus[0].latency = 129)),
        ("an interval of 257", edit!(SpatialPe, "pe", |p| p.fus[0].interval = 257)),
        ("a negative latency", edit!(SpatialPe, "pe", |p| p.fus[0].latency = -1)),
        ("no interval", edit!(SpatialPe, "pe", |p| p.fus[0].interval = 0)),
        ("a divider too fast", edit!(SpatialPe, "pe", |p| (p.fus[1].latency, p.fus[1].interval) = (32, 33))),
        (
            "a divider asked too soon",
            edit!(SpatialPe, "pe", |p| {
                (p.fus[1].latency, p.fus[1].interval) = (34, 33);
            }),
        ),
        (
            "a divider that takes 129 cycles more",
            edit!(SpatialPe, "pe", |p| {
                (p.fus[1].latency, p.fus[1].interval) = (33 + 129, 33 + 256);
            }),
        ),
        (
            "a divider every 257 cycles more",
            edit!(SpatialPe, "pe", |p| {
                (p.fus[1].latency, p.fus[1].interval) = (33, 33 + 257);
            }),
        ),
        ("a constant that takes a cycle", edit!(SpatialPe, "pe", |p| p.fus[2].latency = 1)),
        ("a constant every second cycle", edit!(SpatialPe, "pe", |p| p.fus[2].interval = 2)),
        ("a state machine with a latency", edit!(SpatialPe, "state", |p| p.fus[0].latency = 0)),
        ("a state machine with an interval", edit!(SpatialPe, "state", |p| p.fus[0].interval = 1)),
        ("a unit without ops", edit!(SpatialPe, "pe", |p| p.fus[0].body.clear())),
        (
            "an operand too many",
            edit!(SpatialPe, "pe", |p| {
                p.fus[0].body[0].operands.push(BodyValue::Input(0));
            }),
        ),
        ("a result too many", edit!(SpatialPe, "pe", |p| p.fus[0].body[0].results.push(Type::I32))),
        (
            "an input that is not there",
            edit!(SpatialPe, "pe", |p| {
                p.fus[0].body[0].operands[0] = BodyValue::Input(2);
            }),
        ),
        (
            "an op that uses itself",
            edit!(SpatialPe, "pe", |p| {
                p.fus[3].body[1].operands[0] = BodyValue::Result { op: 1, result: 0 };
            }),
        ),
        (
            "a result that is not there",
            edit!(SpatialPe, "pe", |p| {
                p.fus[3].body[1].operands[0] = BodyValue::Result { op: 0, result: 1 };
            }),
        ),
        (
            "an output of an op that is not there",
            edit!(SpatialPe, "pe", |p| {
                p.fus[3].results[0] = BodyValue::Result { op: 2, result: 0 };
            }),
        ),
        (
            "an op that nobody uses",
            edit!(SpatialPe, "pe", |p| {
                p.fus[3].body[1].operands[0] = BodyValue::Input(0);
            }),
        ),
        (
            "a first input that nobody uses",
            edit!(SpatialPe, "pe", |p| {
                p.fus[3].body[0].operands[0] = BodyValue::Input(1);
            }),
        ),
        ("no outputs", edit!(SpatialPe, "pe", |p| p.fus[0].results.clear())),
        ("an input passed on", edit!(SpatialPe, "pe", |p| p.fus[0].results.push(BodyValue::Input(1)))),
        ("other types", edit!(SpatialPe, "pe", |p| p.fus[0].inputs[1] = Type::F32)),
        (
            "a constant among others",
            edit!(SpatialPe, "pe", |p| {
                let op = p.fus[2].body[0].clone();
                p.fus[3].body.push(op);
            }),
        ),
        (
            "a division among others",
            edit!(SpatialPe, "pe", |p| {
                p.fus[3].body[1].kind = OpKind::Divsi.into();
            }),
        ),
        (
            "a state machine among others",
            edit!(SpatialPe, "pe", |p| {
                p.fus[3].body[1].kind = OpKind::Invariant.into();
            }),
        ),
        (
            "a division of exchanged operands",
            edit!(SpatialPe, "pe", |p| p.fus[1].body[0].operands.swap(0, 1)),
        ),
        ("a mux of one value", edit!(SpatialPe, "pe", |p| with_mux(&mut p.fus[3], 1))),
        ("a mux of 65 values", edit!(SpatialPe, "pe", |p| with_mux(&mut p.fus[3], 65))),
        (
            "a mux of one value twice",
            edit!(SpatialPe, "pe", |p| {
                with_mux(&mut p.fus[3], 2);
                p.fus[3].body[1].operands[1] = p.fus[3].body[1].operands[0];
            }),
        ),
        (
            "324 settings",
            edit!(SpatialPe, "pe", |p| {
                (0..4).for_each(|_| with_mux(&mut p.fus[3], 3));
                (0..2).for_each(|_| with_mux(&mut p.fus[3], 2));
            }),
        ),
        ("too few ports", edit!(SpatialPe, "pe", |p| p.inputs.truncate(1))),
        ("ports too narrow", edit!(SpatialPe, "pe", |p| p.inputs[1] = wide(31))),
        ("a control port for data", edit!(SpatialPe, "pe", |p| p.inputs[1] = wide(0))),
        ("an index of 65 bits", &|adg| index(adg, 65)),
        ("an index of 31 bits", &|adg| index(adg, 31)),
        ("a fabric without a name", &|adg| adg.name.clear()),
        ("a fabric with half a name", &|adg| adg.name = "a--b".into()),
        ("a name of 65 characters", &|adg| adg.definitions[0].name = "a".repeat(65)),
        ("a name that begins with a digit", &|adg| adg.definitions[0].name = "1a".into()),
        ("a name that ends low", &|adg| adg.definitions[0].name = "a_".into()),
        ("a name with a dot", &|adg| adg.definitions[0].name = "a.b".into()),
        ("two definitions of one name", &|adg| adg.definitions[1].name = adg.definitions[0].name.clone()),
        ("a tile called like a component", &|adg| adg.tiles[0].name = "fifo".into()),
        ("a tile with a bad name", &|adg| adg.tiles[0].name = "a b".into()),
        ("a tile called like a wrapper", &|adg| adg.tiles[0].name = "of_fifo".into()),
        ("a tile port called like a wire of the loader", &|adg| {
            adg.tiles[0].body.outputs[0].name = "cfg_x".into()
        }),
        ("a tile port with a bad name", &|adg| adg.tiles[0].body.inputs[0].name = "x__y".into()),
        ("an input and an output of one name", &|adg| adg.tiles[0].body.outputs[0].name = "x".into()),
        ("a fabric port with a name", &|adg| adg.top.inputs[0].name = "first".into()),
        ("a port of 4097 bits", &|adg| adg.tiles[0].body.inputs[0].ty.width = 4097),
        ("a port with a tag of 17 bits", &|adg| adg.top.inputs.push(port("in1", tagged(17)))),
        ("a port with a tag of 16 bits into nothing", &|adg| {
            adg.top.inputs.push(port("in1", tagged(16)));
            adg.top.inputs.push(port("in2", tagged(17)));
        }),
        ("an instance with a bad name", &|adg| adg.top.instances[0].name = "t!".into()),
        ("two instances of one name", &|adg| adg.top.instances[1].name = "t".into()),
        ("an instance of the definition behind the last", &|adg| {
            adg.top.instances[1].of = Of::Component(adg.definitions.len());
        }),
        ("an instance of the tile behind the last", &|adg| {
            adg.top.instances[1].of = Of::Tile(adg.tiles.len())
        }),
        ("a tile in a tile", &|adg| adg.tiles[0].body.instances[0].of = Of::Tile(0)),
        ("no instances", &|adg| {
            adg.top.instances.clear();
            adg.top.connections.clear();
        }),
        ("65536 units", &|adg| units(adg, 1)),
        ("65535 units and something unknown", &|adg| {
            units(adg, 0);
            adg.top.instances.push(instance("unknown", Of::Tile(9)));
        }),
        ("an output to two inputs, an input from two outputs", &|adg| {
            let at = |instance, port| End::Instance { instance, port };
            adg.top.connections.push(Connection { from: at(0, 0), to: at(0, 0) });
        }),
        ("a wire from edge to edge", &|adg| {
            adg.top.inputs.push(port("in1", wide(32)));
            adg.top.outputs.push(port("out1", wide(32)));
            adg.top.connections.push(Connection { from: End::Body(1), to: End::Body(1) });
        }),
        ("a link from a tile that nothing cuts, to a switch", &|adg| {
            adg.top.instances[1].of = Of::Component(place(adg, "one"));
        }),
        ("a link from a tile to a PE with output buffers", &|adg| {
            adg.top.instances[1].of = Of::Component(place(adg, "state"));
        }),
        ("a link from a PE without output buffers to a tile that does not cut", &|adg| {
            adg.tiles[0].body.instances[0].of = Of::Component(place(adg, "one"));
            adg.top.instances[0].of = Of::Component(place(adg, "pe"));
        }),
        ("a cycle in a tile and one at the top", &|adg| {
            let wire = Of::Component(place(adg, "wire"));
            cycle(&mut adg.tiles[0].body, wire);
            cycle(&mut adg.top, wire);
        }),
        ("a cycle through the inside of a tile", &|adg| {
            // The cut becomes a wire, and the tiles feed each other.
            adg.tiles[0].body.instances[0].of = Of::Component(place(adg, "wire"));
            let at = |instance| End::Instance { instance, port: 0 };
            adg.top.connections =
                vec![Connection { from: at(0), to: at(1) }, Connection { from: at(1), to: at(0) }];
        }),
        ("a cycle of ready through the inside of a tile", &|adg| {
            // A pipeline cuts valid, not ready.
            let pe = place(adg, "pe");
            let Component::SpatialPe(p) = &mut adg.definitions[pe].component else { panic!("a PE") };
            p.fus.truncate(1);
            p.fus[0].latency = 2;
            adg.tiles[0].body.instances[0].of = Of::Component(pe);
            let at = |instance| End::Instance { instance, port: 0 };
            adg.top.connections =
                vec![Connection { from: at(0), to: at(1) }, Connection { from: at(1), to: at(0) }];
        }),
    ];
    let mut text = String::new();
    for (what, change) in beyond {
        let found = errors(change);
        assert!(!found.is_empty(), "{what} is legal");
        let _ = writeln!(text, "== {what}\n{found}");
    }
    expect_file!["limits/beyond.txt"].assert_eq(&text);
}

/// Puts a mux of so many values before the first operand of a unit's second op.
fn with_mux(fu: &mut FunctionUnit, count: usize) {
    let values = [fu.body[1].operands[0], BodyValue::Input(0), BodyValue::Input(1)];
    // What stood behind it has moved up by one.
    let moved = |v: &mut BodyValue| match v {
        BodyValue::Result { op, .. } if *op >= 1 => *op += 1,
        _ => {}
    };
    fu.body[1..].iter_mut().flat_map(|op| &mut op.operands).chain(&mut fu.results).for_each(moved);
    let operands = values.into_iter().cycle().take(count).collect();
    fu.body.insert(1, BodyOp { kind: BodyKind::Mux, operands, results: vec![Type::I32] });
    fu.body[2].operands[0] = BodyValue::Result { op: 1, result: 0 };
}

fn pad(bytes: u64) -> Backing {
    Backing::Scratchpad { bytes, host: false }
}

fn port(name: &str, ty: ChannelType) -> Port {
    Port { name: name.into(), ty }
}

fn instance(name: &str, of: Of) -> Instance {
    Instance { name: name.into(), of, position: None }
}

fn place(adg: &Adg, name: &str) -> usize {
    adg.definitions.iter().position(|d| d.name == name).expect("a definition")
}

/// Another width of `index`, and addresses of that width.
fn index(adg: &mut Adg, width: u32) {
    adg.index_width = width;
    for d in &mut adg.definitions {
        if let Component::Memory(MemoryInterface { address, .. }) = &mut d.component {
            *address = width;
        }
    }
}

/// 65535 configured components and `more`, most of them in tiles, among components that need no number.
fn units(adg: &mut Adg, more: usize) {
    let [add, del, plain] = ["add", "del", "plain"].map(|name| Of::Component(place(adg, name)));
    let mut tile = Tile { name: "many".into(), body: Default::default() };
    tile.body.instances = (0..255).map(|k| instance(&format!("a{k}"), add)).collect();
    tile.body.instances.push(instance("plain", plain));
    tile.body.instances.push(instance("del", del));
    adg.tiles.push(tile);
    let many = Of::Tile(adg.tiles.len() - 1);
    // The base has two switches, one in each of its tiles.
    let tiles = (0..256).map(|k| instance(&format!("many{k}"), many));
    let single = (0..255 - 2 + more).map(|k| instance(&format!("single{k}"), add));
    adg.top.instances.extend(tiles.chain(single));
}

/// Two instances that feed each other.
fn cycle(body: &mut loom_adg::model::Body, of: Of) {
    let first = body.instances.len();
    body.instances.extend([instance("ring0", of), instance("ring1", of)]);
    let at = |k| End::Instance { instance: first + k, port: 0 };
    body.connections.push(Connection { from: at(0), to: at(1) });
    body.connections.push(Connection { from: at(1), to: at(0) });
}
