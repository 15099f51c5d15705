//! The kernels of the throughput table at the sizes they are measured at, and one run of them in the native model.

use loom_adg::Fabric;
use loom_base::rng::mix;
use loom_base::stall::Stalls;
use loom_base::{truncate, Diagnostic, Diagnostics, Rng, Source};
use loom_dfg::{Graph, Type};
use loom_flow::{load, Configured, Kernel, Report};
use loom_sim::axi::AxiOptions;
use loom_sim::case::{argument_memories, MemoryInit};
use loom_sim::{Case, Expect};

/// A mesh of the default tiles.
pub struct Mesh {
    /// The fabric.
    pub fabric: Fabric,
}

impl Mesh {
    /// A square one.
    pub fn new(side: usize) -> Result<Mesh, Diagnostics> {
        let text = loom_adg::topology::mesh_toml(side, side);
        let adg = loom_adg::toml::read(&Source::new("mesh.toml", text))?;
        Ok(Mesh { fabric: Fabric::new(adg) })
    }

    /// Maps a graph.
    pub fn map(&self, graph: &Graph, options: &loom_map::MapOptions) -> Result<Configured, Diagnostics> {
        Configured::map(graph.clone(), &self.fabric, options, &mut |_, _| {})
    }

    /// The graph of a program, `.scf.mlir` or `.dfg.mlir` by its name, compiled as the command line does for this mesh.
    pub fn graph(&self, source: &Source) -> Result<Graph, Diagnostics> {
        Ok(Kernel::read(source, &load::lowering(&self.fabric))?.graph)
    }
}

/// A kernel at one size: what it is called with. Memories hold random words.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// The size in words.
    pub size: &'static str,
    /// Innermost iterations that take.
    pub iterations: u64,
    inputs: &'static [(&'static str, u64)],
    memories: &'static [(&'static str, usize)],
}

const fn work(
    kernel: &'static str,
    size: &'static str,
    iterations: u64,
    inputs: &'static [(&'static str, u64)],
    memories: &'static [(&'static str, usize)],
) -> Work {
    Work { kernel, size, iterations, inputs, memories }
}

/// Every kernel at every size, the largest size of each last.
pub const WORKS: [Work; 15] = [
    work("vecadd", "64", 64, &[("n", 64)], &[("a", 64), ("b", 64), ("c", 64)]),
    work("vecadd", "1024", 1024, &[("n", 1024)], &[("a", 1024), ("b", 1024), ("c", 1024)]),
    work("dot", "64", 64, &[("n", 64)], &[("a", 64), ("b", 64)]),
    work("dot", "1024", 1024, &[("n", 1024)], &[("a", 1024), ("b", 1024)]),
    work("matmul", "4x4x4", 64, &[("n", 4)], &[("a", 64), ("b", 64), ("c", 64)]),
    work("matmul", "16x16x16", 4096, &[("n", 16)], &[("a", 256), ("b", 256), ("c", 256)]),
    work("fir", "64, 8 taps", 512, &[("n", 64)], &[("x", 71), ("h", 8), ("y", 64)]),
    work("fir", "1024, 8 taps", 8192, &[("n", 1024)], &[("x", 1031), ("h", 8), ("y", 1024)]),
    work("gcd", "64, 1", 63, &[("a", 64), ("b", 1)], &[]),
    work("gcd", "1024, 1", 1023, &[("a", 1024), ("b", 1)], &[]),
    work("collatz", "97", 118, &[("x", 97)], &[]),
    work("histogram", "64", 64, &[("n", 64)], &[("data", 64), ("bins", 16)]),
    work("histogram", "1024", 1024, &[("n", 1024)], &[("data", 1024), ("bins", 16)]),
    work("threshold", "64", 64, &[("n", 64), ("limit", 0)], &[("a", 64)]),
    work("threshold", "1024", 1024, &[("n", 1024), ("limit", 0)], &[("a", 1024)]),
];

/// The works of the table at the largest size of each kernel.
pub fn largest() -> impl Iterator<Item = Work> {
    let last = |k: usize| WORKS.get(k + 1).is_none_or(|next: &Work| next.kernel != WORKS[k].kernel);
    (0..WORKS.len()).filter(move |&k| last(k)).map(|k| WORKS[k])
}

