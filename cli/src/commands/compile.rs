//! `loom compile`: a structured program to a dataflow graph.

use crate::args::Compile;
use crate::files::OutDir;
use crate::session::{Failure, Session, FILE_KIND};
use loom_base::Diagnostic;
use loom_flow::load;
use loom_front::compile::{Compiled, Options};
use serde_json::json;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Writes `<name>.scf.mlir` (normalized) and `<name>.dfg.mlir`.
pub fn write(compiled: &Compiled, out: OutDir) -> Result<(), Failure> {
    let name = &compiled.lowered.graph.name;
    let scf = loom_front::print(&compiled.plain.module());
    let dfg = loom_dfg::print(&compiled.lowered.graph);
    out.write(&[name], "scf.mlir", scf.as_bytes())?;
    out.write(&[name], "dfg.mlir", dfg.as_bytes())?;
    Ok(())
}

/// Runs the subcommand.
pub fn run(session: &Session, args: &Compile) -> Result<ExitCode, Failure> {
    let fabric = args.fabric.as_deref().map(|path| session.fabric(path)).transpose()?;
    let options = fabric.as_ref().map_or_else(Options::default, load::lowering);
    let (_, kernel) = session.kernel(&args.program, &args.lowering, options)?;
    let Some(compiled) = kernel.compiled else {
        let message = format!("`{}` is a graph already", args.program.display());
        return Err(Failure::plain(vec![
            Diagnostic::error(FILE_KIND, message).help("`loom map` takes it as it is")
        ]));
    };
    write(&compiled, OutDir(&args.out))?;
    let graph = &kernel.graph;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for node in &graph.nodes {
        *counts.entry(node.op.kind().mnemonic()).or_default() += 1;
    }
    let ops: Vec<String> = counts.iter().map(|(op, n)| format!("{n} {op}")).collect();
    let text = format!(
        "{} of @{}: {} ops, {} memories, {} accesses\n  {}\nwritten to {}\n",
        compiled.domain,
        compiled.plain.func.name,
        graph.nodes.len(),
        graph.memories.len(),
        compiled.lowered.accesses.len(),
        ops.join(", "),
        OutDir(&args.out).path(&[&graph.name], "{scf,dfg}.mlir").display()
    );
    session.result(
        json!({
            "ok": true,
            "kernel": compiled.plain.func.name,
            "domain": compiled.domain,
            "ops": graph.nodes.len(),
            "memories": graph.memories.len(),
            "accesses": compiled.lowered.accesses.len(),
            "counts": counts,
        }),
        &text,
    );
    Ok(ExitCode::SUCCESS)
}
