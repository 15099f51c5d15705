//! `loom decode`: config.bin back into PE settings and routes.

use crate::args::Decode;
use crate::files;
use crate::session::{Failure, Session};
use loom_adg::Fabric;
use loom_adg::Image;
use loom_base::{Diagnostic, Source};
use loom_gen::patch::Names;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Reads the words of a config.bin.
pub fn image(path: &Path) -> Result<Image, Failure> {
    let bytes = files::read_bytes(path)?;
    Image::from_bytes(&bytes).ok_or_else(|| {
        let message = format!("{} bytes are no whole number of 32-bit words", bytes.len());
        let source = Source::new(path.display().to_string(), "");
        Failure::new(
            &source,
            vec![Diagnostic::error(loom_gen::codes::IMAGE_LENGTH, message)
                .help("config.bin is nothing but little-endian 32-bit words")],
        )
    })
}

/// The bare words cannot say which fabric they are for, nor what lives in their memory regions; the config.json beside
/// them can. Checks it, where there is one.
pub fn names_beside(path: &Path, fabric: &Fabric, image: &Image) -> Result<Names, Failure> {
    let beside = path.with_extension("json");
    if !beside.is_file() {
        return Ok(Names::new());
    }
    let json = files::read_text(&beside)?;
    loom_gen::config::check_config_json(&json.text, fabric, image).map_err(|d| Failure::new(&json, d))
}

/// Runs the subcommand.
pub fn run(session: &Session, args: &Decode) -> Result<ExitCode, Failure> {
    let fabric = session.fabric(&args.fabric)?;
    let source = Source::new(args.config.display().to_string(), "");
    let image = image(&args.config)?;
    let (decoded, mut warnings) = loom_gen::decode(&fabric, &image).map_err(|d| Failure::new(&source, d))?;
    warnings.extend(loom_gen::decode::unread(&fabric, &image, &decoded));
    let names = names_beside(&args.config, &fabric, &image)?;
    session.show(&source, &warnings);
    let text = decoded.text(&fabric);
    let mut value = loom_gen::config::config_json(&fabric, &image, &names);
    value["warnings"] = warnings.iter().map(|w| json!(w.message)).collect();
    value["ok"] = json!(true);
    value["text"] = json!(text);
    session.result(value, &text);
    Ok(ExitCode::SUCCESS)
}
