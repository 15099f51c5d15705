//! Mappings of the kernels and of random graphs: deterministic, legal, at the bound where the graph allows it, and never
//! worse on more hardware.

use loom_adg::Fabric;
use loom_base::Rng;
use loom_dfg::Graph;
use loom_map::{check, MapOptions};
use loom_testkit::graphs::{random_graph, RandomGraphOptions};

const KERNELS: [(&str, &str); 9] = [
    ("stream", include_str!("../../kernels/stream/stream.dfg.mlir")),
    ("gate", include_str!("../../kernels/gate/gate.dfg.mlir")),
    ("carry", include_str!("../../kernels/carry/carry.dfg.mlir")),
    ("invariant", include_str!("../../kernels/invariant/invariant.dfg.mlir")),
    ("stream_gate_carry", include_str!("../../kernels/stream_gate_carry/stream_gate_carry.dfg.mlir")),
    ("sum", include_str!("../../kernels/sum/sum.dfg.mlir")),
    ("nested", include_str!("../../kernels/nested/nested.dfg.mlir")),
    ("diamond", include_str!("../../kernels/diamond/diamond.dfg.mlir")),
    ("collatz", include_str!("../../kernels/collatz/collatz.dfg.mlir")),
];

fn mesh(n: usize) -> Fabric {
    let text = loom_adg::topology::mesh_toml(n, n);
    let adg = loom_adg::toml::read(&loom_base::Source::new("mesh.toml", text)).expect("a legal fabric");
    Fabric::new(adg)
}

fn kernel(name: &str) -> Graph {
    let text = KERNELS.iter().find(|k| k.0 == name).expect("a kernel").1;
    loom_dfg::parse(&loom_base::Source::new(name, text)).expect("a good kernel")
}

/// Kernels that a 2 by 2 mesh is too small for.
const LARGE: [&str; 1] = ["nested"];

#[test]
fn the_same_inputs_give_the_same_mapping() {
    for n in [2, 4] {
        let fabric = mesh(n);
        for (name, _) in KERNELS {
            let graph = kernel(name);
            let map = || loom_map::map(&graph, &fabric, &MapOptions::default(), &mut |_, _| {});
            match (map(), map()) {
                (Ok(a), Ok(b)) => {
                    assert_eq!(a.mapping, b.mapping, "{name}");
                    assert!(check::check(&graph, &fabric, &a.mapping).is_empty(), "{name}");
                    assert!(n == 2 || a.timing.ii <= a.timing.mii + 1e-6, "{name}: {:?}", a.timing);
                }
                (Err(a), Err(b)) => {
                    assert!(n == 2 && LARGE.contains(&name), "{name}: {}", a[0].message);
                    assert_eq!(a, b, "{name}");
                }
                _ => panic!("{name}: mapped once, refused once"),
            }
        }
    }
}

#[test]
fn a_carried_sum_runs_at_one_cycle_an_iteration() {
    for n in [2, 4, 6] {
        let fabric = mesh(n);
        let mapped =
            loom_map::map(&kernel("sum"), &fabric, &MapOptions::default(), &mut |_, _| {}).expect("it fits");
        assert_eq!((mapped.timing.mii, mapped.timing.ii), (1.0, 1.0), "{n}x{n}");
    }
}

#[test]
fn more_hardware_never_gives_a_worse_interval() {
    for (name, _) in KERNELS {
        let graph = kernel(name);
        let mut before = f64::INFINITY;
        for n in [2, 4, 6] {
            let fabric = mesh(n);
            // What does not fit the small one has nothing to be worse than.
            let Ok(mapped) = loom_map::map(&graph, &fabric, &MapOptions::default(), &mut |_, _| {}) else {
                continue;
            };
            assert!(
                mapped.timing.ii <= before + 1e-6,
                "{name} on {n}x{n}: {} after {before}",
                mapped.timing.ii
            );
            before = mapped.timing.ii;
        }
        assert!(before.is_finite(), "{name} fits somewhere");
    }
}

#[test]
fn random_graphs_are_mapped_legally_or_refused() {
    let fabric = mesh(4);
    let options = MapOptions { attempts: 2, steps_per_item: 300, ..MapOptions::default() };
    let mut mapped = 0;
    for seed in 0..200 {
        let graph = random_graph(
            &mut Rng::new(seed),
            &RandomGraphOptions { max_ops: 25, ..RandomGraphOptions::default() },
        )
        .graph;
        match loom_map::map(&graph, &fabric, &options, &mut |_, _| {}) {
            Ok(m) => {
                assert!(check::check(&graph, &fabric, &m.mapping).is_empty(), "seed {seed}");
                mapped += 1;
            }
            // Before placement: no unit, PEs or ports; after it: no routes. Never a mapping the checker refused.
            Err(d) => assert!(
                d.iter().all(|d| d.code.id.starts_with("M01") && d.help.is_some()),
                "seed {seed}: {d:#?}"
            ),
        }
    }
    assert!(mapped > 170, "only {mapped} of 200 were mapped");
}

/// Intervals are fractions: one that is read in another last digit is not what its mapping gives.
#[test]
fn figures_are_read_as_they_were_written() {
    for (n, d) in (1..=64).flat_map(|d| (d..9 * d).map(move |n| (n, d))) {
        let figure = f64::from(n) / f64::from(d);
        let text = serde_json::to_string(&figure).expect("a number");
        assert_eq!(serde_json::from_str::<f64>(&text).expect("a number"), figure, "{n}/{d}");
    }
}
