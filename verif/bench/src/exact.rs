//! Annealing against the engine that proves: every kernel that is small enough and some random graphs, on every small default fabric
//! that takes them.
//!
//! Rows come in the order of fabrics, then of names, whatever the number of threads.

use crate::{table, TableRow};
use loom_adg::Fabric;
use loom_base::rng::mix;
use loom_base::{Diagnostics, Name, Rng, Source};
use loom_dfg::Graph;
use loom_flow::{load, Kernel};
use loom_map::exact::proof::EXACT;
use loom_map::{EngineKind, MapOptions, Mapped};
use loom_testkit::graphs::{random_graph, RandomGraphOptions};
use rayon::prelude::*;
use serde::Serialize;

/// Fabrics that graphs are mapped onto.
const FABRICS: [&str; 3] = ["mesh-2x2", "mesh-4x4", "general-4x4"];
/// Most nodes of a netlist.
const MOST_NODES: usize = 30;
/// Random graphs, and most ops of one.
const RANDOM: u64 = 16;
const RANDOM_OPS: usize = 24;
/// Conflicts that each proof may take.
const CONFLICTS: u64 = 30_000;

/// A kernel on a fabric.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// The fabric.
    pub fabric: String,
    /// The kernel.
    pub kernel: String,
    /// Nodes that are placed.
    pub nodes: usize,
    /// Bound before mapping.
    pub before: f64,
    /// Recurrence bound of the mapping that annealing found, where it found one.
    pub annealed_mii: Option<f64>,
    /// Its interval.
    pub annealed_ii: Option<f64>,
    /// The shortest recurrence bound of any mapping that was found; none where it is proved that there is no mapping.
    pub best_mii: Option<f64>,
    /// What is proved that no mapping goes below.
    pub lower_bound: Option<f64>,
    /// Conflicts that the proof took.
    pub conflicts: Option<u64>,
}

impl Compared {
    /// Whether the shortest recurrence bound is known.
    fn is_proved(&self) -> bool {
        self.best_mii.zip(self.lower_bound).is_some_and(|(best, bound)| best <= bound + EXACT)
    }

    /// Whether it is known, and annealing had reached it.
    fn is_reached(&self, annealed: Option<f64>) -> bool {
        self.is_proved() && annealed.zip(self.best_mii).is_some_and(|(a, best)| a <= best + EXACT)
    }
}

/// All kernels. `progress` is told the name of each that is done.
pub fn measure(kernels: &[Source], progress: &(dyn Fn(&str) + Sync)) -> Result<Vec<Compared>, Diagnostics> {
    let sources = FABRICS.iter().filter_map(|name| load::built_in(name));
    let fabrics = sources.map(|source| load::fabric(&source)).collect::<Result<Vec<_>, _>>()?;
    let random: Vec<Kernel> = (1..=RANDOM).map(random).collect();
    let mut graphs: Vec<(&Fabric, Kernel)> = Vec::new();
    for fabric in &fabrics {
        // A program that does not fit a fabric is none of it.
        let read = |source: &Source| Kernel::read(source, &load::lowering(fabric)).ok();
        let all = kernels.iter().filter_map(read).chain(random.iter().cloned());
        graphs.extend(all.map(|kernel| (fabric, kernel.on(fabric))));
    }
    let one = |(fabric, kernel): &(&Fabric, Kernel)| {
        let row = compare(fabric, &kernel.graph);
        progress(&kernel.graph.name);
        row
    };
    Ok(graphs.par_iter().with_max_len(1).filter_map(one).collect())
}

/// A random graph by its number.
fn random(number: u64) -> Kernel {
    let options = RandomGraphOptions { max_ops: RANDOM_OPS, ..RandomGraphOptions::default() };
    let mut graph = random_graph(&mut Rng::new(mix(number)), &options).graph;
    graph.name = Name::new(&format!("random_{number}")).unwrap_or(graph.name);
    Kernel::from(graph)
}

/// `None` where the kernel is too large, or the fabric too small for it by counting alone.
fn compare(fabric: &Fabric, graph: &Graph) -> Option<Compared> {
    let nodes = loom_map::netlist::netlist(graph, fabric.index_width()).nodes.len();
    if nodes > MOST_NODES {
        return None;
    }
    // Whether what is found gets stuck is not asked: intervals are compared.
    let options = MapOptions {
        engine: EngineKind::Exact,
        conflicts: CONFLICTS,
        deadlock_states: 0,
        ..MapOptions::default()
    };
    let mapped = match loom_map::map(graph, fabric, &options, &mut |_, _| {}) {
        Ok(mapped) => Some(mapped),
        Err(why) if why.iter().any(|d| d.code == loom_map::codes::NO_MAPPING) => None,
        Err(_) => return None,
    };
    let proof = mapped.as_ref().and_then(|m: &Mapped| m.proof);
    Some(Compared {
        fabric: fabric.name().to_string(),
        kernel: graph.name.to_string(),
        nodes,
        before: mapped.as_ref().map_or(1.0, |m| m.mii_ops),
        annealed_mii: proof.and_then(|p| p.annealed_mii),
        annealed_ii: proof.and_then(|p| p.annealed_ii),
        best_mii: proof.map(|p| p.best_mii),
        lower_bound: proof.map(|p| p.lower_bound),
        conflicts: proof.map(|p| p.conflicts),
    })
}

impl TableRow for Compared {
    const HEAD: &'static [&'static str] = &[
        "fabric",
        "kernel",
        "proved",
        "nodes",
        "before",
        "annealed II",
        "annealed MII",
        "best MII",
        "lower bound",
        "conflicts",
    ];
    const LEFT: usize = 3;

    fn cells(&self) -> Vec<String> {
        let two = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.2}"));
        let proved = match self.best_mii {
            None => "no mapping",
            Some(_) if self.is_proved() => "optimum",
            Some(_) => "bounds",
        };
        vec![
            self.fabric.clone(),
            self.kernel.clone(),
            proved.into(),
            self.nodes.to_string(),
            two(Some(self.before)),
            two(self.annealed_ii),
            two(self.annealed_mii),
            two(self.best_mii),
            two(self.lower_bound),
            self.conflicts.map_or("-".into(), |c| c.to_string()),
        ]
    }
}

/// The table with a line above.
pub fn text(rows: &[Compared]) -> String {
    let count = |of: &dyn Fn(&Compared) -> bool| rows.iter().filter(|r| of(r)).count();
    let proved = count(&Compared::is_proved);
    let share = |n: usize| 100.0 * n as f64 / proved.max(1) as f64;
    let (mii, ii) = (count(&|r| r.is_reached(r.annealed_mii)), count(&|r| r.is_reached(r.annealed_ii)));
    format!(
        "{} graphs of at most {MOST_NODES} nodes: the optimum is proved of {proved}; annealing reaches it in {mii} of them ({:.1} %), \
         and its II with buffers as they are is the same in {ii} ({:.1} %)\n\n{}",
        rows.len(),
        share(mii),
        share(ii),
        table(rows)
    )
}
