//! `loom map`, and the mapping step of the commands that run things.

use crate::args::{Job, Map};
use crate::files::{self, OutDir};
use crate::session::{decided_without_mapping, Failure, Session, Uncompiled, OPTION};
use crate::time_limit::TimeLimit;
use loom_adg::Fabric;
use loom_base::{Diagnostic, Name, Source};
use loom_flow::accept::sample;
use loom_flow::copies::{self, Copies};
use loom_flow::{compile_for, fit, load, name_another, Configured, Kernel, Report};
use loom_front::compile::{Aim, CompileOptions};
use loom_map::{MapOptions, Unmapped};
use serde_json::json;
use std::fmt;
use std::num::NonZeroU32;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Name of the case of a kernel that comes without.
const MADE_UP: &str = "made up";

/// A kernel on its fabric, and how it came there.
pub struct Ready {
    /// Kernel, fabric, mapping and bitstream.
    pub configured: Configured,
    /// The kernel's text.
    pub source: Source,
    /// Seed of the mapper.
    pub seed: u64,
    /// Milliseconds the mapper took; only reported.
    pub map_ms: f64,
}

/// Reads kernel and fabric, and maps, or reads a mapping. Where no fabric is named it is the smallest that holds the kernel, and
/// which one is said.
pub fn prepare(session: &Session, job: &Job, mapping: Option<&Path>) -> Result<Ready, Failure> {
    prepare_or(session, job, mapping, &|_, _, _, _| {})
}

/// What is told of a kernel that does not map onto a fabric.
pub type OnFailure<'a> = &'a (dyn Fn(&Kernel, &Source, &Fabric, &Unmapped) + Sync);

/// As [`prepare`]; `failed` hears of a kernel as it is written that does not map, before that is an error.
pub fn prepare_or(
    session: &Session,
    job: &Job,
    mapping: Option<&Path>,
    failed: OnFailure,
) -> Result<Ready, Failure> {
    if mapping.is_some() {
        decided_without_mapping(&job.lowering)?;
        no_pins(job, "a mapping that is read has its ports")?;
    }
    let program = session.program(&job.kernel, &job.lowering)?;
    let seed = job.mapper.seed;
    let options = job.mapper.options();
    let _limit = job.mapper.time_limit.map(|seconds| TimeLimit::start(session, seconds));
    let wanted = job.lowering.passes.aim();
    let place = |fabric: &Fabric, options: &MapOptions, copies: Option<NonZeroU32>, aim: Aim| {
        let compile = |o| program.kernel(CompileOptions { copies, ..o });
        let mut kernel = compile_for(fabric, wanted, aim, &compile)?.on(fabric);
        kernel.pins = job.pins.clone();
        let bar = session.progress("mapping");
        let start = Instant::now();
        let mut progress = |what: &str, _| bar.set_message(format!("{what} on {}", fabric.name()));
        let configured = Configured::try_map(kernel.clone(), fabric, options, &mut progress);
        bar.finish_and_clear();
        let configured = configured.map_err(|unmapped| {
            if copies.is_none() && aim == wanted.unwrap_or_default() {
                failed(&kernel, &program.source, fabric, &unmapped);
            }
            unmapped.diagnostics
        });
        Ok((configured?, start.elapsed().as_secs_f64() * 1e3))
    };
    let fail = |d| Failure::new(&program.source, d);
    let named = job.fabric.as_deref().map(|path| session.fabric(path)).transpose()?;
    if let (Some(path), Some(fabric)) = (mapping, &named) {
        let configured = read_mapping(&program, fabric, path)?;
        return Ok(Ready { configured, source: program.source, seed, map_ms: 0.0 });
    }
    let first = |f: &Fabric, options: &MapOptions, aim| place(f, options, None, aim);
    let compiled = |fabric: &Fabric| {
        program.kernel(CompileOptions { aim: wanted.unwrap_or_default(), ..load::lowering(fabric) })
    };
    let (mut placed, aim) = fit(wanted, named.as_ref(), &options, &first)
        .map_err(|why| fail(name_another(why, named.as_ref(), &options, &compiled)))?;
    if named.is_none() {
        session.say(&format!("fabric: {}, as none is named (docs/mapping.md)", placed.0.fabric.name()));
    }
    session.say_aim(wanted, aim);
    if job.lowering.passes.copies == Copies::Fastest && wanted.unwrap_or_default() == aim {
        let fabric = placed.0.fabric.clone();
        let mut again = |copies| place(&fabric, &options, Some(copies), aim);
        let (faster, copies) = copies::choose(placed, |(c, _)| c.speed(), &mut again);
        session.say(&format!("iterations of innermost loops at once: {copies}"));
        placed = faster;
    }
    let (configured, map_ms) = placed;
    Ok(Ready { configured, source: program.source, seed, map_ms })
}

/// Refuses pins where nothing is mapped.
fn no_pins(job: &Job, why: &str) -> Result<(), Failure> {
    match job.pins.is_empty() {
        true => Ok(()),
        false => Err(Failure::plain(vec![Diagnostic::error(
            OPTION,
            format!("`--port` has no effect here: {why}"),
        )
        .help("leave it out, or map the kernel anew")])),
    }
}

/// A mapping does not say what its program was compiled for: it is that of the aim whose graph it is of.
fn read_mapping(program: &Uncompiled, fabric: &Fabric, path: &Path) -> Result<Configured, Failure> {
    let text = files::read_text(path)?;
    let read = |aim| {
        let kernel = program.kernel(CompileOptions { aim, room: None, ..load::lowering(fabric) });
        let kernel = kernel.map_err(|d| Failure::new(&program.source, d))?.on(fabric);
        loom_map::report::read_json(&kernel.graph, fabric, &text.text)
            .and_then(|mapped| Configured::with_mapping(kernel, fabric, mapped))
            .map_err(|d| Failure::new(&text, d))
    };
    read(Aim::Speed).or_else(|why| read(Aim::Room).map_err(|_| why))
}

