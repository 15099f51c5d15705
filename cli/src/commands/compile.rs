//! `loom compile`: a structured program to a dataflow graph.

use crate::args::Compile;
use crate::files::OutDir;
use crate::session::{decided_without_mapping, with_lowering, Failure, Session, FILE_KIND};
use loom_base::{Diagnostic, Source};
use loom_dfg::Graph;
use loom_flow::{load, loops, Kernel};
use loom_front::compile::{CompileOptions, Compiled};
use loom_front::passes;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

/// Writes `<name>.scf.mlir` (normalized) and `<name>.dfg.mlir`, and of a C or C++ program what lies before them. Of a graph
/// that was not compiled there is nothing to write.
pub fn write(kernel: &Kernel, out: OutDir) -> Result<(), Failure> {
    let Some(compiled) = &kernel.compiled else { return Ok(()) };
    let name = &compiled.lowered.graph.name;
    if let Some(imported) = &kernel.imported {
        let stages = &imported.stages;
        out.write(&[name], "ll", stages.ll.as_bytes())?;
        out.write(&[name], "llvm.mlir", stages.llvm.as_bytes())?;
        out.write(&[name], "cf.mlir", stages.cf.as_bytes())?;
    }
    let scf = loom_front::print(&compiled.plain.program());
    let graph = Graph { profile: kernel.graph.profile.clone(), ..compiled.lowered.graph.clone() };
    let dfg = loom_dfg::print(&graph);
    out.write(&[name], "scf.mlir", scf.as_bytes())?;
    out.write(&[name], "dfg.mlir", dfg.as_bytes())?;
    Ok(())
}

/// The fabric whose units the report counts with where none is named.
const UNITS: &str = include_str!("../../../configs/mesh-8x8.toml");

/// Runs the subcommand.
pub fn run(session: &Session, args: &Compile) -> Result<ExitCode, Failure> {
    let Some(program) = &args.program else { return Ok(list_passes(session)) };
    decided_without_mapping(&args.lowering)?;
    let fabric = args.fabric.as_deref().map(|path| session.fabric(path)).transpose()?;
    let mut options = fabric.as_ref().map_or_else(CompileOptions::default, load::lowering);
    options.print_after = args.print_after;
    let (source, kernels) = session.kernels(program, &args.lowering, &options)?;
    told_apart(&kernels)?;
    let units = match (args.report, fabric) {
        (false, _) => None,
        (true, Some(fabric)) => Some(fabric),
        (true, None) => {
            let units = Source::new("mesh-8x8.toml", UNITS);
            Some(load::fabric(&units).map_err(|d| Failure::new(&units, d))?)
        }
    };
    let options = with_lowering(options, &args.lowering);
    let (mut text, mut results) = (String::new(), Vec::new());
    for kernel in &kernels {
        let Some(compiled) = &kernel.compiled else {
            let message = format!("`{}` is a graph already", program.display());
            return Err(Failure::plain(vec![
                Diagnostic::error(FILE_KIND, message).help("`loom map` takes it as it is")
            ]));
        };
        session.show(&source, &compiled.warnings);
        let (said, mut result) = one(kernel, compiled, args.out.as_deref().map(OutDir))?;
        text += &said;
        if let Some(units) = &units {
            let loops = loops::report(kernel, &source, units, &options);
            text += &loops::text(&compiled.plain.func.name, &loops);
            result["loops"] = json!(loops);
        }
        results.push(result);
    }
    let json = match results.len() {
        1 => results.remove(0),
        _ => json!({ "ok": true, "kernels": results }),
    };
    session.result(json, &text);
    Ok(ExitCode::SUCCESS)
}

/// Refuses functions whose files would have one name.
fn told_apart(kernels: &[Kernel]) -> Result<(), Failure> {
    let mut names = BTreeSet::new();
    match kernels.iter().map(|k| &k.graph.name).find(|name| !names.insert(*name)) {
        None => Ok(()),
        Some(name) => {
            let message = format!("two marked functions are called `{name}`, and so would be their files");
            Err(Failure::plain(vec![
                Diagnostic::error(loom_flow::codes::CHOICE, message).help("choose one by `--function`")
            ]))
        }
    }
}

/// Writes what one function became; the text and the object that say so.
fn one(
    kernel: &Kernel,
    compiled: &Compiled,
    out: Option<OutDir>,
) -> Result<(String, serde_json::Value), Failure> {
    let mut text = compiled.printed.join("\n");
    if let Some(out) = out {
        write(kernel, out)?;
    }
    let graph = &kernel.graph;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for node in &graph.nodes {
        *counts.entry(node.op.kind().mnemonic()).or_default() += 1;
    }
    let ops: Vec<String> = counts.iter().map(|(op, n)| format!("{n} {op}")).collect();
    let stages = if kernel.imported.is_some() { "{ll,{llvm,cf,scf,dfg}.mlir}" } else { "{scf,dfg}.mlir" };
    let written = out.map(|out| out.path(&[&graph.name], stages));
    let summary = format!(
        "{} of @{}: {} ops, {} memories, {} accesses\n  {}\n",
        compiled.domain,
        compiled.plain.func.name,
        graph.nodes.len(),
        graph.memories.len(),
        compiled.lowered.accesses.len(),
        ops.join(", ")
    );
    // Alone, what is printed after a pass is a program that can be read again.
    if let Some(written) = written {
        text += &format!("{summary}written to {}\n", written.display());
    }
    let json = json!({
        "ok": true,
        "kernel": compiled.plain.func.name,
        "domain": compiled.domain,
        "ops": graph.nodes.len(),
        "memories": graph.memories.len(),
        "accesses": compiled.lowered.accesses.len(),
        "counts": counts,
        "printed": compiled.printed,
    });
    Ok((text, json))
}

fn list_passes(session: &Session) -> ExitCode {
    let mut text = String::new();
    for pass in passes::PIPELINE {
        text += &format!("{:<10} {}\n{:<10} after it: {}\n", pass.name, pass.what, "", pass.after);
    }
    let described = |p: &&passes::Pass| json!({ "name": p.name, "what": p.what, "after": p.after });
    let list: Vec<_> = passes::PIPELINE.iter().map(described).collect();
    session.result(json!({ "ok": true, "passes": list }), &text);
    ExitCode::SUCCESS
}
