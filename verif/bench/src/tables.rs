//! Kernels on meshes: throughput, slow memory, mapping time, larger meshes.

use super::peers::{circt, Circt};
use super::work::{largest, Mesh, Work, WORKS};
use super::{number, TableRow};
use loom_base::rng::mix;
use loom_base::{Diagnostics, Rng, Source};
use loom_dfg::Graph;
use loom_map::MapOptions;
use loom_testkit::graphs::{random_graph, RandomGraphOptions};
use serde::Serialize;
use std::time::Instant;

/// Latency of the slow memory.
pub const SLOW: u32 = 20;
/// Seeds of the mapper a kernel's mapping time is taken over.
const SEEDS: u64 = 3;
/// Random graphs on the 8x8 mesh, mapped with one seed each, and their sizes.
const LARGE_GRAPHS: usize = 4;
const LARGE_OPS: std::ops::RangeInclusive<usize> = 140..=160;

/// A kernel on the 4x4 mesh with memory of one cycle, in the native model.
#[derive(Clone, Debug, Serialize)]
pub struct Throughput {
    /// Kernel.
    pub kernel: String,
    /// Size of its input.
    pub size: String,
    /// Innermost iterations.
    pub iterations: u64,
    /// Cycles of the whole run.
    pub cycles: u64,
    /// Cycles over innermost iterations.
    pub cycles_per_iteration: f64,
    /// Average interval between pairs of the busiest stream.
    pub ii: f64,
    /// Recurrence bound of the graph, before it is mapped.
    pub graph_mii: f64,
    /// Recurrence bound of the mapped kernel.
    pub mii: f64,
    /// Fewest cycles of the graph on any mapping.
    pub graph_bound: u64,
    /// Fewest cycles of this mapping.
    pub bound: u64,
    /// Cycles over those of the graph.
    pub ratio: f64,
    /// CIRCT's cycles, where they were measured.
    pub circt: Option<Circt>,
    /// Our cycles over CIRCT's with `cycles`, size 2.
    pub over_cycles_2: Option<f64>,
    /// Our cycles over CIRCT's with `all`, size 2.
    pub over_all_2: Option<f64>,
}

impl Throughput {
    /// Maps and runs one kernel.
    pub fn measure(mesh: &Mesh, work: &Work) -> Result<Throughput, Diagnostics> {
        let graph = mesh.graph(&work.source())?;
        let mapped = mesh.map(&graph, &MapOptions::default())?;
        let report = work.run(&mapped, 1)?;
        let cycles = report.native_cycles;
        let peer = circt(work.kernel, work.iterations);
        let over = |theirs: u64| cycles as f64 / theirs as f64;
        Ok(Throughput {
            kernel: work.kernel.into(),
            size: work.size.into(),
            iterations: work.iterations,
            cycles,
            cycles_per_iteration: cycles as f64 / work.iterations as f64,
            ii: report.ii,
            graph_mii: report.graph_mii,
            mii: report.mii,
            graph_bound: report.graph_bound_cycles.expect("a whole run"),
            bound: report.bound_cycles.expect("a whole run"),
            ratio: report.ratio.expect("a run of some cycles"),
            circt: peer,
            over_cycles_2: peer.map(|p| over(p.cycles_2)),
            over_all_2: peer.map(|p| over(p.all_2)),
        })
    }
}

impl TableRow for Throughput {
    const HEAD: &'static [&'static str] = &[
        "kernel",
        "size",
        "cycles",
        "/iter.",
        "II",
        "graph MII",
        "MII",
        "graph bound",
        "bound",
        "ratio",
        "cycles,1",
        "cycles,2",
        "all,2",
        "ours/cycles,2",
        "ours/all,2",
    ];
    const LEFT: usize = 2;

    fn cells(&self) -> Vec<String> {
        let peer = |f: fn(&Circt) -> u64| number(self.circt.as_ref().map(|c| f(c) as f64));
        let three = |x: f64| format!("{x:.3}");
        vec![
            self.kernel.clone(),
            self.size.clone(),
            self.cycles.to_string(),
            three(self.cycles_per_iteration),
            three(self.ii),
            three(self.graph_mii),
            three(self.mii),
            self.graph_bound.to_string(),
            self.bound.to_string(),
            three(self.ratio),
            peer(|c| c.cycles_1),
            peer(|c| c.cycles_2),
            peer(|c| c.all_2),
            number(self.over_cycles_2),
            number(self.over_all_2),
        ]
    }
}

/// The table of kernels.
pub fn throughput() -> Result<Vec<Throughput>, Diagnostics> {
    let mesh = Mesh::new(4)?;
    WORKS.iter().map(|work| Throughput::measure(&mesh, work)).collect()
}

/// A kernel with memory on the 4x4 mesh, its memory slow, in the native model.
#[derive(Clone, Debug, Serialize)]
pub struct SlowMemory {
    /// Kernel.
    pub kernel: String,
    /// Size of its input.
    pub size: String,
    /// Cycles for an iteration, mapped for memory of one cycle.
    pub mapped_for_1: f64,
    /// Cycles for an iteration, mapped for this memory.
    pub mapped_for_20: f64,
    /// The latter over the former.
    pub quotient: f64,
    /// Recurrence bound of the mapping for this memory.
    pub mii: f64,
    /// Cycles of that mapping over its bound.
    pub ratio: f64,
}

