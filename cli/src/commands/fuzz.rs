//! `loom fuzz`: random programs until the time is up.

use super::simulate::cache;
use crate::args::Fuzz;
use crate::files;
use crate::session::{Failure as Stop, Session};
use loom_front::differential::{hunt, Failure, Settings};
use loom_verif::fuzz::{files as program_files, fuzz, Target};
use loom_verif::model::BuildOptions;
use loom_verif::run::verilate;
use serde_json::json;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Failing structured programs after which the search for more stops.
const MOST_FAILURES: usize = 10;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Fuzz) -> Result<ExitCode, Stop> {
    let f = session.fabric(&args.fabric)?;
    let bar = session.progress("building the Verilog model (kept for the next run)");
    let options = BuildOptions { trace: false, optimise: true };
    let built = verilate(&f.adg, &f.flat, &f.layout, options, &cache()).map_err(Stop::plain)?;
    let target =
        Target { adg: &f.adg, flat: &f.flat, layout: &f.layout, options: loom_map::Options::default() };
    let start = Instant::now();
    let end = start + Duration::from_secs(args.minutes * 60);
    // A quarter of the time for structured programs against their graphs: they need no fabric.
    let settings = Settings { schedules: 4, seed: 0, max_steps: 20_000 };
    let mut structured: Vec<Box<Failure>> = Vec::new();
    let mut programs = 0;
    while Instant::now() < start + (end - start) / 4 && structured.len() < MOST_FAILURES {
        let seed = args.seed.wrapping_add(programs);
        structured.extend(hunt(seed, &settings).err());
        programs += 1;
        if programs.is_multiple_of(100) {
            bar.set_message(format!("{programs} structured programs, {} failures", structured.len()));
        }
    }
    let summary =
        fuzz(&target, Some(&built), args.seed, &|| Instant::now() >= end, &mut |programs, failures| {
            bar.set_message(format!("{programs} programs, {failures} failures"));
        });
    bar.finish_and_clear();
    let mut text =
        format!("{programs} structured programs from seed {}, {} failed\n", args.seed, structured.len());
    let mut list = Vec::new();
    for failure in &structured {
        let path = args.out.join(format!("seed{}.scf.mlir", failure.seed));
        files::write(&path, failure.text.as_bytes())?;
        text.push_str(&format!(
            "\nseed {}, {} operations shrunk to {}: {}\n  {}\n",
            failure.seed,
            failure.operations.0,
            failure.operations.1,
            failure.message,
            path.display()
        ));
        list.push(json!({ "seed": failure.seed, "message": failure.message, "files": [path] }));
    }
    text += &format!(
        "{} graphs from seed {}, {} fitted the fabric, {} ran through Verilog, {} failed\n",
        summary.programs,
        args.seed,
        summary.fitted,
        summary.verilog,
        summary.failures.len()
    );
    for failure in &summary.failures {
        let mut paths = Vec::new();
        for (name, content) in program_files(&failure.program) {
            let path = args.out.join(name);
            files::write(&path, content.as_bytes())?;
            paths.push(path);
        }
        let (kernel, case) = (paths[0].display(), paths[1].display());
        text.push_str(&format!(
            "\nseed {}, {} ops shrunk to {}: {}\n  loom run {kernel} --fabric {} --case {case} -o rtl-out/fail\n",
            failure.program.seed,
            failure.drawn_ops,
            failure.program.graph.nodes.len(),
            failure.message,
            args.fabric.display()
        ));
        list.push(json!({ "seed": failure.program.seed, "message": failure.message, "files": paths }));
    }
    let ok = summary.failures.is_empty() && structured.is_empty();
    session.result(
        json!({ "ok": ok, "structured": programs, "programs": summary.programs, "failures": list }),
        &text,
    );
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
