//! `loom gen`: the Verilog of a fabric.

use crate::args::Gen;
use crate::files::{self, OutDir};
use crate::session::{Failure, Session};
use loom_adg::Fabric;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was written.
pub struct WrittenFiles {
    /// Top module.
    pub top: String,
    /// Verilog files, top first.
    pub verilog: Vec<PathBuf>,
    /// Bytes of Verilog.
    pub bytes: usize,
}

/// Writes Verilog, file lists, layout and fabric MLIR into a folder.
pub fn write_fabric(fabric: &Fabric, out: &Path) -> Result<WrittenFiles, Failure> {
    let made = loom_gen::elaborate(fabric).map_err(Failure::plain)?;
    let mut bytes = 0;
    for (name, text) in made.files() {
        bytes += text.len();
        files::write(&out.join(name), text.as_bytes())?;
    }
    files::write(&out.join("filelist.f"), made.filelist_text().as_bytes())?;
    OutDir(out).write(&[fabric.name()], "core", made.core(fabric.name()).as_bytes())?;
    let layout = loom_gen::config::layout_json(fabric);
    OutDir(out).write(&[fabric.name()], "layout.json", pretty(&layout).as_bytes())?;
    let mlir = loom_adg::mlir::write(fabric.adg());
    OutDir(out).write(&[fabric.name()], "fabric.mlir", mlir.as_bytes())?;
    Ok(WrittenFiles {
        top: made.top.clone(),
        verilog: made.filelist().into_iter().map(|f| out.join(f)).collect(),
        bytes,
    })
}

/// JSON for people: indented, with a line end.
pub fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

/// Runs the subcommand.
pub fn run(session: &Session, args: &Gen) -> Result<ExitCode, Failure> {
    let fabric = session.fabric(&args.fabric)?;
    let bar = session.progress("generating Verilog");
    let written = write_fabric(&fabric, &args.out)?;
    bar.finish_and_clear();
    let components = fabric.flat().components.len();
    let text = format!(
        "{}: {} components, {} configuration words, {} inputs, {} outputs\n\
         {} modules, {} bytes of Verilog in {}\ntop module {}, files in filelist.f\n",
        fabric.name(),
        components,
        fabric.layout().words,
        fabric.flat().inputs.len(),
        fabric.flat().outputs.len(),
        written.verilog.len(),
        written.bytes,
        args.out.display(),
        written.top
    );
    session.result(
        json!({
            "ok": true,
            "fabric": fabric.name().as_str(),
            "fabric_hash": fabric.hash(),
            "top": written.top,
            "components": components,
            "config_words": fabric.layout().words,
            "modules": written.verilog.len(),
            "verilog_bytes": written.bytes,
            "verilog": written.verilog.iter().map(|f| f.display().to_string()).collect::<Vec<_>>(),
        }),
        &text,
    );
    Ok(ExitCode::SUCCESS)
}
