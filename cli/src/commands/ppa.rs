//! `loom ppa`: area, delay and FPGA size of a fabric.

use crate::args::Ppa;
use crate::files;
use crate::session::{Failure, Session};
use loom_base::page::page;
use loom_bench::ppa::{measure, PpaOptions};
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Ppa) -> Result<ExitCode, Failure> {
    let fabric = session.fabric(&args.fabric)?;
    // Gone with all that is in it when the figures are there.
    let passing = tempfile::tempdir()
        .map_err(|e| Failure::io(&std::env::temp_dir(), format!("cannot be written: {e}")))?;
    let options = PpaOptions {
        out: args.out.clone().unwrap_or_else(|| passing.path().to_path_buf()),
        liberty: args.liberty.clone(),
        tile: args.tile.clone(),
        fpga: !args.no_fpga,
        jobs: args.jobs,
    };
    let bar = session.progress("mapping modules to cells");
    let figures = measure(&fabric, &options, &|what| bar.set_message(what.to_string()));
    bar.finish_and_clear();
    let figures = figures.map_err(Failure::plain)?;
    if let Some(path) = &args.page {
        let title = format!("Area, delay and FPGA size of {}", fabric.name());
        files::write(path, page(&title, "ppa", "docs/ppa.md", &figures.page()).as_bytes())?;
    }
    let mut json = serde_json::json!({ "ok": true });
    let object = serde_json::to_value(&figures).expect("plain data");
    if let (Some(json), serde_json::Value::Object(object)) = (json.as_object_mut(), object) {
        json.extend(object);
    }
    session.result(json, &figures.text());
    Ok(ExitCode::SUCCESS)
}