impl SlowMemory {
    /// Maps one kernel for both memories and runs it with the slow one.
    pub fn measure(mesh: &Mesh, work: &Work) -> Result<SlowMemory, Diagnostics> {
        let graph = mesh.graph(&work.source())?;
        let run = |memory_latency| {
            let mapped = mesh.map(&graph, &MapOptions { memory_latency, ..MapOptions::default() })?;
            let report = work.run(&mapped, SLOW)?;
            Ok::<_, Diagnostics>((report.native_cycles as f64 / work.iterations as f64, report))
        };
        let (mapped_for_1, _) = run(1)?;
        let (mapped_for_20, report) = run(SLOW)?;
        Ok(SlowMemory {
            kernel: work.kernel.into(),
            size: work.size.into(),
            mapped_for_1,
            mapped_for_20,
            quotient: mapped_for_20 / mapped_for_1,
            mii: report.mii,
            ratio: report.ratio.expect("a run of some cycles"),
        })
    }
}

impl TableRow for SlowMemory {
    const HEAD: &'static [&'static str] =
        &["kernel", "size", "/iter. mapped for 1", "mapped for 20", "quotient", "MII", "ratio"];
    const LEFT: usize = 2;

    fn cells(&self) -> Vec<String> {
        let figures = [self.mapped_for_1, self.mapped_for_20, self.quotient, self.mii, self.ratio];
        let mut cells = vec![self.kernel.clone(), self.size.clone()];
        cells.extend(figures.map(|x| format!("{x:.3}")));
        cells
    }
}

/// The kernels that have memory, at their largest size.
pub fn slow_memory() -> Result<Vec<SlowMemory>, Diagnostics> {
    let mesh = Mesh::new(4)?;
    largest().filter(Work::has_memory).map(|work| SlowMemory::measure(&mesh, &work)).collect()
}

/// A kernel on larger and larger meshes: measured intervals.
#[derive(Clone, Debug, Serialize)]
pub struct Scaling {
    /// Kernel.
    pub kernel: String,
    /// Size of its input.
    pub size: String,
    /// Interval on the 4x4, 6x6 and 8x8 mesh.
    pub ii: [f64; 3],
    /// Whether no larger mesh gives a worse one.
    pub never_worse: bool,
}

impl Scaling {
    const SIDES: [usize; 3] = [4, 6, 8];
}

impl TableRow for Scaling {
    const HEAD: &'static [&'static str] = &["kernel", "size", "II 4x4", "II 6x6", "II 8x8", "never worse"];
    const LEFT: usize = 2;

    fn cells(&self) -> Vec<String> {
        let mut cells = vec![self.kernel.clone(), self.size.clone()];
        cells.extend(self.ii.map(|x| format!("{x:.3}")));
        cells.push(if self.never_worse { "yes" } else { "no" }.into());
        cells
    }
}

/// Every kernel at its largest size on three meshes.
pub fn scaling() -> Result<Vec<Scaling>, Diagnostics> {
    let [small, middle, large] = Scaling::SIDES;
    let meshes = [Mesh::new(small)?, Mesh::new(middle)?, Mesh::new(large)?];
    let mut rows = Vec::new();
    for work in largest() {
        let mut ii = [0.0; 3];
        for (ii, mesh) in ii.iter_mut().zip(&meshes) {
            let graph = mesh.graph(&work.source())?;
            let mapped = mesh.map(&graph, &MapOptions::default())?;
            *ii = work.run(&mapped, 1)?.ii;
        }
        // The first and last iterations of a run sway an average by less than this.
        let never_worse = ii.windows(2).all(|pair| pair[1] <= pair[0] * 1.005);
        rows.push(Scaling { kernel: work.kernel.into(), size: work.size.into(), ii, never_worse });
    }
    Ok(rows)
}

/// How long the mapper takes.
#[derive(Clone, Debug, Serialize)]
pub struct MapperRow {
    /// Kernel, or what the graphs are.
    pub graph: String,
    /// Mesh.
    pub fabric: String,
    /// Ops; of several graphs the most.
    pub ops: usize,
    /// Runs, over graphs and seeds.
    pub runs: usize,
    /// Those that found a mapping.
    pub mapped: usize,
    /// Median time.
    pub median_s: f64,
    /// 95th percentile, nearest rank.
    pub p95_s: f64,
    /// What F5 allows.
    pub limit: Option<Limit>,
    /// The time the limit is about over the limit.
    pub ratio: Option<f64>,
}

/// What a mapping time may be.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Seconds, median.
    Median(f64),
    /// Seconds, 95th percentile.
    P95(f64),
}

/// Times of mapping runs.
#[derive(Clone, Default)]
struct Runs {
    ops: usize,
    mapped: usize,
    seconds: Vec<f64>,
}