impl Work {
    /// The program. `collatz` is the structured one, which is what peers compiled.
    pub fn source(&self) -> Source {
        let text = match self.kernel {
            "vecadd" => include_str!("../../../kernels/vecadd/vecadd.scf.mlir"),
            "dot" => include_str!("../../../kernels/dot/dot.scf.mlir"),
            "matmul" => include_str!("../../../kernels/matmul/matmul.scf.mlir"),
            "fir" => include_str!("../../../kernels/fir/fir.scf.mlir"),
            "gcd" => include_str!("../../../kernels/gcd/gcd.scf.mlir"),
            "collatz" => include_str!("../../../kernels/collatz_scf/collatz_scf.scf.mlir"),
            "histogram" => include_str!("../../../kernels/histogram/histogram.scf.mlir"),
            "threshold" => include_str!("../../../kernels/threshold/threshold.scf.mlir"),
            other => unreachable!("`{other}` is not in the table of works"),
        };
        Source::new(format!("{}.scf.mlir", self.kernel), text)
    }

    /// Whether it loads or stores.
    pub fn has_memory(&self) -> bool {
        !self.memories.is_empty()
    }

    /// Tokens and memory for the kernel's graph, with memory of this latency behind AXI ports. An argument that is not
    /// in the table of works is a fault of that table.
    pub fn case(&self, graph: &Graph, latency: u32) -> Case {
        let input = |value: &loom_dfg::graph::Value| match self.inputs.iter().find(|(n, _)| *n == value.name)
        {
            Some(&(_, token)) => vec![token],
            None if value.ty == Type::None => vec![0],
            None => unreachable!("`{}` has no argument `{}` in the table of works", self.kernel, value.name),
        };
        let memory = |(k, name, width): (usize, &str, u32)| {
            let found = self.memories.iter().find(|(n, _)| *n == name);
            let &(_, words) =
                found.unwrap_or_else(|| unreachable!("no memory `{name}` in the table of works"));
            let mut rng = Rng::new(mix(k as u64 + 1));
            MemoryInit::Words((0..words).map(|_| truncate(rng.next_u64(), width)).collect())
        };
        let memories = argument_memories(graph).enumerate();
        let memory: Vec<MemoryInit> =
            memories.map(|(k, (_, m))| memory((k, &m.name, m.element.width(32)))).collect();
        Case {
            description: String::new(),
            inputs: graph.arguments.iter().map(|&a| input(graph.value(a))).collect(),
            expect: vec![Expect::Any; graph.outputs.len()],
            expect_memory: vec![None; memory.len()],
            memory,
            stalls: Stalls::NONE,
            axi: AxiOptions { latency, ..AxiOptions::default() },
            max_cycles: 10_000_000,
            max_steps: 100_000_000,
            schedules: 1,
            gate: None,
        }
    }

    /// Runs the mapped kernel in the native model. A run that differs from the golden model is an error.
    pub fn run(&self, configured: &Configured, latency: u32) -> Result<Report, Diagnostics> {
        let case = self.case(configured.graph(), latency);
        let report = configured.report(&case, self.size, &configured.simulate(&case)?);
        if !report.ok {
            let message = format!("`{}` of size {} does not run right", self.kernel, self.size);
            let error = Diagnostic::error(loom_flow::codes::MISMATCH, message);
            return Err(vec![report.problems.iter().fold(error, |e, problem| e.note(problem.clone()))]);
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom_flow::software::golden;

    #[test]
    fn the_table_of_works_names_every_argument_and_memory() {
        let mesh = Mesh::new(4).expect("a mesh");
        for work in WORKS {
            let graph = mesh.graph(&work.source()).expect("a kernel that compiles");
            let case = work.case(&graph, 1);
            let outcome = golden(&graph, &case, mesh.fabric.index_width()).expect("it ends");
            assert!(outcome.leftover.is_empty(), "{} {}", work.kernel, work.size);
            // What peers' cycles are divided by. A gated body still counts the final, false condition.
            let busiest = outcome.stream_activations.iter().map(|s| s.true_pairs).max();
            assert!(
                busiest.is_none_or(|n| n == work.iterations),
                "{} {}: {busiest:?}",
                work.kernel,
                work.size
            );
        }
        assert_eq!(largest().count(), 8);
        assert!(largest().all(|w| super::super::peers::circt(w.kernel, w.iterations).is_some()));
    }
}
