//! The engine that proves, against annealing and against what is known.

mod common;

use common::{kernel, kernels, Target};
use loom_map::{EngineKind, MapOptions};

fn exact(seed: u64) -> MapOptions {
    MapOptions { seed, engine: EngineKind::Exact, ..MapOptions::default() }
}

#[test]
fn scratch() {
    for size in ["2x2", "4x4"] {
        let target = Target::mesh(size);
        for name in kernels() {
            let graph = kernel(&name);
            let start = std::time::Instant::now();
            match loom_map::map(&graph, &target, &exact(1), &mut |_, _| {}) {
                Ok(m) => eprintln!("{size} {name} {} ops mii {} ii {} {:?} {:?}", graph.nodes.len(), m.timing.mii, m.timing.ii, m.proof, start.elapsed()),
                Err(d) => eprintln!("{size} {name} {}: {} {:?} {:?}", graph.nodes.len(), d[0].code, d[0].message, start.elapsed()),
            }
        }
    }
}
