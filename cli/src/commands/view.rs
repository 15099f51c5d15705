//! `loom view`: pages that show a fabric, a graph, or a graph on a fabric.

use super::map::{prepare, Ready};
use crate::args::View;
use crate::files::OutDir;
use crate::session::{form, Failure, Session};
use loom_flow::load::Format;
use loom_front::compile::CompileOptions;
use loom_view::{json, FabricView, GraphView, MappingFile, MappingView, Page};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(session: &Session, args: &View) -> Result<ExitCode, Failure> {
    if let Some(schema) = args.schema.as_deref().and_then(loom_view::schema) {
        println!("{schema:#}");
        return Ok(ExitCode::SUCCESS);
    }
    // clap asks for both where no schema is wanted.
    let (Some(what), Some(out)) = (&args.what, &args.out) else { return Ok(ExitCode::from(2)) };
    let out = OutDir(out);
    let written = match (&args.fabric, form(what)) {
        (None, Format::Toml | Format::FabricMlir) => fabric(session, what, out)?,
        (None, _) => graph(session, what, args, out)?,
        (Some(_), _) => {
            let ready = prepare(session, &args.job(what.clone()), args.map.as_deref())?;
            write(&ready, args.memory_latency, out)?
        }
    };
    let page = written[0].display().to_string();
    let files: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
    session.result(json!({ "ok": true, "page": page, "written": files }), &format!("open {page}\n"));
    Ok(ExitCode::SUCCESS)
}

/// A fabric alone: its page, and its data.
fn fabric(session: &Session, what: &Path, out: OutDir) -> Result<Vec<PathBuf>, Failure> {
    let fabric = session.fabric(what)?;
    let view = FabricView::new(&fabric);
    let data = out.write(&[fabric.name()], "fabric.viz.json", json(&view).as_bytes())?;
    let page = out.write(&[fabric.name()], "viz.html", Page::of_fabric(view).html().as_bytes())?;
    Ok(vec![page, data])
}

/// A graph alone.
fn graph(session: &Session, what: &Path, args: &View, out: OutDir) -> Result<Vec<PathBuf>, Failure> {
    let options = CompileOptions::default();
    let index_width = options.index_width;
    let (source, kernel) = session.kernel(what, &args.lowering, options)?;
    let net = loom_map::netlist::netlist(&kernel.graph, index_width);
    let page = Page::of_graph(GraphView::new(&kernel, &net, &source));
    Ok(vec![out.write(&[&kernel.graph.name], "viz.html", page.html().as_bytes())?])
}

/// A graph on a fabric: the page and both files of data.
pub fn write(ready: &Ready, memory_latency: u32, out: OutDir) -> Result<Vec<PathBuf>, Failure> {
    let configured = &ready.configured;
    let graph = GraphView::new(&configured.kernel, &configured.netlist, &ready.source);
    let mapping = MappingView::new(configured, ready.seed, memory_latency);
    let fabric = FabricView::new(&configured.fabric);
    let file = MappingFile::mapped(graph, &fabric, mapping);
    let plan = out.write(&[configured.fabric.name()], "fabric.viz.json", json(&fabric).as_bytes())?;
    let data = out.write(&ready.names(), "viz.json", json(&file).as_bytes())?;
    let page = Page { fabric: Some(fabric), file: Some(file) };
    let page = out.write(&ready.names(), "viz.html", page.html().as_bytes())?;
    Ok(vec![page, data, plan])
}
