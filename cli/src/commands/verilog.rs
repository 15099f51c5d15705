//! The Verilog model of a fabric, for commands that run one.

use crate::failure::Failure;
use indicatif::ProgressBar;
use loom_adg::Fabric;
use loom_cosim::{verilate, BuildOptions, Built, FabricModel};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Cycles up to which an unoptimised model is the quicker way to a result.
const SHORT_RUN: u64 = 20_000;

/// Where verilated models are kept: in the folder that `LOOM_CACHE` names, else in the user's own for such things.
pub fn cache() -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let absolute = |name: &str| folder(name).filter(|f| f.is_absolute());
    folder("LOOM_CACHE").unwrap_or_else(|| {
        let home = || absolute("HOME").map(|home| home.join(".cache"));
        let own = absolute("XDG_CACHE_HOME").or_else(home).unwrap_or_else(std::env::temp_dir);
        own.join("loom/verilated")
    })
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
    if let Some(path) = waves {
        writable(path)?;
    }
    bar.set_message("building the Verilog model (kept for the next run)");
    let options = BuildOptions { trace: waves.is_some(), optimise: waves.is_none() && cycles > SHORT_RUN };
    let built = verilate(fabric, options, &cache()).map_err(Failure::plain)?;
    let mut model = FabricModel::new(&built, fabric.ports());
    if let Some(path) = waves {
        model.trace(path);
    }
    Ok(Some(model))
}

/// Makes the file of the waves: Verilator does not say when it cannot.
fn writable(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    folder
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::File::create(path))
        .map(|_| ())
        .map_err(|e| Failure::io(path, format!("cannot be written: {e}")))
}

/// Ends a model; whether its waves were written.
pub fn finish(model: FabricModel, verilog: &Verilog) -> Result<(), Failure> {
    drop(model);
    match verilog {
        Verilog::Yes { waves: Some(path) } => match std::fs::metadata(path) {
            Ok(waves) if waves.is_file() && waves.len() == 0 => {
                Err(Failure::io(path, "cannot be written: it is empty after the run".into()))
            }
            Ok(_) => Ok(()),
            Err(e) => Err(Failure::io(path, format!("cannot be written: {e}"))),
        },
        _ => Ok(()),
    }
}
