//! Co-simulation of a small fabric with a fault in its Verilog: what its comparison with the native model says.

use super::prove::{edit, Edit};
use crate::cosim::FabricModel;
use crate::model::{build, BuildOptions};
use crate::run::{self, Job};
use loom_adg::Fabric;
use loom_base::{Diagnostics, Source};
use loom_sim::Case;
use std::path::Path;

/// A kernel, its case, and the fabric that it runs on: texts of files.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// A fabric, as small as the fault allows.
    pub fabric: &'static str,
    /// The graph.
    pub graph: &'static str,
    /// Its case.
    pub case: &'static str,
}

/// Runs the kernel twice, the second time loaded without a reset, and returns what differs from the native and the
/// golden model: nothing unless `edits` are a fault. `cache` holds verilated fabrics.
pub fn simulate(kernel: &Kernel, edits: &[Edit], cache: &Path) -> Result<Vec<String>, Diagnostics> {
    let source = |text: &str| Source::new("fault", text);
    let fabric = Fabric::new(loom_adg::toml::read(&source(kernel.fabric))?);
    let graph = loom_dfg::parse(&source(kernel.graph))?;
    let mut case = Case::read(&source(kernel.case), &graph, fabric.index_width())?;
    // More than any of them needs: a fault may run for ever.
    case.max_cycles = 1000;
    let mapped = loom_map::map(&graph, &fabric, &loom_map::Options::default(), &mut |_, _| {})?;
    let image = loom_map::config::image(&graph, &fabric, &mapped.mapping);

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
    let built = build(&files, &made.top, &run::top_ports(&made), options, cache)?;

    let golden = run::golden(&graph, &case, fabric.index_width())?;
    let job = Job {
        graph: &graph,
        fabric: &fabric,
        case: &case,
        mapping: &mapped.mapping,
        image: &image,
        mii: mapped.timing.mii,
        fill: mapped.timing.fill,
    };
    let stimulus = run::stimulus(&job, &golden);
    let native = run::native(&job, &stimulus)?;
    let mut model = FabricModel::new(&built, fabric.ports());
    let mut noticed = Vec::new();
    for load in ["", "loaded again: "] {
        // A model that refuses the image is one that differs.
        let problems = match run::verilog_again(&job, &mut model, &stimulus, &native) {
            Ok(verilog) => {
                let report = run::compare(&job, "", &golden, &native, Some(&verilog), 0.0);
                assert!(report.ok == report.problems.is_empty(), "{report:?}");
                report.problems
            }
            Err(diagnostics) => diagnostics.into_iter().map(|d| d.message).collect(),
        };
        noticed.extend(problems.into_iter().map(|p| format!("{load}{p}")));
    }
    Ok(noticed)
}
