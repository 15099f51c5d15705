//! Text forms: writing and reading give back the same architecture and the same text.

use loom_adg::{hash::fabric_hash, mlir, toml, topology, Adg};
use loom_base::Source;

fn adg(name: &str, text: String) -> Adg {
    let source = Source::new(name, text);
    toml::read(&source)
        .unwrap_or_else(|d| panic!("{}", d.iter().map(|d| d.render(&source)).collect::<String>()))
}

fn round_trip(adg: &Adg) {
    let text = mlir::write(adg);
    let source = Source::new("x.fabric.mlir", text);
    let again = mlir::read(&source)
        .unwrap_or_else(|d| panic!("{}", d.iter().map(|d| d.render(&source)).collect::<Vec<_>>().join("\n")));
    assert!(*adg == again, "{}", adg.name);
    assert_eq!(mlir::write(&again), source.text);
    assert_eq!(fabric_hash(adg), fabric_hash(&again));
}

#[test]
fn meshes() {
    for (columns, rows) in [(1, 1), (1, 3), (2, 2), (4, 3)] {
        round_trip(&adg("mesh.toml", topology::mesh_toml(columns, rows)));
    }
}

#[test]
fn every_config() {
    let folder = format!("{}/../configs", env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(folder).expect("configs") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            continue;
        }
        round_trip(&adg(&path.display().to_string(), std::fs::read_to_string(&path).expect("text")));
    }
}

/// What no default fabric has: units of several ops with a latency, control ports, explicit tiles, lanes.
const ODD: &str = r#"
name = "odd"
index_width = 48

[fu.mac]
inputs = ["i32", "i32", "i32"]
body = ["%m = arith.muli %0, %1 : i32", "%s = arith.addi %m, %2 : i32", "%c = arith.cmpi %s, %0 : (i32, i32) -> i1"]
outputs = ["%c", "%s"]
latency = 3
interval = 2

[fu.widen]
inputs = ["i8", "index"]
body = ["%w = arith.extsi %0 : i8 to i32", "%i = arith.index_cast %w : i32 to index", "%s = arith.shli %i, %1 : index"]

[fu.turn]
inputs = ["i32", "i32"]
body = ["%d = arith.subi %1, %0 : i32"]

[fu.select]
inputs = ["i32", "i32", "index", "i32"]
body = [
  "%m = arith.muli %0, %1 : i32", "%x = fabric.mux %m, %0, %3 : i32", "%s = arith.addi %x, %3 : (i32, i32) -> (i32)",
  "%r = fabric.mux %s, %m : (i32, i32) -> i32", "%i = arith.index_cast %r : i32 to index", "%w = fabric.mux %2, %i : index",
  "%o = arith.addi %w, %2 : index",
]
latency = 2

[pe.mixed]
inputs = ["bits<48>", "bits<48>", "none", "bits<48>", "bits<32>", "none"]
outputs = ["bits<48>", "bits<32>", "none"]
output_buffers = true
fus = [
  "mac", "widen", "turn", "select", "handshake.join 4 0", "handshake.mux 0", "handshake.mux f32 3", "handshake.constant index",
  "dataflow.gate 0", "dataflow.stream >>=",
]

[fifo.control]
type = "none"
depth = 1

[tile.one]
input = [{ name = "go", type = "none" }]
output = [{ name = "done", type = "none" }]
[[tile.one.instance]]
name = "entry"
of = "control"
[[tile.one.instance]]
name = "pe"
of = "mixed"
[[tile.one.connect]]
from = "go"
to = "entry.in0"
[[tile.one.connect]]
from = "entry.out0"
to = "pe.in2"
[[tile.one.connect]]
from = "pe.out2"
to = "done"

[[input]]
type = "none"
[[output]]
type = "none"
[[instance]]
name = "first"
of = "one"
position = [-1, 0]
[[instance]]
name = "second"
of = "one"
[[connect]]
from = "second.done"
to = "out0"
[[connect]]
from = "first.done"
to = "second.go"
[[connect]]
from = "in0"
to = "first.go"
"#;

#[test]
fn an_odd_fabric() {
    let adg = adg("odd.toml", ODD.to_string());
    round_trip(&adg);
    expect_test::expect_file!["odd.fabric.mlir"].assert_eq(&mlir::write(&adg));
}

#[test]
fn hand_written_text_reads_as_its_canonical_form() {
    let canonical = mlir::write(&adg("odd.toml", ODD.to_string()));
    let loose = canonical
        .replace("%0", "%a")
        .replace("!fabric.", "")
        .replace("fabric.fu", "\n  // a unit\n  fabric.fu")
        .replace(" -> ", "->");
    let again = mlir::read(&Source::new("loose", loose)).expect("reads");
    assert_eq!(mlir::write(&again), canonical);
}
