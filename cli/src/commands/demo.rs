//! `loom demo`: every kernel case on one fabric, as one table.

use super::map::prepare;
use super::simulate::{ran, show};
use super::verilog::{cache, Verilog};
use super::view;
use crate::args::{Demo, Job, Lowering, Mapper, Record};
use crate::files::OutDir;
use crate::session::{Failure, Session};
use loom_cosim::{verilate, BuildOptions};
use loom_flow::load;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Cases of a kernel folder, in name order.
pub fn cases(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut cases = entries(folder)?;
    cases.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    Ok(cases)
}

/// `<name>/<name>.dfg.mlir` or `.scf.mlir` below a folder, in name order.
pub fn kernels(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    of_form(folder, &["dfg.mlir", "scf.mlir"])
}

/// `<name>/<name>.c` or `.cpp` below a folder, in name order.
pub fn c_kernels(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    of_form(folder, &["c", "cpp"])
}

/// The kernels of a folder that are there in one of these forms.
fn of_form(folder: &Path, forms: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let file = |p: &PathBuf| {
        let name = p.file_name()?.to_string_lossy().into_owned();
        forms.iter().map(|form| p.join(format!("{name}.{form}"))).find(|f| f.is_file())
    };
    Ok(entries(folder)?.iter().filter_map(file).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let list =
        std::fs::read_dir(folder).and_then(|d| d.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>());
    let mut list = list.map_err(|e| Failure::io(folder, format!("cannot be read: {e}")))?;
    list.sort();
    Ok(list)
}

/// The kernel and case that get a page.
const SHOWN: (&str, &str) = ("matmul.scf.mlir", "n4.toml");

/// Runs the subcommand.
pub fn run(session: &Session, args: &Demo) -> Result<ExitCode, Failure> {
    let fabric = session.fabric(&args.fabric)?;
    let bar = session.progress("building the Verilog model (about half a minute, kept for the next run)");
    let options = BuildOptions { trace: false, optimise: true };
    let built = verilate(&fabric, options, &cache()).map_err(Failure::plain)?;
    bar.finish_and_clear();
    super::generate::write_fabric(&fabric, &args.out.join("rtl"))?;
    let (out, mut page) = (OutDir(&args.out), None);
    let mut reports = Vec::new();
    let mut software: Vec<String> = Vec::new();
    for kernel in kernels(&args.kernels)? {
        let lowering = Lowering::default();
        let read = session.kernel(&kernel, &lowering, load::lowering(&fabric));
        // What the fabric has no units for runs in software only: `loom interp`.
        let fits = read.is_ok_and(|(_, k)| loom_map::tech::without_hardware(&k.graph).is_empty());
        if !fits {
            software
                .extend(kernel.parent().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned()));
            continue;
        }
        let job = Job {
            kernel: kernel.clone(),
            lowering,
            fabric: Some(args.fabric.clone()),
            pins: Vec::new(),
            mapper: Mapper::annealer(1, None),
        };
        let ready = prepare(session, &job, None)?;
        ready.write(out)?;
        for path in cases(kernel.parent().unwrap_or(Path::new(".")))? {
            let (report, case, runs) = ran(session, &ready, &path, None, &Verilog::Built(&built))?;
            reports.push(report);
            // One page is enough to look at: that of a kernel with loops in loops and memory.
            if kernel.ends_with(SHOWN.0) && path.ends_with(SHOWN.1) {
                let run = view::record(&ready, &case, &path, &runs, &Record::new())?;
                page = view::write(&ready, 1, Some(run), out)?.into_iter().next();
            }
        }
    }
    let models = format!("golden model, native cycle model and Verilog on {}", fabric.name());
    let code = show(session, &reports, &models);
    if !software.is_empty() {
        session.add(&format!("in software only, by `loom interp`: {}\n", software.join(" ")));
    }
    let example = args.out.join("sum.*.map.txt");
    session.add(&format!("everything made is in {}; read {}\n", args.out.display(), example.display()));
    if let Some(page) = page {
        session.add(&format!("open {}: where every op is, and the run played back\n", page.display()));
    }
    Ok(code)
}
