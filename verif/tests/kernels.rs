//! Every case of every kernel through golden model, native model and Verilog on one mesh.

mod common;

use common::{fabric, root};
use libtest_mimic::{Arguments, Failed, Trial};
use loom_base::Source;
use loom_sim::Case;
use loom_verif::run::{self, Job};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

const FABRIC: &str = "configs/mesh-4x4.toml";

fn read(path: &PathBuf) -> Source {
    Source::new(path.display().to_string(), std::fs::read_to_string(path).expect("readable"))
}

fn render(source: &Source, diagnostics: loom_base::Diagnostics) -> Failed {
    diagnostics.iter().map(|d| d.render(source)).collect::<Vec<_>>().join("\n").into()
}

fn check(kernel: PathBuf, case: PathBuf) -> Result<(), Failed> {
    static BUILT: OnceLock<Arc<loom_verif::model::Built>> = OnceLock::new();
    let f = fabric(FABRIC);
    let source = read(&kernel);
    let graph = loom_dfg::parse(&source).map_err(|d| render(&source, d))?;
    let text = read(&case);
    let case_of = Case::read(&text, &graph, f.adg.index_width).map_err(|d| render(&text, d))?;
    let options = loom_map::Options::default();
    let mapped =
        loom_map::map(&graph, &f.adg, &f.flat, &options, &mut |_, _| {}).map_err(|d| render(&source, d))?;
    let image = loom_map::config::image(&graph, &f.adg, &f.flat, &f.layout, &mapped.mapping);
    let (decoded, warnings) =
        loom_gen::decode(&f.adg, &f.flat, &f.layout, &image).map_err(|d| render(&source, d))?;
    if !warnings.is_empty() {
        return Err(render(&source, warnings));
    }
    decoded.matches(&graph, &mapped.mapping)?;
    let job = Job {
        graph: &graph,
        adg: &f.adg,
        flat: &f.flat,
        layout: &f.layout,
        case: &case_of,
        mapping: &mapped.mapping,
        image: &image,
        mii: mapped.timing.mii,
        fill: mapped.timing.fill,
    };
    let golden = run::golden(&graph, &case_of, f.adg.index_width).map_err(|d| render(&text, d))?;
    let stimulus = run::stimulus(&job, &golden);
    let native = run::native(&job, &stimulus).map_err(|d| render(&text, d))?;
    let built = BUILT.get_or_init(|| f.verilated());
    let verilog = run::verilog(&job, built, &stimulus, &native, None).map_err(|d| render(&text, d))?;
    let report = run::compare(&job, "", &golden, &native, Some(&verilog), 0.0);
    println!("{} {:?} predicted ii {:.2}", case.display(), report.row(), mapped.timing.ii);
    if !report.ok {
        return Err(format!("{report:#?}").into());
    }
    Ok(())
}

fn main() {
    let mut trials = Vec::new();
    let mut kernels: Vec<PathBuf> = std::fs::read_dir(root().join("kernels"))
        .expect("kernels")
        .map(|e| e.expect("an entry").path())
        .collect();
    kernels.sort();
    for folder in kernels.into_iter().filter(|p| p.is_dir()) {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let kernel = folder.join(format!("{name}.dfg.mlir"));
        if !kernel.exists() {
            continue;
        }
        let mut cases: Vec<PathBuf> =
            std::fs::read_dir(&folder).expect("readable").map(|e| e.expect("an entry").path()).collect();
        cases.sort();
        for case in cases.into_iter().filter(|p| p.extension().is_some_and(|e| e == "toml")) {
            let stem = case.file_stem().expect("a name").to_string_lossy().into_owned();
            let kernel = kernel.clone();
            trials.push(Trial::test(format!("{name}::{stem}"), move || check(kernel, case)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
