//! `loom interp`: a case in software alone.

use crate::args::Interp;
use crate::files;
use crate::session::{decided_without_mapping, Failure, Session};
use loom_base::truncate;
use loom_dfg::{float, Type};
use loom_front::compile::CompileOptions;
use loom_sim::case::argument_memories;
use loom_sim::Case;
use serde_json::json;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Words and tokens shown of one list.
const SHOWN: usize = 16;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Interp) -> Result<ExitCode, Failure> {
    decided_without_mapping(&args.lowering)?;
    let options = CompileOptions { index_width: args.index_width, ..CompileOptions::default() };
    let (program, kernel) = session.kernel(&args.kernel, &args.lowering, options)?;
    let graph = &kernel.graph;
    let source = files::read_text(&args.case)?;
    let case = Case::read(&source, graph, args.index_width).map_err(|d| Failure::new(&source, d))?;
    let ran = kernel.run(&case, args.index_width).map_err(|d| Failure::of_run(&program, &source, d))?;
    let run = &ran.golden;
    let models: &[&str] = if ran.meaning.is_some() { &["program", "graph"] } else { &["graph"] };
    let mut problems = ran.differences(graph);
    problems.extend(case.differences(graph, &run.outcome.outputs));
    problems.extend(case.memory_differences(graph, &run.memories));

    let mut text = String::new();
    let mut results = serde_json::Map::new();
    for (output, tokens) in graph.outputs.iter().zip(&run.outcome.outputs) {
        let ty = graph.value(output.value).ty;
        let _ = writeln!(text, "{}: {}", output.name, list(tokens, ty, args.index_width));
        results.insert(output.name.clone(), json!(tokens));
    }
    let mut memory = serde_json::Map::new();
    for (id, m) in argument_memories(graph) {
        let words = run.memories.words(id);
        let _ = writeln!(text, "{}: {}", m.name, list(words, m.element, args.index_width));
        memory.insert(m.name.clone(), json!(words));
    }
    let ok = problems.is_empty();
    session.problems(&graph.name, &problems);
    let _ = match ok {
        true => {
            writeln!(text, "\n{} under {} schedules: all agree", models.join(" and "), case.schedules.max(1))
        }
        false => writeln!(text, "\n{} problems", problems.len()),
    };
    session.result(
        json!({
            "ok": ok,
            "kernel": graph.name.as_str(),
            "results": results,
            "memory": memory,
            "schedules": case.schedules.max(1),
            "firings": run.outcome.firings.iter().sum::<u64>(),
            "problems": problems,
        }),
        &text,
    );
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The first values of a list, as their type reads; how many there are.
fn list(values: &[u64], ty: Type, index_width: u32) -> String {
    let width = ty.width(index_width);
    let one = |&bits: &u64| match ty {
        Type::F32 => f32::from_bits(bits as u32).to_string(),
        Type::F16 | Type::Bf16 | Type::F64 => float::to_f64(ty, bits).to_string(),
        Type::Int(1) => (bits & 1 == 1).to_string(),
        _ => loom_base::sign_extend(truncate(bits, width), width).to_string(),
    };
    if ty == Type::None {
        return format!("{} tokens", values.len());
    }
    let shown: Vec<String> = values.iter().take(SHOWN).map(one).collect();
    let more = if values.len() > SHOWN { format!(", ... ({} in all)", values.len()) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
