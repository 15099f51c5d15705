//! `loom init`: an example project, so that a binary without the repository has something to begin with.

use crate::args::Init;
use crate::files;
use crate::session::{Failure, Session};
use loom_flow::load;
use serde_json::json;
use std::process::ExitCode;

/// The fabric of the example.
const FABRIC: &str = "mesh-4x4";

/// What the project says of itself.
const README: &str = "\
# A first kernel

`vecadd.scf.mlir` is a loop over three arrays, `n64.toml` a case of it, `mesh-4x4.toml` a fabric. `loom.h` marks functions in C.

    loom interp vecadd.scf.mlir --case n64.toml
    loom map vecadd.scf.mlir --fabric mesh-4x4.toml -o out
    loom sim vecadd.scf.mlir --fabric mesh-4x4.toml --case n64.toml
    loom gen mesh-4x4.toml -o rtl
    loom run vecadd.scf.mlir --fabric mesh-4x4.toml --case n64.toml -o out

The last one needs Verilator, and clang++-19 or g++. `loom help` lists all commands.
";

/// Runs the subcommand; no file that is there is written over.
pub fn run(session: &Session, args: &Init) -> Result<ExitCode, Failure> {
    let fabric = load::built_in(FABRIC).expect("it comes with LOOM").text;
    let list: [(&str, &str); 5] = [
        ("README.md", README),
        ("vecadd.scf.mlir", include_str!("../../../kernels/vecadd/vecadd.scf.mlir")),
        ("n64.toml", include_str!("../../../kernels/vecadd/n64.toml")),
        ("mesh-4x4.toml", &fabric),
        ("loom.h", include_str!("../../../include/loom.h")),
    ];
    let paths = list.map(|(name, _)| args.folder.join(name));
    if let Some(there) = paths.iter().find(|p| p.symlink_metadata().is_ok()) {
        return Err(Failure::io(
            there,
            "is there already, and would be written over: name another folder".into(),
        ));
    }
    for (path, (_, text)) in paths.iter().zip(list) {
        files::write(path, text.as_bytes())?;
    }
    let written: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    let text = format!("{}\nread {} first\n", written.join("\n"), written[0]);
    session.result(json!({ "ok": true, "files": written }), &text);
    Ok(ExitCode::SUCCESS)
}
