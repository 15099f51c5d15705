//! `loom fuzz`: random programs, or random fabrics, until the time is up.

use super::verilog::cache;
use crate::args::Fuzz;
use crate::files;
use crate::session::{Failure, Session};
use loom_cosim::{verilate, BuildOptions};
use loom_fuzz::fabrics::{check_fabric, FabricEffort, FabricSummary, MappedSummary};
use loom_fuzz::{files as program_files, fuzz, structured, Target};
use loom_testkit::differential::{hunt, Difference, Settings};
use loom_testkit::random_fabric::toml_of;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Failing structured programs after which the search for more stops.
const MOST_FAILURES: usize = 10;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Fuzz) -> Result<ExitCode, Failure> {
    if args.fabrics {
        return fabrics(session, args);
    }
    let f = session.fabric(&args.fabric)?;
    let bar = session.progress("building the Verilog model (kept for the next run)");
    let options = BuildOptions { trace: false, optimise: true };
    let built = verilate(&f, options, &cache()).map_err(Failure::plain)?;
    let target = Target { fabric: &f, options: loom_map::MapOptions::default() };
    let start = Instant::now();
    let end = start + Duration::from_secs(args.minutes * 60);
    // A quarter of the time for structured programs against their graphs, which need no fabric; a quarter for random
    // graphs; the rest for structured programs with memory on the fabric.
    let settings = Settings { schedules: 4, seed: 0, max_steps: 20_000 };
    let mut hunted: Vec<Box<Difference>> = Vec::new();
    let mut programs = 0;
    while Instant::now() < start + (end - start) / 4 && hunted.len() < MOST_FAILURES {
        let seed = args.seed.wrapping_add(programs);
        hunted.extend(hunt(seed, &settings).err());
        programs += 1;
        if programs.is_multiple_of(100) {
            bar.set_message(format!("{programs} structured programs, {} failures", hunted.len()));
        }
    }
    let half = start + (end - start) / 2;
    let summary =
        fuzz(&target, Some(&built), args.seed, &|| Instant::now() >= half, &mut |programs, failures| {
            bar.set_message(format!("{programs} graphs, {failures} failures"));
        });
    let over = || Instant::now() >= end;
    let memory = structured::fuzz(&target, Some(&built), args.seed, &over, &mut |programs, failures| {
        bar.set_message(format!("{programs} programs with memory, {failures} failures"));
    });
    bar.finish_and_clear();
    let mut text =
        format!("{programs} structured programs from seed {}, {} failed\n", args.seed, hunted.len());
    let mut list = Vec::new();
    for failure in &hunted {
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
        list.push(json!({ "seed": failure.seed, "message": failure.message, "files": [path.display().to_string()] }));
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
        list.push(
            json!({ "seed": failure.program.seed, "message": failure.message, "files": names(&paths) }),
        );
    }
    text += &format!(
        "{} programs with memory from seed {}, {} of {} graphs fitted the fabric, {} ran through Verilog, {} failed\n",
        memory.programs,
        args.seed,
        memory.fitted,
        2 * memory.programs,
        memory.verilog,
        memory.failures.len()
    );
    for failure in &memory.failures {
        let mut paths = Vec::new();
        for (name, content) in structured::files(&failure.program, failure.order, &target) {
            let path = args.out.join(name);
            files::write(&path, content.as_bytes())?;
            paths.push(path);
        }
        let program = &failure.program;
        text.push_str(&format!(
            "\nseed {}, {} operations shrunk to {}: {}\n",
            program.seed,
            failure.drawn_operations,
            structured::operations(program),
            failure.message
        ));
        text.push_str(&match &paths[..] {
            [kernel, case] => format!(
                "  loom run {} --fabric {} --case {} --order {} --seed {} -o rtl-out/fail\n",
                kernel.display(),
                args.fabric.display(),
                case.display(),
                format!("{:?}", failure.order).to_lowercase(),
                program.map_seed
            ),
            _ => format!("  loom compile {} -o rtl-out/fail\n", paths[0].display()),
        });
        list.push(json!({ "seed": program.seed, "message": failure.message, "files": names(&paths) }));
    }
    let ok = memory.failures.is_empty() && summary.failures.is_empty() && hunted.is_empty();
    session.result(
        json!({
            "ok": ok,
            "structured": programs,
            "programs": summary.programs,
            "memory_programs": memory.programs,
            "failures": list,
        }),
        &text,
    );
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Images and graphs of each random fabric; longer Verilog takes too long to build.
const EFFORT: FabricEffort = FabricEffort { images: 200, graphs: 24, longest: 300_000 };

/// Random fabrics under random images, and under graphs that fit them, until the time is up. Their models are kept nowhere.
fn fabrics(session: &Session, args: &Fuzz) -> Result<ExitCode, Failure> {
    let end = Instant::now() + Duration::from_secs(args.minutes * 60);
    let more = || Instant::now() < end;
    let bar = session.progress("random fabrics");
    let cache = args.out.join("models");
    let mut summary = FabricSummary::default();
    let mut seed = args.seed;
    let failed = |summary: &FabricSummary| summary.failures.len() + summary.mapped.failures.len();
    while more() && failed(&summary) < MOST_FAILURES {
        check_fabric(seed, &EFFORT, &cache, &mut summary, &more);
        seed = seed.wrapping_add(1);
        forget(&cache);
        bar.set_message(format!("{} fabrics, {} failures", summary.fabrics, failed(&summary)));
    }
    bar.finish_and_clear();
    let FabricSummary { fabrics, too_long, images, refused, stopped, moved, cycles, failures, mapped } =
        &summary;
    let mut text = format!(
        "{fabrics} random fabrics from seed {} to {}, {too_long} more were too long to build; {images} images, {refused} refused, \
         {stopped} stopped on an error, {moved} moved tokens out; {cycles} cycles; {} failed\n",
        args.seed,
        seed.wrapping_sub(1),
        failures.len()
    );
    let mut list = Vec::new();
    for failure in failures {
        let mut paths = Vec::new();
        for (name, content) in failure.files() {
            let path = args.out.join(name);
            files::write(&path, &content)?;
            paths.push(path);
        }
        text.push_str(&format!(
            "\nseed {}, {} components shrunk to {}: {}\n  loom cosim {} --fabric {} --case {}\n",
            failure.seed,
            failure.components.0,
            failure.components.1,
            failure.message,
            paths[1].display(),
            paths[0].display(),
            paths[2].display()
        ));
        list.push(json!({ "seed": failure.seed, "message": failure.message, "files": names(&paths) }));
    }
    text += &mapped_text(mapped, &args.out, &mut list)?;
    let ok = failed(&summary) == 0;
    session.result(
        json!({
            "ok": ok,
            "fabrics": fabrics,
            "images": images,
            "cycles": cycles,
            "graphs": mapped.drawn,
            "mapped": mapped.mapped,
            "failures": list,
        }),
        &text,
    );
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What came of graphs that were mapped onto random fabrics; writes those that failed.
fn mapped_text(
    mapped: &MappedSummary,
    out: &Path,
    list: &mut Vec<serde_json::Value>,
) -> Result<String, Failure> {
    let MappedSummary { drawn, mapped: fitted, nodes, verilog, cycles, failures } = mapped;
    let mut text = format!(
        "{drawn} graphs for them, {fitted} fitted with {nodes} nodes, {verilog} ran through Verilog; {cycles} cycles; {} failed\n",
        failures.len()
    );
    for (fabric, failure) in failures {
        let seed = failure.program.seed;
        let fabric = (format!("fabric{seed}.toml"), toml_of(fabric.adg()));
        let mut paths = Vec::new();
        for (name, content) in program_files(&failure.program).into_iter().chain([fabric]) {
            let path = out.join(name);
            files::write(&path, content.as_bytes())?;
            paths.push(path);
        }
        let [kernel, case, fabric] = [0, 1, 2].map(|k| paths[k].display());
        text.push_str(&format!(
            "\nseed {seed}, {} ops shrunk to {}: {}\n  loom run {kernel} --fabric {fabric} --case {case} -o rtl-out/fail\n",
            failure.drawn_ops,
            failure.program.graph.nodes.len(),
            failure.message,
        ));
        list.push(json!({ "seed": seed, "message": failure.message, "files": names(&paths) }));
    }
    Ok(text)
}

/// Removes the models of fabrics that will not be drawn again; what all share stays.
fn forget(cache: &Path) {
    let Ok(entries) = std::fs::read_dir(cache) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".so") || name.ends_with(".so.sha256") {
            // What cannot be removed harms nobody but the disk.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Paths as JSON has them.
fn names(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|p| p.display().to_string()).collect()
}
