//! The Verilog model of a fabric, for commands that run one.

use crate::failure::Failure;
use crate::files::unwritten;
use crate::terminal::FILE;
use indicatif::ProgressBar;
use loom_adg::Fabric;
use loom_cosim::files::ResultFile;
use loom_cosim::{verilate, BuildOptions, Built, FabricModel};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Cycles up to which an unoptimised model is the quicker way to a result.
const SHORT_RUN: u64 = 12_000;

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

/// The Verilog of a fabric and the file of its waves.
pub struct Driven {
    /// What is driven.
    pub model: FabricModel,
    waves: Option<(PathBuf, ResultFile)>,
}

/// The Verilog of a fabric for a run of about so many cycles, when it is wanted.
pub fn fabric_model(
    bar: &ProgressBar,
    fabric: &Fabric,
    cycles: u64,
    verilog: &Verilog,
) -> Result<Option<Driven>, Failure> {
    let waves = match verilog {
        Verilog::No => return Ok(None),
        Verilog::Built(built) => {
            return Ok(Some(Driven { model: FabricModel::new(built, fabric.ports()), waves: None }))
        }
        Verilog::Yes { waves } => waves,
    };
    // Before what takes long: whether there may be a file at all.
    let waves = waves.map(|path| Ok((path.to_path_buf(), ResultFile::begin(path).map_err(unwritten(path))?)));
    let waves = waves.transpose()?;
    bar.set_message("building the Verilog model (kept for the next run)");
    let options = BuildOptions { trace: waves.is_some(), optimise: waves.is_none() && cycles > SHORT_RUN };
    let built = verilate(fabric, options, &cache()).map_err(Failure::plain)?;
    let mut model = FabricModel::new(&built, fabric.ports());
    if let Some((place, output)) = &waves {
        let path = loom_base::plain(&place.display().to_string()).replace('\n', " ");
        let last_words = format!("error[{}]: `{path}` cannot be written: {NO_ROOM}\n", FILE.id);
        model.trace(output.part(), &last_words);
    }
    Ok(Some(Driven { model, waves }))
}

/// What is known when waves are not whole: the library that writes them says nothing.
const NO_ROOM: &str = "no room was left for the waves, there or in the folder of temporary files";

impl Driven {
    /// Ends the model; its waves take their place if all of them were written.
    pub fn finish(self) -> Result<(), Failure> {
        let Driven { mut model, waves } = self;
        let whole = model.end_trace();
        drop(model);
        let Some((place, output)) = waves else { return Ok(()) };
        let written = match whole && std::fs::metadata(output.part()).is_ok_and(|m| m.len() > 0) {
            true => output.finish(),
            false => Err(std::io::Error::other(NO_ROOM)),
        };
        written.map_err(unwritten(&place))
    }
}
