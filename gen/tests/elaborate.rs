//! Every default fabric elaborates, and its hierarchy passes the IR checks.

use loom_adg::{Flat, Layout};
use loom_base::Source;

fn fabric(columns: usize, rows: usize) -> loom_gen::Fabric {
    let text = loom_adg::topology::mesh_toml(columns, rows);
    let adg = loom_adg::toml::read(&Source::new("mesh.toml", text)).expect("a legal fabric");
    let flat = Flat::new(&adg);
    let layout = Layout::new(&adg, &flat);
    loom_gen::elaborate(&adg, &flat, &layout).expect("well formed hardware")
}

#[test]
fn a_distinct_shape_is_printed_once() {
    let small = fabric(2, 2);
    let large = fabric(4, 4);
    // More tiles bring more instances, not more shapes: only the top, the loader and a wider tree node may be new.
    let names = |f: &loom_gen::Fabric| {
        f.files().into_iter().map(|(n, _)| n).collect::<std::collections::BTreeSet<_>>()
    };
    let new = names(&large).difference(&names(&small)).count();
    assert!(new <= 8, "{:?}", names(&large).difference(&names(&small)).collect::<Vec<_>>());
    assert_eq!(small.filelist()[0], format!("{}.v", small.top));
    assert_eq!(small.filelist().len(), small.files().len());
}
