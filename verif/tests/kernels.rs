//! Every case of every kernel: structured programs against their graphs, in both memory orders, and every graph that
//! hardware exists for through golden model, native model and Verilog on one mesh.

mod common;

use common::{fabric, root};
use libtest_mimic::{Arguments, Failed, Trial};
use loom_base::Source;
use loom_front::compile::{compile, Options};
use loom_front::order::Order;
use loom_sim::Case;
use loom_verif::run::{self, Job};
use loom_verif::software;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

const FABRIC: &str = "configs/mesh-4x4.toml";

fn read(path: &PathBuf) -> Source {
    Source::new(path.display().to_string(), std::fs::read_to_string(path).expect("readable"))
}

fn render(source: &Source, diagnostics: loom_base::Diagnostics) -> Failed {
    diagnostics.iter().map(|d| d.render(source)).collect::<Vec<_>>().join("\n").into()
}

/// The graph of a kernel; of a structured one after its meaning was compared with the graphs of both orders.
fn graph(kernel: &PathBuf, text: &Source) -> Result<(loom_dfg::Graph, Source), Failed> {
    let f = fabric(FABRIC);
    let width = f.adg.index_width;
    let source = read(kernel);
    if !kernel.to_string_lossy().ends_with(".scf.mlir") {
        let graph = loom_dfg::parse(&source).map_err(|d| render(&source, d))?;
        return Ok((graph, source));
    }
    let module = loom_front::parse(&source).map_err(|d| render(&source, d))?;
    let mut last = None;
    for order in [Order::Serial, Order::Pipelined] {
        let options = Options {
            order,
            index_width: width,
            max_join_fanin: loom_map::tech::widest_join(&f.adg, &f.flat),
            ..Options::default()
        };
        let compiled = compile(&module, &options).map_err(|d| render(&source, d))?;
        let graph = compiled.lowered.graph.clone();
        let case = Case::read(text, &graph, width).map_err(|d| render(text, d))?;
        let meant = software::meaning(&compiled, &case, width).map_err(|d| render(&source, d))?;
        let ran = software::graph_outcome(&graph, &case, width).map_err(|d| render(text, d))?;
        let mut problems = software::differences(&graph, &meant, &ran);
        problems.extend(case.differences(&graph, &ran.outcome.outputs));
        problems.extend(case.memory_differences(&graph, &ran.memories));
        if !problems.is_empty() {
            return Err(format!("{order:?}: {}", problems.join("\n")).into());
        }
        let plain = compiled.plain.module();
        let text = loom_front::print(&plain);
        let again = loom_front::parse(&Source::new("plain", text.clone()))
            .map_err(|d| render(&Source::new("plain", text.clone()), d))?;
        if loom_front::print(&again) != text {
            return Err("the normalized program changes when it is read again".into());
        }
        let text = loom_dfg::print(&graph);
        let again = loom_dfg::parse(&Source::new("graph", text.clone()))
            .map_err(|d| render(&Source::new("graph", text.clone()), d))?;
        if loom_dfg::print(&again) != text {
            return Err("the graph changes when it is read again".into());
        }
        last = Some(graph);
    }
    Ok((last.expect("two orders"), source))
}

/// `must_map`: whether a graph that needs units the mesh lacks is a failure.
fn check(kernel: PathBuf, case: PathBuf, must_map: bool) -> Result<(), Failed> {
    static BUILT: OnceLock<Arc<loom_verif::model::Built>> = OnceLock::new();
    let f = fabric(FABRIC);
    let text = read(&case);
    let (graph, source) = graph(&kernel, &text)?;
    if !must_map || !loom_map::tech::without_hardware(&graph).is_empty() {
        println!("{}: in software only", case.display());
        return Ok(());
    }
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
    decoded.matches(&graph, &f.adg, &f.flat, &mapped.mapping)?;
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
        let forms = ["dfg", "scf"].map(|form| folder.join(format!("{name}.{form}.mlir")));
        let Some(kernel) = forms.into_iter().find(|p| p.exists()) else { continue };
        let mut cases: Vec<PathBuf> =
            std::fs::read_dir(&folder).expect("readable").map(|e| e.expect("an entry").path()).collect();
        cases.sort();
        for case in cases.into_iter().filter(|p| p.extension().is_some_and(|e| e == "toml")) {
            let stem = case.file_stem().expect("a name").to_string_lossy().into_owned();
            let kernel = kernel.clone();
            trials.push(Trial::test(format!("{name}::{stem}"), move || check(kernel, case, true)));
        }
    }
    // Small programs that are hard to lower right, each with one case.
    let folder = root().join("verif/tests/programs");
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("programs")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    cases.sort();
    for case in cases {
        let stem = case.file_stem().expect("a name").to_string_lossy().into_owned();
        let program = case.with_file_name(format!("{stem}.scf.mlir"));
        trials.push(Trial::test(format!("program::{stem}"), move || check(program, case, false)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
