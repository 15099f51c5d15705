//! `loom check`: reads files and reports every problem, without doing anything with them.

use super::cost;
use crate::args::{Check, Lowering};
use crate::files;
use crate::session::{form, Failure, Session, FILE_KIND};
use loom_adg::cost::FabricCost;
use loom_base::{Diagnostic, Source};
use loom_flow::load::Format;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Runs the subcommand; goes on after a file with problems.
pub fn run(session: &Session, args: &Check) -> Result<ExitCode, Failure> {
    let mut good = true;
    let mut text = String::new();
    let mut list = Vec::new();
    for path in &args.files {
        // Not every path is UTF-8, but JSON is.
        let name = path.display().to_string();
        match one(session, path, args.kernel.as_deref()) {
            Ok(Checked { what, cost }) => {
                text.push_str(&format!("{name}: {what}\n"));
                let mut object = json!({ "file": name, "ok": true, "what": what });
                if let Some(cost) = cost {
                    text.push_str(&cost::text(&cost));
                    object["cost"] = serde_json::to_value(&cost).expect("plain data");
                }
                list.push(object);
            }
            Err(failure) => {
                good = false;
                session.show(&failure.source, &failure.diagnostics);
                let mut object = failure.to_json();
                object["file"] = name.into();
                object["ok"] = false.into();
                list.push(object);
            }
        }
    }
    session.result(json!({ "ok": good, "files": list }), &text);
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What a file is, and what a fabric costs.
struct Checked {
    what: String,
    cost: Option<FabricCost>,
}

impl From<String> for Checked {
    fn from(what: String) -> Checked {
        Checked { what, cost: None }
    }
}

fn one(session: &Session, path: &Path, kernel: Option<&Path>) -> Result<Checked, Failure> {
    match (form(path), kernel) {
        (Format::Toml, Some(kernel)) => {
            let (_, kernel) = session.kernel(kernel, &Lowering::default(), Default::default())?;
            let graph = kernel.graph;
            let source = files::read_text(path)?;
            let case = loom_sim::Case::read(&source, &graph, loom_dfg::types::DEFAULT_INDEX_WIDTH)
                .map_err(|d| Failure::new(&source, d))?;
            Ok(format!("a case of `{}` with {} input tokens", graph.name, case.input_tokens()).into())
        }
        (Format::Toml | Format::FabricMlir, _) => {
            let f = session.fabric(path)?;
            let what = format!(
                "fabric `{}`, {} components, {} configuration words",
                f.name(),
                f.flat().components.len(),
                f.layout().words
            );
            Ok(Checked { what, cost: Some(loom_adg::cost::of_fabric(&f)) })
        }
        (Format::KernelMlir, _) => {
            let (_, kernel) = session.kernel(path, &Lowering::default(), Default::default())?;
            let graph = &kernel.graph;
            let what = if kernel.compiled.is_some() { "program with graph" } else { "graph" };
            Ok(format!(
                "{what} `{}`, {} ops, {} arguments, {} results",
                graph.name,
                graph.nodes.len(),
                graph.arguments.len(),
                graph.outputs.len()
            )
            .into())
        }
        (Format::Bitstream | Format::Unknown, _) => Err(Failure::new(
            &Source::new(path.display().to_string(), ""),
            vec![Diagnostic::error(FILE_KIND, "its name does not say what it is")
                .help("`loom check` takes `.toml`, `.fabric.mlir`, `.dfg.mlir` and `.scf.mlir` files")],
        )),
    }
}
