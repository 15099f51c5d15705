//! `loom ppa`: area, delay and FPGA size of a fabric.

use crate::args::Ppa;
use crate::files;
use crate::session::{Failure, Session};
use loom_adg::Fabric;
use loom_base::page::page;
use loom_bench::ppa::calibrate::{calibrate, from_text, to_text, CalibrationOptions, ProbeTable};
use loom_bench::ppa::{fit, measure, PpaOptions};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Ppa) -> Result<ExitCode, Failure> {
    let fabric = session.fabric(&args.fabric)?;
    // Gone with all that is in it when the figures are there.
    let passing = tempfile::tempdir()
        .map_err(|e| Failure::io(&std::env::temp_dir(), format!("cannot be written: {e}")))?;
    let out = args.out.clone().unwrap_or_else(|| passing.path().to_path_buf());
    if let Some(table) = &args.calibrate {
        return calibrate_to(session, args, &fabric, table, out);
    }
    let options = PpaOptions {
        out,
        liberty: args.liberty.clone(),
        clock_gate: args.clock_gate.clone(),
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

/// Measures the modules of the fabric that the table does not have yet.
fn calibrate_to(
    session: &Session,
    args: &Ppa,
    fabric: &Fabric,
    table: &Path,
    out: PathBuf,
) -> Result<ExitCode, Failure> {
    let known = match table.exists() {
        true => from_text(&files::read_kept(table)?).map_err(Failure::plain)?,
        false => ProbeTable::new(),
    };
    let options = CalibrationOptions { out, liberty: args.liberty.clone(), jobs: args.jobs };
    let bar = session.progress("mapping modules to cells");
    let kept = |figures: &ProbeTable| {
        bar.set_message(format!("{} modules", figures.len()));
        files::write(table, to_text(figures).as_bytes()).map_err(|f| f.diagnostics)
    };
    let figures = calibrate(fabric, &known, &options, &kept).map_err(Failure::plain)?;
    bar.finish_and_clear();
    files::write(table, to_text(&figures).as_bytes())?;
    if let Some(model) = &args.model {
        files::write(model, fit::table(fabric, &figures).as_bytes())?;
    }
    let json = serde_json::json!({ "ok": true, "table": table, "modules": figures.len() });
    session.result(json, &format!("wrote {}: {} modules\n", table.display(), figures.len()));
    Ok(ExitCode::SUCCESS)
}
