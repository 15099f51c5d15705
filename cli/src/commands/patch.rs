//! `loom patch`: base addresses of external memory in a config.bin, listed or set without mapping again.

use crate::args::Patch;
use crate::files;
use crate::session::{Failure, Session, FILE_KIND};
use loom_base::{Diagnostic, Source};
use loom_gen::{config, patch};
use serde_json::{json, Value};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Patch) -> Result<ExitCode, Failure> {
    let fabric = session.fabric(&args.fabric)?;
    let source = Source::new(args.config.display().to_string(), "");
    let fail = |diagnostics| Failure::new(&source, diagnostics);
    let image = super::decode::image(&args.config)?;
    // What the hardware would refuse is not patched either.
    let (_, mut warnings) = loom_gen::decode(&fabric, &image).map_err(fail)?;
    let names = super::decode::names_beside(&args.config, &fabric, &image)?;
    let bases = patch::bases(&fabric, &image, &names);
    let (image, more) = patch::patch(&image, &bases, &args.bases).map_err(fail)?;
    warnings.extend(more);
    let bases = patch::bases(&fabric, &image, &names);
    let mut text = patch::table(&bases);
    if let Some(out) = &args.out {
        let beside = beside(out)?;
        // In place, where the user says so.
        for path in [&args.config, &args.config.with_extension("json")] {
            loom_cosim::files::is_changed(path);
        }
        let mut json = config::config_json(&fabric, &image, &names);
        // Which channel is which argument does not change.
        if let Ok(before) = files::read_kept(&args.config.with_extension("json")) {
            let before: Value = serde_json::from_str(&before).unwrap_or_default();
            if let Some(ports) = before.get("ports") {
                json["ports"] = ports.clone();
            }
        }
        files::write(&beside, super::generate::pretty(&json).as_bytes())?;
        files::write(out, &image.to_bytes())?;
        text.push_str(&format!("written to {} and {}\n", out.display(), beside.display()));
    }
    session.show(&source, &warnings);
    session.result(
        json!({
            "ok": true,
            "fabric": fabric.name().as_str(),
            "fabric_hash": fabric.hash(),
            "config_words": image.words.len(),
            "memory_regions": bases,
            "out": args.out.as_ref().map(|out| out.display().to_string()),
        }),
        &text,
    );
    Ok(ExitCode::SUCCESS)
}

/// Where the config.json of an image goes; nothing else is written over.
fn beside(out: &Path) -> Result<PathBuf, Failure> {
    if out.extension().is_none_or(|e| e != "bin") {
        let message = format!("`{}` is no name of a bitstream", out.display());
        return Err(Failure::plain(vec![Diagnostic::error(FILE_KIND, message)
            .help("its name ends in `.bin`; the config.json beside it has the same name with `.json`")]));
    }
    let path = out.with_extension("json");
    if path.exists() {
        let text = files::read_kept(&path)?;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        if value.get("fabric_hash").is_none() || value.get("words").is_none() {
            return Err(Failure::io(
                &path,
                "is no config.json, and would be written over: use another name".into(),
            ));
        }
    }
    Ok(path)
}