impl Runs {
    fn of(mesh: &Mesh, graph: &Graph, seeds: u64) -> Runs {
        let mut runs = Runs { ops: graph.nodes.len(), ..Runs::default() };
        for seed in 1..=seeds {
            let start = Instant::now();
            let options = MapOptions { seed, ..MapOptions::default() };
            let mapped = loom_map::map(graph, &mesh.fabric, &options, &mut |_, _| {});
            runs.seconds.push(start.elapsed().as_secs_f64());
            runs.mapped += usize::from(mapped.is_ok());
        }
        runs
    }

    fn add(&mut self, other: &Runs) {
        self.ops = self.ops.max(other.ops);
        self.mapped += other.mapped;
        self.seconds.extend(&other.seconds);
    }

    fn row(&self, graph: impl Into<String>, mesh: &Mesh, limit: Option<Limit>) -> MapperRow {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = |percent: usize| sorted.get((sorted.len() * percent).div_ceil(100).max(1) - 1);
        let (median_s, p95_s) = (rank(50).copied().unwrap_or(0.0), rank(95).copied().unwrap_or(0.0));
        let ratio = limit.map(|limit| match limit {
            Limit::Median(s) => median_s / s,
            Limit::P95(s) => p95_s / s,
        });
        MapperRow {
            graph: graph.into(),
            fabric: mesh.fabric.name().to_string(),
            ops: self.ops,
            runs: sorted.len(),
            mapped: self.mapped,
            median_s,
            p95_s,
            limit,
            ratio,
        }
    }
}

/// Columns of [`MapperRow`] that no two runs have alike.
pub(super) const TIMES: [&str; 2] = ["median s", "95% s"];

impl TableRow for MapperRow {
    const HEAD: &'static [&'static str] =
        &["graph", "fabric", "ops", "mapped", "median s", "95% s", "limit", "ratio"];
    const LEFT: usize = 2;

    fn cells(&self) -> Vec<String> {
        vec![
            self.graph.clone(),
            self.fabric.clone(),
            self.ops.to_string(),
            format!("{} of {}", self.mapped, self.runs),
            format!("{:.3}", self.median_s),
            format!("{:.3}", self.p95_s),
            match self.limit {
                None => "-".into(),
                Some(Limit::Median(s)) => format!("median {s}"),
                Some(Limit::P95(s)) => format!("95% {s}"),
            },
            number(self.ratio),
        ]
    }
}

/// Times of these kernels on the 4x4 mesh, and of large random graphs on the 8x8 mesh.
pub fn mapping(kernels: &[Source]) -> Result<Vec<MapperRow>, Diagnostics> {
    let mesh = Mesh::new(4)?;
    let mut rows = Vec::new();
    let mut small = Runs::default();
    for source in kernels {
        // What the fabric has no units for is never mapped.
        let graph = match mesh.graph(source) {
            Ok(graph) if loom_map::tech::without_hardware(&graph).is_empty() => graph,
            _ => continue,
        };
        let runs = Runs::of(&mesh, &graph, SEEDS);
        let limit = (runs.ops <= 40).then_some(Limit::Median(0.1));
        if limit.is_some() {
            small.add(&runs);
        }
        rows.push(runs.row(graph.name.as_str(), &mesh, limit));
    }
    rows.push(small.row("all kernels up to 40 ops", &mesh, Some(Limit::Median(0.1))));
    let mesh = Mesh::new(8)?;
    let mut large = Runs::default();
    for graph in large_graphs() {
        large.add(&Runs::of(&mesh, &graph, 1));
    }
    let name = format!("{LARGE_GRAPHS} random graphs of {} to {} ops", LARGE_OPS.start(), LARGE_OPS.end());
    rows.push(large.row(name, &mesh, Some(Limit::P95(10.0))));
    Ok(rows)
}

/// The first random graphs of the wanted size.
fn large_graphs() -> Vec<Graph> {
    let draw = |seed| {
        let options = RandomGraphOptions { max_ops: *LARGE_OPS.end(), ..RandomGraphOptions::default() };
        random_graph(&mut Rng::new(mix(seed)), &options).graph
    };
    (0..).map(draw).filter(|graph| LARGE_OPS.contains(&graph.nodes.len())).take(LARGE_GRAPHS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_the_nearest() {
        let mesh = Mesh::new(2).expect("a mesh");
        let runs = Runs { ops: 1, mapped: 3, seconds: vec![3.0, 1.0, 2.0] };
        let row = runs.row("x", &mesh, Some(Limit::P95(6.0)));
        assert_eq!((row.median_s, row.p95_s, row.ratio), (2.0, 3.0, Some(0.5)));
        let many = Runs { ops: 1, mapped: 0, seconds: (1..=100).map(f64::from).collect() };
        let row = many.row("x", &mesh, Some(Limit::Median(100.0)));
        assert_eq!((row.median_s, row.p95_s, row.ratio), (50.0, 95.0, Some(0.5)));
    }

    #[test]
    fn random_graphs_of_the_wanted_size_exist() {
        assert_eq!(large_graphs().len(), LARGE_GRAPHS);
    }
}
