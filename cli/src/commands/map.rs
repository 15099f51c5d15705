//! `loom map`, and the mapping step of the commands that run things.

use crate::args::{Job, Map};
use crate::files;
use crate::session::{Failure, Kernel, Session};
use loom_adg::Fabric;
use loom_adg::Image;
use loom_base::Diagnostic;
use loom_dfg::Graph;
use loom_front::compile::Compiled;
use loom_map::deadlock::{self, Verdict};
use loom_map::Mapped;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// A kernel mapped onto a fabric, with its bitstream.
pub struct Ready {
    /// The kernel.
    pub graph: Graph,
    /// What it was compiled from, when it was.
    pub compiled: Option<Box<Compiled>>,
    /// The fabric.
    pub fabric: Fabric,
    /// The mapping.
    pub mapped: Mapped,
    /// The bitstream.
    pub image: Image,
    /// Seed of the mapper.
    pub seed: u64,
    /// Milliseconds the mapper took; only reported.
    pub map_ms: f64,
}

/// Reads kernel and fabric, maps (or reads a mapping), packs, and decodes again: an image that does not decode to its
/// mapping is never used.
pub fn prepare(session: &Session, job: &Job, mapping: Option<&Path>) -> Result<Ready, Failure> {
    let fabric = session.fabric(&job.fabric)?;
    let width = fabric.index_width();
    let Kernel { source, graph, compiled } =
        session.kernel(&job.kernel, &job.lowering, Some(&fabric), width)?;
    let start = Instant::now();
    let mapped = match mapping {
        Some(path) => {
            let text = files::read_text(path)?;
            loom_map::report::read_json(&graph, &fabric, &text.text).map_err(|d| Failure::new(&text, d))?
        }
        None => {
            let bar = session.progress("mapping");
            let options = loom_map::Options {
                seed: job.seed,
                memory_latency: job.memory_latency,
                ..loom_map::Options::default()
            };
            let mapped =
                loom_map::map(&graph, &fabric, &options, &mut |what, _| bar.set_message(what.to_string()));
            bar.finish_and_clear();
            mapped.map_err(|d| Failure::new(&source, d))?
        }
    };
    let map_ms = start.elapsed().as_secs_f64() * 1e3;
    let image = loom_map::config::image(&graph, &fabric, &mapped.mapping);
    let (decoded, warnings) = loom_gen::decode(&fabric, &image).map_err(Failure::plain)?;
    let same = decoded.matches(&graph, &fabric, &mapped.mapping);
    if let Some(why) = same.err().or(warnings.first().map(|w| w.message.clone())) {
        let message = format!("the bitstream does not decode to the mapping: {why}");
        return Err(Failure::plain(vec![Diagnostic::error(loom_gen::codes::ROUTE_STRAY, message)
            .help("this is a fault of loom: please report it with the kernel and the fabric")]));
    }
    Ok(Ready { graph, compiled, fabric, mapped, image, seed: job.seed, map_ms })
}

impl Ready {
    /// `<dfg>.<adg>`, the stem of everything that holds both.
    pub fn stem(&self) -> String {
        format!("{}.{}", self.graph.name, self.fabric.name())
    }

    /// Writes mapping and bitstream into a folder.
    pub fn write(&self, out: &Path) -> Result<(), Failure> {
        let fabric = &self.fabric;
        if let Some(compiled) = &self.compiled {
            super::compile::write(compiled, out)?;
        }
        let write = |suffix: &str, text: &str| {
            files::write(&out.join(format!("{}.{suffix}", self.stem())), text.as_bytes())
        };
        write("map.json", &loom_map::report::json(&self.graph, fabric, self.seed, &self.mapped))?;
        write("map.txt", &self.text())?;
        let names = loom_gen::patch::names(&self.graph, fabric, &self.mapped.mapping);
        let bases = loom_gen::patch::bases(fabric, &self.image, &names);
        let json = loom_gen::config::config_json(fabric, &self.image, &names);
        write("config.json", &super::generate::pretty(&json))?;
        write("config.h", &loom_gen::config::config_h(fabric, &self.graph.name, &self.image, &bases))?;
        files::write(&out.join(format!("{}.config.bin", self.stem())), &self.image.to_bytes())
    }

    /// Whether the mapping can deadlock.
    fn certify(&self) -> Verdict {
        let fabric = &self.fabric;
        let options = deadlock::Options::default();
        deadlock::certify(&self.graph, fabric, &self.mapped.mapping, &options)
    }

    /// The mapping as text.
    pub fn text(&self) -> String {
        let fabric = &self.fabric;
        loom_map::report::text(&self.graph, fabric, self.seed, &self.mapped)
    }
}

/// Runs the subcommand.
pub fn run(session: &Session, args: &Map) -> Result<ExitCode, Failure> {
    let ready = prepare(session, &args.job, None)?;
    ready.write(&args.out)?;
    let timing = &ready.mapped.timing;
    let verdict = args.certify.then(|| ready.certify());
    let said = verdict.as_ref().map_or(String::new(), |v| format!("\n{v}\n"));
    let text =
        format!("{}{said}\nwritten to {}\n", ready.text(), args.out.join(ready.stem() + ".*").display());
    session.result(
        json!({
            "ok": true,
            "kernel": ready.graph.name,
            "fabric": ready.fabric.name(),
            "fabric_hash": ready.fabric.hash(),
            "ops": ready.graph.nodes.len(),
            "mii": timing.mii,
            "mii_ops": ready.mapped.mii_ops,
            "expected_ii": timing.ii,
            "fill": timing.fill,
            "map_ms": ready.map_ms,
            "config_words": ready.image.words.len(),
            "deadlock": verdict.map(|v| v.to_string()),
        }),
        &text,
    );
    Ok(ExitCode::SUCCESS)
}