impl Ready {
    /// Kernel and fabric: what everything is called that holds both.
    pub fn names(&self) -> [&Name; 2] {
        [&self.configured.graph().name, self.configured.fabric.name()]
    }

    /// Writes mapping and bitstream into a folder.
    pub fn write(&self, out: OutDir) -> Result<(), Failure> {
        let Configured { kernel, fabric, mapped, image, .. } = &self.configured;
        let graph = &kernel.graph;
        super::compile::write(kernel, out)?;
        let write = |suffix: &'static str, text: &str| out.write(&self.names(), suffix, text.as_bytes());
        write("map.json", &loom_map::report::json(graph, fabric, self.seed, mapped))?;
        write("map.txt", &self.text())?;
        let names = loom_gen::patch::names(graph, fabric, &mapped.mapping, &|name| kernel.promised(name));
        let bases = loom_gen::patch::bases(fabric, image, &names);
        let pins = loom_gen::config::pins(graph, fabric, &mapped.mapping);
        let mut json = loom_gen::config::config_json(fabric, image, &names);
        json["ports"] = loom_gen::config::pins_json(&pins);
        write("config.json", &super::generate::pretty(&json))?;
        write("config.h", &loom_gen::config::config_h(fabric, &graph.name, image, &bases, &pins))?;
        out.write(&self.names(), "config.bin", &image.to_bytes())?;
        Ok(())
    }

    /// The mapping as text.
    pub fn text(&self) -> String {
        let Configured { kernel, fabric, mapped, .. } = &self.configured;
        loom_map::report::text(&kernel.graph, fabric, self.seed, mapped, Some(&self.source))
    }
}

/// What a mapping ran before it was written.
enum Ran {
    /// This case.
    Case(Box<Report>),
    /// Nothing: no case that was made up ends.
    NoCase,
    /// Nothing, as it was asked for.
    NotAsked,
}

/// Runs a mapping in the native model.
fn accept(ready: &Ready, args: &Map) -> Result<Ran, Failure> {
    let configured = &ready.configured;
    let (source, report) = match &args.case {
        _ if args.no_run => return Ok(Ran::NotAsked),
        Some(path) => {
            let source = files::read_text(path)?;
            let case = configured.case(&source).map_err(|d| Failure::new(&source, d))?;
            let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            let report = configured.accept(&case, &name);
            (source, report)
        }
        None => match sample(&configured.kernel, configured.fabric.index_width(), ready.seed) {
            Some((case, software)) => {
                (Source::new("", ""), configured.accept_after(&case, MADE_UP, software))
            }
            None => return Ok(Ran::NoCase),
        },
    };
    let report = report.map_err(|d| Failure::of_run(&ready.source, &source, d))?;
    Ok(Ran::Case(Box::new(report)))
}

impl Ran {
    fn json(&self) -> serde_json::Value {
        match self {
            Ran::Case(report) => {
                json!({ "case": report.case, "cycles": report.native_cycles, "ii": report.ii })
            }
            Ran::NoCase | Ran::NotAsked => serde_json::Value::Null,
        }
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ran::Case(r) if r.case == MADE_UP => {
                write!(f, "ran in the native model with small random numbers: {} cycles", r.native_cycles)
            }
            Ran::Case(r) => {
                write!(
                    f,
                    "ran `{}` in the native model: {} cycles, interval {:.2}",
                    r.case, r.native_cycles, r.ii
                )
            }
            Ran::NoCase => {
                write!(f, "did not run: on no small numbers that were tried does the kernel end; give it a `--case`")
            }
            Ran::NotAsked => write!(f, "did not run, as `--no-run` says"),
        }
    }
}

/// Runs the subcommand.
pub fn run(session: &Session, args: &Map) -> Result<ExitCode, Failure> {
    let ready = prepare(session, &args.job, None)?;
    let ran = accept(&ready, args)?;
    let out = OutDir(&args.out);
    ready.write(out)?;
    let Configured { kernel, fabric, mapped, image, .. } = &ready.configured;
    let timing = &mapped.timing;
    let verdict = args.certify.then(|| ready.configured.certify());
    let proof = mapped.proof;
    let proved = proof.map_or(String::new(), |p| format!("\n{p}\n"));
    let said = verdict.as_ref().map_or(String::new(), |v| format!("\n{v}\n"));
    let written = out.path(&ready.names(), "*");
    let text = format!("{}{proved}{said}\n{ran}\nwritten to {}\n", ready.text(), written.display());
    session.result(
        json!({
            "ok": true,
            "kernel": kernel.graph.name.as_str(),
            "fabric": fabric.name().as_str(),
            "fabric_hash": fabric.hash(),
            "ops": kernel.graph.nodes.len(),
            "mii": timing.mii,
            "mii_ops": mapped.mii_ops,
            "expected_ii": timing.ii,
            "engine": if proof.is_some() { "exact" } else { "anneal" },
            "lower_bound": proof.map(|p| p.lower_bound),
            "proved": proof.map(|p| p.reaches(timing.ii)),
            "proved_mii": proof.filter(|p| p.is_optimal()).map(|p| p.best_mii),
            "fill": timing.fill,
            "map_ms": ready.map_ms,
            "config_words": image.words.len(),
            "run": ran.json(),
            "deadlock": verdict.map(|v| v.to_string()),
        }),
        &text,
    );
    Ok(ExitCode::SUCCESS)
}
