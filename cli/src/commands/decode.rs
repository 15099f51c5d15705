//! `loom decode`: config.bin back into PE settings and routes.

use crate::args::Decode;
use crate::files;
use crate::session::{Failure, Session};
use loom_adg::Image;
use loom_base::{Diagnostic, Source};
use serde_json::json;
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(session: &Session, args: &Decode) -> Result<ExitCode, Failure> {
    let fabric = session.fabric(&args.fabric)?;
    let name = args.config.display().to_string();
    let fail = |diagnostics| Failure::new(&Source::new(name.clone(), ""), diagnostics);
    let bytes = files::read_bytes(&args.config)?;
    let image = Image::from_bytes(&bytes).ok_or_else(|| {
        fail(vec![Diagnostic::error(
            loom_gen::codes::IMAGE_LENGTH,
            format!("{} bytes are no whole number of 32-bit words", bytes.len()),
        )
        .help("config.bin is nothing but little-endian 32-bit words")])
    })?;
    let (decoded, warnings) =
        loom_gen::decode(&fabric.adg, &fabric.flat, &fabric.layout, &image).map_err(fail)?;
    // The bare words cannot say which fabric they are for; the file beside them can.
    let beside = args.config.with_extension("json");
    if beside.is_file() {
        let json = files::read_text(&beside)?;
        loom_gen::config::check_config_json(&json.text, &fabric.adg, &fabric.hash, &image)
            .map_err(|d| Failure::new(&json, d))?;
    }
    session.show(&Source::new(name, ""), &warnings);
    let text = decoded.text(&fabric.adg, &fabric.flat);
    let mut value =
        loom_gen::config::config_json(&fabric.adg, &fabric.flat, &fabric.layout, &image, &fabric.hash);
    value["ok"] = json!(true);
    value["text"] = json!(text);
    session.result(value, &text);
    Ok(ExitCode::SUCCESS)
}
