//! Memory interfaces between tiles: who is joined to which lane, and what is refused.

use loom_adg::model::{Component, MemoryPort};
use loom_adg::{codes, mlir, toml, Fabric, SinkPort, SourcePort};
use loom_base::Source;

/// A mesh with memory interfaces; letter `a` has two loads and a store, `b` a load, `c` none.
fn text(layout: &str, memories: &str) -> String {
    let tile =
        |name: &str, lanes: &str| format!("[tile.{name}]\nchannels = 2\n{lanes}\nranks = [[\"s0: keep\"]]\n");
    format!(
        "name = \"lanes\"
[pe.keep]
inputs = {{ count = 2, width = 32 }}
outputs = {{ count = 1, width = 32 }}
output_buffers = true
fus = [\"dataflow.invariant 32\"]
[memory.pad]
bytes = 256
loads = 3
stores = 1
queue = 4
width = 32
regions = 2
[memory.tagged]
bytes = 256
loads = 3
stores = 1
queue = 4
width = 32
tag = 2
{}{}{}
[mesh]
layout = [{layout}]
memories = [{memories}]
[mesh.legend]
a = \"two\"
b = \"one\"
c = \"none\"
",
        tile("two", "lanes = { loads = 2, stores = 1 }"),
        tile("one", "lanes = { loads = 1, stores = 0 }"),
        tile("none", ""),
    )
}

#[test]
fn lanes_go_on_from_tile_to_tile() {
    let source =
        Source::new("lanes.toml", text(r#""ca", "cb""#, r#"{ memory = "pad", tiles = [[1, 0], [1, 1]] }"#));
    let adg = toml::read(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
    let written = mlir::write(&adg);
    let again = mlir::read(&Source::new("lanes.fabric.mlir", written.clone())).expect("it can be read");
    assert!(adg == again && mlir::write(&again) == written);
    let fabric = Fabric::new(adg);
    let is_memory = |id: &_| matches!(fabric.component(*id), Component::Memory(_));
    let memory = fabric.flat().ids().find(is_memory).expect("there is one");
    assert_eq!(fabric.path(memory), "m_1_0");
    let Component::Memory(interface) = fabric.component(memory) else { unreachable!("it was looked for") };
    let owner = |family, lane, input: bool| {
        let (port, at) = (interface.port(family, lane).expect("a lane"), fabric.flat().at(memory));
        let id = if input {
            match fabric.flat().channel(at.inputs[port].expect("joined")).source {
                SourcePort::Port(id, _) => id,
                SourcePort::Boundary(_) => panic!("a lane at the boundary"),
            }
        } else {
            match fabric.flat().channel(at.outputs[port].expect("joined")).sink {
                SinkPort::Port(id, _) => id,
                SinkPort::Boundary(_) => panic!("a lane at the boundary"),
            }
        };
        fabric.path(id)
    };
    use MemoryPort::*;
    for (lane, tile) in [(0, "t_1_0"), (1, "t_1_0"), (2, "t_1_1")] {
        for (family, input) in [(LoadAddress, true), (LoadData, false), (LoadDone, false)] {
            let path = owner(family, lane, input);
            assert!(path.starts_with(tile), "{family:?} {lane}: {path}");
        }
    }
    for (family, input) in [(StoreAddress, true), (StoreData, true), (StoreDone, false)] {
        assert!(owner(family, 0, input).starts_with("t_1_0"), "{family:?}");
    }
}

#[test]
fn what_cannot_be_joined_is_refused() {
    let pad = |tiles: &str| format!("{{ memory = \"pad\", tiles = [{tiles}] }}");
    let good = r#""ca", "cb""#;
    for (layout, memories, code, message) in [
        (good, pad("[1, 0], [2, 1]"), codes::MESH, "(2, 1), the mesh is 2 by 2"),
        (r#""ac", "cb""#, pad("[0, 0], [1, 1]"), codes::MESH, "is beside none of those"),
        (good, pad("[1, 0]"), codes::MESH, "3 load and 1 store lanes, its tiles have ports for 2 and 1"),
        (good, pad("[1, 0], [0, 0]"), codes::MESH, "has no ports for lanes of a memory interface"),
        (good, pad(""), codes::MESH, "no tiles for the lanes"),
        (good, String::new(), codes::MESH, "no memory interface names it"),
        (good, format!("{}, {}", pad("[1, 0], [1, 1]"), pad("[1, 1]")), codes::MESH, "joined twice"),
        (good, pad("[1, 0], [1, 0]"), codes::MESH, "(1, 0) are joined twice"),
        (good, pad("[1, 0], [1, -1]"), codes::TOML_SHAPE, "invalid value"),
        (good, pad("[1, 0], [1]"), codes::TOML_SHAPE, "invalid length"),
        (good, "{ memory = \"pad\" }".into(), codes::TOML_SHAPE, "missing field `tiles`"),
        (good, pad("[1, 0], [1, 1]").replace("pad", "tagged"), codes::MESH, "has a `tag`"),
        (good, pad("[1, 0], [1, 1]").replace("pad", "keep"), codes::MESH, "is no memory interface"),
        (good, pad("[1, 0], [1, 1]").replace("pad", "nothing"), codes::UNKNOWN_NAME, "nothing"),
    ] {
        let source = Source::new("lanes.toml", text(layout, &memories));
        let found = toml::read(&source).expect_err(message);
        let said = found.iter().find(|d| d.code == code && d.message.contains(message));
        let said = said.unwrap_or_else(|| panic!("{message}: {found:?}"));
        assert!(said.help.is_some() && said.render(&source).contains("--> lanes.toml:"), "{said:?}");
    }
    for (lanes, message) in [
        ("loads = 0, stores = 0", "0 loads"),
        ("loads = 65, stores = 0", "65 loads"),
        ("loads = 30, stores = 3", "the limit is 32"),
    ] {
        let text = text(good, &pad("[1, 0], [1, 1]")).replace("loads = 1, stores = 0", lanes);
        let found = toml::read(&Source::new("lanes.toml", text)).expect_err(message);
        assert!(
            found.iter().any(|d| d.code == codes::TILE_SHAPE && d.message.contains(message)),
            "{found:?}"
        );
    }
}

/// A tile of components has what ports it likes: they are those of lanes, or refused.
#[test]
fn ports_of_no_lanes_are_refused() {
    let text = "name = \"odd\"
[tile.odd]
input = [{ name = \"m_in0\", type = \"bits<32>\" }]
output = [{ name = \"m_out0\", type = \"bits<32>\" }]
instance = [{ name = \"a\", of = \"buf\" }]
connect = [{ from = \"m_in0\", to = \"a.in0\" }, { from = \"a.out0\", to = \"m_out0\" }]
[fifo.buf]
type = \"bits<32>\"
depth = 2
[mesh]
columns = 1
rows = 1
tile = \"odd\"
";
    let found = toml::read(&Source::new("odd.toml", text)).expect_err("a request and an answer are no lane");
    assert!(found[0].code == codes::MESH && found[0].message.contains("1 ports `m_out0`"), "{found:?}");
    assert!(found[0].help.is_some());
}

/// The example of docs/fabric.md is a fabric, and its lanes are those of two tiles.
#[test]
fn the_example_in_the_documentation_is_a_fabric() {
    let page =
        std::fs::read_to_string(format!("{}/../docs/fabric.md", env!("CARGO_MANIFEST_DIR"))).expect("page");
    let lines = page.lines().skip_while(|l| *l != "    name = \"halves\"");
    let text: Vec<&str> =
        lines.take_while(|l| l.is_empty() || l.starts_with("    ")).map(|l| l.trim_start()).collect();
    let source = Source::new("halves.toml", text.join("\n"));
    let adg = toml::read(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)));
    let memory = &adg.top.instances[0];
    assert_eq!((memory.name.as_str(), memory.position, adg.top.instances.len()), ("m_0_0", Some((0, 0)), 3));
    let fabric = Fabric::new(adg);
    let id = fabric.flat().ids().find(|&id| fabric.path(id) == "m_0_0").expect("it is there");
    assert!(fabric.flat().at(id).inputs.iter().all(Option::is_some));
}
