//! A graph is mapped once, whoever asks for it, and how often.

use loom_base::Source;
use loom_flow::{load, Configured, Kernel, MappedOnce};
use loom_map::MapOptions;
use loom_testkit::fabrics::fabric;
use std::sync::atomic::{AtomicUsize, Ordering};

const ADD: &str = "handshake.func @add(%a: i32, %b: i32) -> (i32) {
  %c = arith.addi %a, %b : i32
  return %c : i32
}";

/// As above, of another name.
fn kernel(name: &str) -> Kernel {
    let text = ADD.replace("@add", &format!("@{name}"));
    Kernel::read(&Source::new("add.dfg.mlir", text), &load::lowering(&fabric("configs/mesh-2x2.toml")))
        .expect("a graph")
}

#[test]
fn threads_that_ask_for_one_graph_get_one_mapping() {
    let (once, searches) = (MappedOnce::default(), AtomicUsize::new(0));
    let map = |name: &str, fabric: &loom_adg::Fabric, options: &MapOptions| {
        let mut is_searched = false;
        let made =
            once.map(kernel(name), fabric, options, &mut |_, _| is_searched = true).expect("a mapping");
        searches.fetch_add(is_searched.into(), Ordering::Relaxed);
        made
    };
    let (mesh, options) = (fabric("configs/mesh-2x2.toml"), MapOptions::default());
    let alone = Configured::map(kernel("add"), &mesh, &options, &mut |_, _| {}).expect("a mapping");
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..4).map(|_| scope.spawn(|| map("add", &mesh, &options))).collect();
        for made in asked {
            assert_eq!(made.join().expect("a thread").image, alone.image);
        }
    });
    assert_eq!(searches.load(Ordering::Relaxed), 1);
    // Another graph, another fabric and another patience are each a search of their own.
    map("sum", &mesh, &options);
    map("add", &fabric("configs/mesh-4x4.toml"), &options);
    let early = MapOptions { gives_up_early: true, ..options };
    assert_eq!(map("add", &mesh, &early).image, alone.image);
    assert_eq!(searches.load(Ordering::Relaxed), 4);
}

#[test]
fn what_is_refused_is_refused_again() {
    let (once, mesh) = (MappedOnce::default(), fabric("configs/mesh-2x2.toml"));
    let text = ADD.replace("i32", "f32").replace("addi", "divf");
    let divide = Kernel::read(&Source::new("add.dfg.mlir", text), &load::lowering(&mesh)).expect("a graph");
    for _ in 0..2 {
        let why = once.map(divide.clone(), &mesh, &MapOptions::default(), &mut |_, _| {});
        let why = &why.expect_err("integers only")[0];
        assert_eq!(why.code, loom_map::codes::NO_UNIT, "{why:?}");
    }
}
