//! `loom bench`: the figures F1 to F9, those of the kernels in C, and annealing against proofs.

use super::demo;
use super::verilog::cache;
use crate::args::Bench;
use crate::files;
use crate::session::{Failure, Session};
use loom_base::page::page;
use loom_bench::{c_kernels, exact};
use serde_json::Value;
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Bench) -> Result<ExitCode, Failure> {
    let bar = session.progress("measuring");
    if args.c_kernels {
        let paths = demo::c_kernels(&args.kernels)?;
        let verilated = args.verilog.then(cache);
        let told = |name: &str| bar.set_message(format!("after {name}"));
        let rows = c_kernels::measure(&paths, verilated.as_deref(), &told);
        bar.finish_and_clear();
        let rows = rows.map_err(Failure::plain)?;
        let (title, target, text) = match args.verilog {
            true => ("C kernels in Verilog", "bench-verilog", c_kernels::verilog_text(&rows)),
            false => ("C kernels", "bench", c_kernels::text(&rows)),
        };
        let page = page(title, target, "docs/performance.md", &format!("```text\n{text}```\n"));
        return write(session, args, serde_json::to_value(&rows).expect("plain data"), &text, page);
    }
    let paths = demo::kernels(&args.kernels)?;
    if args.exact {
        let kernels = paths.iter().map(|path| files::read_text(path)).collect::<Result<Vec<_>, _>>()?;
        let rows = exact::measure(&kernels, &|name| bar.set_message(format!("after {name}")));
        bar.finish_and_clear();
        let rows = rows.map_err(Failure::plain)?;
        let text = exact::text(&rows);
        let page =
            page("Against the exact engine", "bench", "docs/mapping.md", &format!("```text\n{text}```\n"));
        return write(session, args, serde_json::to_value(&rows).expect("plain data"), &text, page);
    }
    let kernels = paths.iter().map(|path| files::read_text(path)).collect::<Result<Vec<_>, _>>()?;
    let figures = loom_bench::all(&kernels, &cache(), &mut |what| bar.set_message(what.to_string()))
        .map_err(Failure::plain)?;
    bar.finish_and_clear();
    let page = page("Figures", "bench", "docs/performance.md", &figures.page());
    write(session, args, serde_json::to_value(&figures).expect("plain data"), &figures.text(), page)
}

/// The figures as JSON, as a page where one is named, and for the terminal.
fn write(
    session: &Session,
    args: &Bench,
    json: Value,
    text: &str,
    page: String,
) -> Result<ExitCode, Failure> {
    files::write(&args.out, super::generate::pretty(&json).as_bytes())?;
    if let Some(path) = &args.page {
        files::write(path, page.as_bytes())?;
    }
    session.result(serde_json::json!({ "ok": true, "figures": json }), text);
    Ok(ExitCode::SUCCESS)
}
