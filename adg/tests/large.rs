//! Large meshes: building and checking stay near-linear. Prints its times; asserts only what any machine reaches.

use loom_adg::{legality, toml, topology, Fabric};
use loom_base::Source;
use std::time::Instant;

#[test]
fn a_mesh_of_64_by_64() {
    let text = topology::mesh_toml(64, 64);
    let start = Instant::now();
    let adg = toml::read(&Source::new("mesh-64x64.toml", text)).expect("legal");
    let read = start.elapsed();
    let again = legality::check(&adg, &Default::default());
    let check = start.elapsed() - read;
    assert_eq!(again, []);
    let fabric = Fabric::new(adg);
    let handle = start.elapsed() - read - check;
    println!("read {read:?}, of it legality {check:?}; handle {handle:?}");
    assert_eq!((fabric.flat().components.len(), fabric.hash().len()), (79904, 64));
    // Two orders of magnitude above what it takes, so that a quadratic step shows and a slow machine does not.
    assert!(read.as_secs() < 20);
}
