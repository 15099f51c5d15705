//! Text forms: writing and reading give back the same architecture and the same text.

use loom_adg::{hash::fabric_hash, mlir, toml, topology, Adg};
use loom_base::Source;

fn adg(name: &str, text: String) -> Adg {
    let source = Source::new(name, text);
    toml::read(&source).unwrap_or_else(|d| panic!("{}", d.iter().map(|d| d.render(&source)).collect::<String>()))
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
        round_trip(&adg(&path.display().to_string(), std::fs::read_to_string(&path).expect("text")));
    }
}
