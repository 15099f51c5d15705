//! Co-simulation of a small fabric with a fault in its Verilog: what its comparison with the native model says.

use super::prove::{edit, Edit};
use loom_base::{Diagnostics, Source};
use loom_cosim::model::build;
use loom_cosim::{top_ports, BuildOptions, FabricModel};
use loom_flow::{load, Configured};
use loom_sim::Case;
use std::path::Path;

/// A kernel, its case, and the fabric that it runs on: texts of files.
#[derive(Clone, Copy, Debug)]
pub struct ProvedKernel {
    /// A fabric, as small as the fault allows.
    pub fabric: &'static str,
    /// The graph.
    pub graph: &'static str,
    /// Its case.
    pub case: &'static str,
}

/// Runs the kernel twice, the second time loaded without a reset, and returns what differs from the native and the
/// golden model: nothing unless `edits` are a fault. `cache` holds verilated fabrics.
pub fn simulate(kernel: &ProvedKernel, edits: &[Edit], cache: &Path) -> Result<Vec<String>, Diagnostics> {
    let source = |text: &str| Source::new("fault", text);
    let fabric = load::fabric(&source(kernel.fabric))?;
    let graph = loom_dfg::parse(&source(kernel.graph))?;
    let mut case = Case::read(&source(kernel.case), &graph, fabric.index_width())?;
    // More than any of them needs: a fault may run for ever.
    case.max_cycles = 1000;
    let configured = Configured::map(graph, &fabric, &loom_map::MapOptions::default(), &mut |_, _| {})?;

    let made = loom_gen::elaborate(&fabric)?;
    let mut files = made.files();
    edit(&mut files, edits)?;
    if !edits.is_empty() {
        // A fault may leave a wire without a reader, which is not what must notice it.
        for (_, text) in &mut files {
            text.insert_str(0, "/* verilator lint_off UNUSED */\n");
        }
    }
    let options = BuildOptions { trace: false, optimise: false };
    let built = build(&files, &made.top, &top_ports(&made), options, cache)?;

    let mut runs = configured.simulate(&case)?;
    let mut model = FabricModel::new(&built, fabric.ports());
    let mut noticed = Vec::new();
    for load in ["", "loaded again: "] {
        // A model that refuses the image is one that differs.
        let problems = match configured.cosimulate(&case, &mut runs, &mut model) {
            Ok(()) => {
                let report = configured.report(&case, "", &runs);
                assert!(report.ok == report.problems.is_empty(), "{report:?}");
                report.problems
            }
            Err(diagnostics) => diagnostics.into_iter().map(|d| d.message).collect(),
        };
        noticed.extend(problems.into_iter().map(|p| format!("{load}{p}")));
    }
    Ok(noticed)
}
