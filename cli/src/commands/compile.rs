//! `loom compile`: a structured program to a dataflow graph.

use crate::args::Compile;
use crate::files::OutDir;
use crate::session::{Failure, Session, FILE_KIND};
use loom_base::Diagnostic;
use loom_flow::{load, Kernel};
use loom_front::compile::CompileOptions;
use loom_front::passes;
use serde_json::json;
use std::collections::BTreeMap;
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
    let dfg = loom_dfg::print(&compiled.lowered.graph);
    out.write(&[name], "scf.mlir", scf.as_bytes())?;
    out.write(&[name], "dfg.mlir", dfg.as_bytes())?;
    Ok(())
}

/// Runs the subcommand.
pub fn run(session: &Session, args: &Compile) -> Result<ExitCode, Failure> {
    let Some(program) = &args.program else { return Ok(list_passes(session)) };
    let fabric = args.fabric.as_deref().map(|path| session.fabric(path)).transpose()?;
    let mut options = fabric.as_ref().map_or_else(CompileOptions::default, load::lowering);
    options.print_after = args.print_after;
    let (source, kernel) = session.kernel(program, &args.lowering, options)?;
    let Some(compiled) = &kernel.compiled else {
        let message = format!("`{}` is a graph already", program.display());
        return Err(Failure::plain(vec![
            Diagnostic::error(FILE_KIND, message).help("`loom map` takes it as it is")
        ]));
    };
    session.show(&source, &compiled.warnings);
    let mut text = compiled.printed.join("\n");
    let out = args.out.as_deref().map(OutDir);
    if let Some(out) = out {
        write(&kernel, out)?;
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
    session.result(
        json!({
            "ok": true,
            "kernel": compiled.plain.func.name,
            "domain": compiled.domain,
            "ops": graph.nodes.len(),
            "memories": graph.memories.len(),
            "accesses": compiled.lowered.accesses.len(),
            "counts": counts,
            "printed": compiled.printed,
        }),
        &text,
    );
    Ok(ExitCode::SUCCESS)
}

fn list_passes(session: &Session) -> ExitCode {
    let mut text = String::new();
    for pass in passes::PIPELINE {
        text += &format!("{:<10} {}\n{:<10} after it: {}\n", pass.name, pass.what, "", pass.after);
    }
    let list = passes::PIPELINE.map(|p| json!({ "name": p.name, "what": p.what, "after": p.after }));
    session.result(json!({ "ok": true, "passes": list }), &text);
    ExitCode::SUCCESS
}
