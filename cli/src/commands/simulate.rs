//! `loom sim`, `loom cosim` and `loom run`: a case through the models.

use super::map::{prepare, Ready};
use super::verilog::{fabric_model, Verilog};
use super::view;
use crate::args::{Cosim, Run, Sim};
use crate::files::{self, OutDir};
use crate::session::{form, Failure, Session};
use loom_base::table::aligned;
use loom_base::Name;
use loom_flow::load::Format;
use loom_flow::{Report, Runs};
use loom_sim::Case;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs a case of a mapped kernel through the models, with memory as `args` say.
pub fn simulate(
    session: &Session,
    ready: &Ready,
    path: &Path,
    args: Option<&Sim>,
    verilog: &Verilog,
) -> Result<Report, Failure> {
    ran(session, ready, path, args, verilog).map(|(report, ..)| report)
}

/// As [`simulate`], with the case and what the models made of it.
pub fn ran(
    session: &Session,
    ready: &Ready,
    path: &Path,
    args: Option<&Sim>,
    verilog: &Verilog,
) -> Result<(Report, Case, Runs), Failure> {
    let configured = &ready.configured;
    let source = files::read_text(path)?;
    let mut case = configured.case(&source).map_err(|d| Failure::new(&source, d))?;
    if let Some(args) = args {
        case.axi = args.axi(case.axi);
    }
    let fail = |d| Failure::of_run(&ready.source, &source, d);
    let bar = session.progress("golden and native model");
    let mut runs = configured.simulate(&case).map_err(fail)?;
    if let Some(mut driven) = fabric_model(&bar, &configured.fabric, runs.native.cycles, verilog)? {
        bar.set_message("running the Verilog");
        let ran = configured.cosimulate(&case, &mut runs, &mut driven.model).map_err(fail);
        // Waves are of use when something went wrong, too.
        let written = driven.finish();
        ran?;
        written?;
    }
    bar.finish_and_clear();
    let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let report = Report { map_ms: ready.map_ms, ..configured.report(&case, &name, &runs) };
    Ok((report, case, runs))
}

/// Prints reports as one table, or a single one as one object.
pub fn show(session: &Session, reports: &[Report], models: &str) -> ExitCode {
    let ok = reports.iter().all(|r| r.ok);
    let mut text = table(reports);
    for report in reports.iter().filter(|r| !r.ok) {
        session.problems(&format!("{} {}", report.kernel, report.case), &report.problems);
    }
    text.push_str(&match ok {
        true => format!("\nall agree: {models}\n"),
        false => {
            format!("\n{} of {} failed: {models}\n", reports.iter().filter(|r| !r.ok).count(), reports.len())
        }
    });
    let json = match reports {
        [one] => serde_json::to_value(one),
        many => serde_json::to_value(many).map(|runs| serde_json::json!({ "ok": ok, "runs": runs })),
    };
    session.result(json.expect("plain data"), &text);
    if ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    }
}

fn table(reports: &[Report]) -> String {
    let rows: Vec<[String; Report::HEAD.len()]> =
        [Report::HEAD.map(String::from)].into_iter().chain(reports.iter().map(Report::row)).collect();
    aligned(&rows, 2)
}

/// Runs `loom sim`.
pub fn sim(session: &Session, args: &Sim) -> Result<ExitCode, Failure> {
    if form(&args.job.kernel) == Format::Bitstream {
        return super::bitstream::run(session, args, &Verilog::No);
    }
    let ready = prepare(session, &args.job, args.map.as_deref())?;
    let report = simulate(session, &ready, &args.case, Some(args), &Verilog::No)?;
    Ok(show(session, &[report], "golden model and native cycle model"))
}

/// What agreed, in words.
fn all_models(ready: &Ready) -> &'static str {
    match ready.configured.kernel.compiled {
        Some(_) => "structured program, golden model, native cycle model and Verilog",
        None => "golden model, native cycle model and Verilog",
    }
}

fn through_verilog(
    session: &Session,
    ready: &Ready,
    args: &Sim,
    waves: Option<&Path>,
) -> Result<(Report, Case, Runs), Failure> {
    ran(session, ready, &args.case, Some(args), &Verilog::Yes { waves })
}

/// Runs `loom cosim`.
pub fn cosim(session: &Session, args: &Cosim) -> Result<ExitCode, Failure> {
    if form(&args.sim.job.kernel) == Format::Bitstream {
        return super::bitstream::run(session, &args.sim, &Verilog::Yes { waves: args.waves.as_deref() });
    }
    let ready = prepare(session, &args.sim.job, args.sim.map.as_deref())?;
    let (report, ..) = through_verilog(session, &ready, &args.sim, args.waves.as_deref())?;
    Ok(show(session, &[report], all_models(&ready)))
}

/// The page and the trace of a run, where they are wanted.
fn pages(
    ready: &Ready,
    args: &Run,
    case: &Case,
    runs: &Runs,
) -> Result<Vec<(&'static str, PathBuf)>, Failure> {
    let mut pages = Vec::new();
    if args.view || args.record.trace {
        let run = view::record(ready, case, &args.sim.case, runs, &args.record)?;
        if args.record.trace {
            pages.push(("trace:   ", view::trace(ready, &run, OutDir(&args.out))?));
        }
        if args.view {
            let written =
                view::write(ready, args.sim.job.mapper.memory_latency, Some(run), OutDir(&args.out))?;
            pages.push(("page:    ", written[0].clone()));
        }
    }
    Ok(pages)
}

/// Runs `loom run`.
pub fn run(session: &Session, args: &Run) -> Result<ExitCode, Failure> {
    let ready = prepare(session, &args.sim.job, args.sim.map.as_deref())?;
    let out = OutDir(&args.out);
    ready.write(out)?;
    super::generate::write_fabric(&ready.configured.fabric, &args.out.join("rtl"))?;
    let (report, case, runs) = through_verilog(session, &ready, &args.sim, args.waves.as_deref())?;
    let pages = pages(&ready, args, &case, &runs)?;
    let json = serde_json::to_value(&report).expect("plain data");
    // A case is called like its file, which may have any name.
    let name = Name::hyphenated(&report.case).unwrap_or_else(|| Name::cleaned(&report.case, "case"));
    let [kernel, fabric] = ready.names();
    out.write(&[kernel, fabric, &name], "report.json", super::generate::pretty(&json).as_bytes())?;
    let code = show(session, &[report], all_models(&ready));
    session.add(&format!("mapping: {}\n", out.path(&ready.names(), "map.txt").display()));
    if let Some(waves) = &args.waves {
        session.add(&format!("waves:   {}\n", waves.display()));
    }
    for (what, path) in pages {
        session.add(&format!("{what}{}\n", path.display()));
    }
    Ok(code)
}
