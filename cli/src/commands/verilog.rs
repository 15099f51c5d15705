//! The Verilog model of a fabric, for commands that run one.

use crate::failure::Failure;
use indicatif::ProgressBar;
use loom_adg::Fabric;
use loom_cosim::{verilate, BuildOptions, Built, FabricModel};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Cycles up to which an unoptimised model is the quicker way to a result.
const SHORT_RUN: u64 = 20_000;

/// Where verilated models are kept.
pub fn cache() -> PathBuf {
    std::env::var_os("LOOM_CACHE").map_or_else(|| PathBuf::from("target/verilated"), PathBuf::from)
}

/// How far to go, and with what.
pub enum Verilog<'a> {
    /// Not at all.
    No,
    /// Build or find the model.
    Yes {
        /// Where to write waves.
        waves: Option<&'a Path>,
    },
    /// With this model.
    Built(&'a Arc<Built>),
}

/// The Verilog of a fabric for a run of about so many cycles, when it is wanted.
pub fn fabric_model(
    bar: &ProgressBar,
    fabric: &Fabric,
    cycles: u64,
    verilog: &Verilog,
) -> Result<Option<FabricModel>, Failure> {
    let waves = match verilog {
        Verilog::No => return Ok(None),
        Verilog::Built(built) => return Ok(Some(FabricModel::new(built, fabric.ports()))),
        Verilog::Yes { waves } => waves,
    };
    bar.set_message("building the Verilog model (kept for the next run)");
    let options = BuildOptions { trace: waves.is_some(), optimise: waves.is_none() && cycles > SHORT_RUN };
    let built = verilate(fabric, options, &cache()).map_err(Failure::plain)?;
    let mut model = FabricModel::new(&built, fabric.ports());
    if let Some(path) = waves {
        if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|e| Failure::io(folder, format!("cannot be made: {e}")))?;
        }
        model.trace(path);
    }
    Ok(Some(model))
}
