//! Every case of every kernel: structured programs against their graphs, in both memory orders, and the graphs through
//! golden model, native model and Verilog on one mesh, under several memory latencies, stalls and orders of answers.

use libtest_mimic::{Arguments, Failed, Trial};
use loom_adg::Fabric;
use loom_base::Source;
use loom_cosim::Built;
use loom_flow::{load, Configured, Kernel};
use loom_front::compile::CompileOptions;
use loom_front::order::Order;
use loom_sim::axi::AxiOptions;
use loom_sim::Case;
use loom_testkit::fabrics::{fabric, instance, root, verilated};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

const FABRIC: &str = "configs/mesh-4x4.toml";
/// Programs that need units the mesh does not have: 64-bit values, and an index of 8 bits.
const SOFTWARE_ONLY: [&str; 2] = ["narrow_counter", "wide_counter"];

fn read(path: &PathBuf) -> Source {
    Source::new(path.display().to_string(), std::fs::read_to_string(path).expect("readable"))
}

fn render(source: &Source, diagnostics: loom_base::Diagnostics) -> Failed {
    diagnostics.iter().map(|d| d.render(source)).collect::<Vec<_>>().join("\n").into()
}

/// A kernel; a structured one after its meaning was compared with the graphs of both orders.
fn kernel(kernel: &PathBuf, text: &Source, f: &Fabric) -> Result<(Kernel, Source), Failed> {
    let width = f.index_width();
    let source = read(kernel);
    if !load::is_structured(&source) {
        let kernel = Kernel::read(&source, &CompileOptions::default()).map_err(|d| render(&source, d))?;
        return Ok((kernel, source));
    }
    let mut last = None;
    for order in [Order::Serial, Order::Pipelined] {
        let options = CompileOptions { order, room: None, ..load::lowering(f) };
        let kernel = Kernel::read(&source, &options).map_err(|d| render(&source, d))?;
        let graph = &kernel.graph;
        let case = Case::read(text, graph, width).map_err(|d| render(text, d))?;
        let ran = kernel.run(&case, width).map_err(|d| render(&source, d))?;
        let mut problems = ran.differences(graph);
        problems.extend(case.differences(graph, &ran.golden.outputs));
        problems.extend(case.memory_differences(graph, &ran.golden.memories));
        if !problems.is_empty() {
            return Err(format!("{order:?}: {}", problems.join("\n")).into());
        }
        let compiled = kernel.compiled.as_ref().expect("a structured program");
        let plain = compiled.plain.program();
        let text = loom_front::print(&plain);
        let again = loom_front::parse(&Source::new("plain", text.clone()))
            .map_err(|d| render(&Source::new("plain", text.clone()), d))?;
        if loom_front::print(&again) != text {
            return Err("the normalized program changes when it is read again".into());
        }
        let text = loom_dfg::print(graph);
        let again = loom_dfg::parse(&Source::new("graph", text.clone()))
            .map_err(|d| render(&Source::new("graph", text.clone()), d))?;
        if loom_dfg::print(&again) != text {
            return Err("the graph changes when it is read again".into());
        }
        last = Some(kernel);
    }
    Ok((last.expect("two orders"), source))
}

/// The kernel on the mesh, for all its cases.
fn map(kernel: Kernel, f: &Fabric, source: &Source) -> Result<Configured, String> {
    Configured::map(kernel, f, &Default::default(), &mut |_, _| {})
        .map_err(|d| d.iter().map(|d| d.render(source)).collect())
}

/// Memories behind a run: as the case says, and slower ones with stalls and answers out of order.
fn memories(graph: &loom_dfg::Graph, case: &Case, seed: u64) -> Vec<AxiOptions> {
    if graph.memories.is_empty() {
        return vec![case.axi];
    }
    let slow = |latency, stall_percent, reorder| AxiOptions { latency, stall_percent, reorder, seed };
    vec![case.axi, slow(5, 30, false), slow(20, 0, true), slow(20, 15, true)]
}

fn check(
    path: PathBuf,
    case: PathBuf,
    seed: u64,
    on_mesh: &OnceLock<Result<Configured, String>>,
) -> Result<(), Failed> {
    static BUILT: OnceLock<Arc<Built>> = OnceLock::new();
    let f = fabric(FABRIC);
    let text = read(&case);
    let (kernel, source) = kernel(&path, &text, &f)?;
    let on_mesh = on_mesh.get_or_init(|| map(kernel, &f, &source)).as_ref();
    if SOFTWARE_ONLY.iter().any(|name| case.file_stem().is_some_and(|stem| stem == *name)) {
        return match on_mesh {
            Err(why) if why.contains("error[M0101]") => Ok(()),
            _ => Err("this program was to be refused with M0101".into()),
        };
    }
    let configured = on_mesh?;
    let mut case_of = configured.case(&text).map_err(|d| render(&text, d))?;
    let software = configured.kernel.run(&case_of, f.index_width()).map_err(|d| render(&text, d))?;
    for axi in memories(configured.graph(), &case_of, seed) {
        case_of.axi = axi;
        let fail = |d| render(&text, d);
        let mut runs = configured.simulate_after(&case_of, software.clone()).map_err(fail)?;
        let built = BUILT.get_or_init(|| verilated(&f));
        configured.cosimulate(&case_of, &mut runs, &mut instance(&f, built)).map_err(fail)?;
        let report = configured.report(&case_of, "", &runs);
        let ii = configured.mapped.timing.ii;
        println!("{} latency {} {:?} predicted ii {ii:.2}", case.display(), axi.latency, report.row());
        if !report.ok {
            return Err(format!("{axi:?}: {report:#?}").into());
        }
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
        let mapped = Arc::new(OnceLock::new());
        for case in cases.into_iter().filter(|p| p.extension().is_some_and(|e| e == "toml")) {
            let stem = case.file_stem().expect("a name").to_string_lossy().into_owned();
            let (kernel, mapped, seed) = (kernel.clone(), mapped.clone(), trials.len() as u64);
            trials.push(Trial::test(format!("{name}::{stem}"), move || check(kernel, case, seed, &mapped)));
        }
    }
    // Small programs that are hard to lower right, each with one case.
    let folder = root().join("verif/cosim/tests/programs");
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("programs")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    cases.sort();
    for case in cases {
        let stem = case.file_stem().expect("a name").to_string_lossy().into_owned();
        let program = case.with_file_name(format!("{stem}.scf.mlir"));
        let seed = trials.len() as u64;
        let test = move || check(program, case, seed, &OnceLock::new());
        trials.push(Trial::test(format!("program::{stem}"), test));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
