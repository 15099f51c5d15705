//! `loom fuzz`: random programs until the time is up.

use super::simulate::cache;
use crate::args::Fuzz;
use crate::files;
use crate::session::{Failure, Session};
use loom_verif::fuzz::{files as program_files, fuzz, Target};
use loom_verif::model::BuildOptions;
use loom_verif::run::verilate;
use serde_json::json;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Runs the subcommand.
pub fn run(session: &Session, args: &Fuzz) -> Result<ExitCode, Failure> {
    let f = session.fabric(&args.fabric)?;
    let bar = session.progress("building the Verilog model (kept for the next run)");
    let options = BuildOptions { trace: false, optimise: true };
    let built = verilate(&f.adg, &f.flat, &f.layout, options, &cache()).map_err(Failure::plain)?;
    let target =
        Target { adg: &f.adg, flat: &f.flat, layout: &f.layout, options: loom_map::Options::default() };
    let end = Instant::now() + Duration::from_secs(args.minutes * 60);
    let summary =
        fuzz(&target, Some(&built), args.seed, &|| Instant::now() >= end, &mut |programs, failures| {
            bar.set_message(format!("{programs} programs, {failures} failures"));
        });
    bar.finish_and_clear();
    let mut text = format!(
        "{} programs from seed {}, {} fitted the fabric, {} ran through Verilog, {} failed\n",
        summary.programs,
        args.seed,
        summary.fitted,
        summary.verilog,
        summary.failures.len()
    );
    let mut list = Vec::new();
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
    let ok = summary.failures.is_empty();
    session.result(json!({ "ok": ok, "programs": summary.programs, "failures": list }), &text);
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
