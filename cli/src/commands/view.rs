//! `loom view`: pages that show a fabric, a graph, or a graph on a fabric.

use super::map::{prepare_or, Ready};
use crate::args::{Record, Show};
use crate::files::{self, OutDir};
use crate::session::{form, Failure, Session};
use loom_adg::Fabric;
use loom_base::Name;
use loom_flow::load::Format;
use loom_flow::{Kernel, Runs};
use loom_front::compile::CompileOptions;
use loom_map::Unmapped;
use loom_sim::Case;
use loom_view::{json, picture, FabricView, GraphView, MappingFile, MappingView, Page, RunView};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Show) -> Result<ExitCode, Failure> {
    if let Some(schema) = args.schema.as_deref().and_then(loom_view::schema) {
        let text = format!("{schema:#}\n");
        session.result(schema, &text);
        return Ok(ExitCode::SUCCESS);
    }
    // clap asks for both where no schema is wanted.
    let (Some(what), Some(out)) = (&args.what, &args.out) else { return Ok(ExitCode::from(2)) };
    let out = OutDir(out);
    let written = match (&args.fabric, form(what)) {
        (None, Format::Toml | Format::FabricMlir) => fabric(session, what, args.svg, out)?,
        (None, _) => graph(session, what, args, out)?,
        (Some(_), _) => on_fabric(session, what, args, out)?,
    };
    let page = written[0].display().to_string();
    let files: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
    session.result(json!({ "ok": true, "page": page, "written": files }), &format!("open {page}\n"));
    Ok(ExitCode::SUCCESS)
}

/// A fabric alone: its page, and its data.
fn fabric(session: &Session, what: &Path, svg: bool, out: OutDir) -> Result<Vec<PathBuf>, Failure> {
    let fabric = session.fabric(what)?;
    let view = FabricView::new(&fabric);
    let data = out.write(&[fabric.name()], "fabric.viz.json", json(&view).as_bytes())?;
    let still = svg.then(|| out.write(&[fabric.name()], "fabric.svg", picture(&view, None).as_bytes()));
    let page = out.write(&[fabric.name()], "viz.html", Page::of_fabric(view).html().as_bytes())?;
    Ok([vec![page, data], still.transpose()?.into_iter().collect()].concat())
}

/// A graph alone.
fn graph(session: &Session, what: &Path, args: &Show, out: OutDir) -> Result<Vec<PathBuf>, Failure> {
    let options = CompileOptions::default();
    let index_width = options.index_width;
    let (source, kernel) = session.kernel(what, &args.lowering, options)?;
    let net = loom_map::netlist::netlist(&kernel.graph, index_width);
    let page = Page::of_graph(GraphView::new(&kernel, &net, &source));
    Ok(vec![out.write(&[&kernel.graph.name], "viz.html", page.html().as_bytes())?])
}

/// A graph on a fabric, with a run where a case is given; where it does not map, how far that came.
fn on_fabric(session: &Session, what: &Path, args: &Show, out: OutDir) -> Result<Vec<PathBuf>, Failure> {
    let job = args.job(what.to_path_buf());
    let ready =
        prepare_or(session, &job, args.map.as_deref(), &|kernel, source, fabric, unmapped| match failed(
            kernel, source, fabric, unmapped, out,
        ) {
            Ok(page) => session.say(&format!("open {}", page.display())),
            Err(_) => session.say("the page that shows how far it came could not be written"),
        })?;
    let memory_latency = args.mapper.memory_latency;
    if args.svg {
        still(&ready, memory_latency, out)?;
    }
    let Some(path) = &args.case else { return write(&ready, memory_latency, None, out) };
    let source = files::read_text(path)?;
    let case = ready.configured.case(&source).map_err(|d| Failure::new(&source, d))?;
    let runs = ready.configured.simulate(&case).map_err(|d| Failure::of_run(&ready.source, &source, d))?;
    let run = record(&ready, &case, path, &runs, &args.record)?;
    let mut written = Vec::new();
    if args.record.trace {
        written.push(trace(&ready, &run, out)?);
    }
    Ok([write(&ready, memory_latency, Some(run), out)?, written].concat())
}

/// A still picture of a mapping.
fn still(ready: &Ready, memory_latency: u32, out: OutDir) -> Result<PathBuf, Failure> {
    let configured = &ready.configured;
    let graph = GraphView::new(&configured.kernel, &configured.netlist, &ready.source);
    let fabric = FabricView::new(&configured.fabric);
    let mapping = MappingView::new(configured, ready.seed, memory_latency);
    let file = MappingFile::mapped(graph, &fabric, mapping);
    out.write(&ready.names(), "svg", picture(&fabric, Some(&file)).as_bytes())
}

/// The page of a mapping that was not found.
fn failed(
    kernel: &Kernel,
    source: &loom_base::Source,
    fabric: &Fabric,
    unmapped: &Unmapped,
    out: OutDir,
) -> Result<PathBuf, Failure> {
    let net = loom_map::netlist::netlist(&kernel.graph, fabric.index_width());
    let file = MappingFile::failed(GraphView::new(kernel, &net, source), fabric, unmapped);
    let page = Page { fabric: Some(FabricView::new(fabric)), file: Some(file) };
    out.write(&[&kernel.graph.name, fabric.name()], "viz.html", page.html().as_bytes())
}

/// A run, recorded. It is the native model's once more, so the runs before cost nothing for it.
pub fn record(
    ready: &Ready,
    case: &Case,
    path: &Path,
    runs: &Runs,
    how: &Record,
) -> Result<RunView, Failure> {
    let (trace, recording) = ready.configured.record(case, runs, how.trace_cycles).map_err(Failure::plain)?;
    let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(RunView::new(&ready.configured, &name, &trace, &recording))
}

/// Writes what moved in a run.
pub fn trace(ready: &Ready, run: &RunView, out: OutDir) -> Result<PathBuf, Failure> {
    let case = Name::hyphenated(&run.case).unwrap_or_else(|| Name::cleaned(&run.case, "case"));
    let [kernel, fabric] = ready.names();
    out.write(&[kernel, fabric, &case], "trace.json", json(run).as_bytes())
}

/// A graph on a fabric: the page and both files of data.
pub fn write(
    ready: &Ready,
    memory_latency: u32,
    run: Option<RunView>,
    out: OutDir,
) -> Result<Vec<PathBuf>, Failure> {
    let configured = &ready.configured;
    let graph = GraphView::new(&configured.kernel, &configured.netlist, &ready.source);
    let mapping = MappingView::new(configured, ready.seed, memory_latency);
    let fabric = FabricView::new(&configured.fabric);
    let file = MappingFile { run, ..MappingFile::mapped(graph, &fabric, mapping) };
    let plan = out.write(&[configured.fabric.name()], "fabric.viz.json", json(&fabric).as_bytes())?;
    let data = out.write(&ready.names(), "viz.json", json(&file).as_bytes())?;
    let page = Page { fabric: Some(fabric), file: Some(file) };
    let page = out.write(&ready.names(), "viz.html", page.html().as_bytes())?;
    Ok(vec![page, data, plan])
}
