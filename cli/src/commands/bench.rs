//! `loom bench`: the figures F1 to F9.

use super::verilog::cache;
use crate::args::Bench;
use crate::files;
use crate::session::{Failure, Session};
use loom_base::page::page;
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Bench) -> Result<ExitCode, Failure> {
    let paths = super::demo::kernels(&args.kernels)?;
    let kernels = paths.iter().map(|path| files::read_text(path)).collect::<Result<Vec<_>, _>>()?;
    let bar = session.progress("measuring");
    let figures = loom_bench::all(&kernels, &cache(), &mut |what| bar.set_message(what.to_string()))
        .map_err(Failure::plain)?;
    bar.finish_and_clear();
    let json = serde_json::to_value(&figures).expect("plain data");
    files::write(&args.out, super::generate::pretty(&json).as_bytes())?;
    if let Some(path) = &args.page {
        let page = page("Figures", "bench", "docs/performance.md", &figures.page());
        files::write(path, page.as_bytes())?;
    }
    session.result(serde_json::json!({ "ok": true, "figures": json }), &figures.text());
    Ok(ExitCode::SUCCESS)
}
