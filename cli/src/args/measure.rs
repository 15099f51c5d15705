//! Arguments of the commands that measure, prove and look for mistakes.

use clap::Args as ClapArgs;
use std::path::PathBuf;

/// A seed: any number of 64 bits.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a number from 0 to {}", u64::MAX))
}

/// `loom ppa`
#[derive(ClapArgs, Debug)]
pub struct Ppa {
    /// Fabric, `.toml` or `.fabric.mlir`, or the name of one that comes with LOOM.
    pub fabric: PathBuf,
    /// Measure each component and unit of it for itself instead, for the model of area and delay; the table goes here, and
    /// what it has already is not measured again.
    #[arg(long, value_name = "TABLE", conflicts_with_all = ["tile", "no_fpga", "page"])]
    pub calibrate: Option<PathBuf>,
    /// Fit the model to that table and write its coefficients here, as Rust.
    #[arg(long, value_name = "FILE", requires = "calibrate")]
    pub model: Option<PathBuf>,
    /// Folder that keeps the Verilog, and in `ppa` netlists, scripts and what the tools said.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// This tile alone, as if registers stood around it.
    #[arg(long, value_name = "NAME")]
    pub tile: Option<String>,
    /// No FPGA: about half the time, and no LUT4.
    #[arg(long)]
    pub no_fpga: bool,
    /// The cells.
    #[arg(long, value_name = "FILE", default_value = loom_bench::ppa::LIBERTY)]
    pub liberty: PathBuf,
    /// Gate the clock of the configuration, by this Verilog of `loom_clock_gate` in those cells.
    #[arg(long, value_name = "FILE", conflicts_with = "calibrate")]
    pub clock_gate: Option<PathBuf>,
    /// Modules at a time.
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Page that gets the tables.
    #[arg(long)]
    pub page: Option<PathBuf>,
}

/// `loom explore`
#[derive(ClapArgs, Debug)]
pub struct Explore {
    /// The space, a TOML file.
    #[arg(required_unless_present = "point")]
    pub space: Option<PathBuf>,
    /// Folder for the points and what is found.
    #[arg(short, long, value_name = "DIR", default_value = "rtl-out/explore")]
    pub out: PathBuf,
    /// Points at most; a space with more is searched.
    #[arg(long, default_value_t = 64)]
    pub budget: u64,
    /// Decides which points are drawn, and the mapper's choices.
    #[arg(long, default_value_t = 1, value_parser = seed)]
    pub seed: u64,
    /// Points at a time.
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Measure the points of the front with `loom ppa` (minutes for each).
    #[arg(long)]
    pub confirm: bool,
    /// Write the folders of the points that would be looked at first, and evaluate none.
    #[arg(long, conflicts_with = "confirm")]
    pub plan: bool,
    /// Evaluate the one point in this folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["space", "confirm", "plan"])]
    pub point: Option<PathBuf>,
}

/// `loom bench`
#[derive(ClapArgs, Debug)]
pub struct Bench {
    /// Folder with the kernels whose mapping is timed, or that are measured.
    #[arg(long, default_value = "kernels")]
    pub kernels: PathBuf,
    /// Measure the kernels in C and C++ instead: ops, streams, intervals, and cycles on the smallest default mesh.
    #[arg(long)]
    pub c_kernels: bool,
    /// Run each of them that maps in Verilog too; hours.
    #[arg(long, requires = "c_kernels")]
    pub verilog: bool,
    /// Measure annealing against the engine that proves instead: intervals of the small kernels, and what is proved of them.
    #[arg(long, conflicts_with = "c_kernels")]
    pub exact: bool,
    /// The JSON file.
    #[arg(short, long, default_value = "target/bench.json")]
    pub out: PathBuf,
    /// Page that gets the tables, without times.
    #[arg(long)]
    pub page: Option<PathBuf>,
}

/// `loom fuzz`
#[derive(ClapArgs, Debug)]
pub struct Fuzz {
    /// For how long.
    #[arg(long, default_value_t = 5)]
    pub minutes: u64,
    /// Seed of the first program.
    #[arg(long, default_value_t = 1, value_parser = seed)]
    pub seed: u64,
    /// The fabric to run on.
    #[arg(long, default_value = "configs/mesh-4x4.toml")]
    pub fabric: PathBuf,
    /// Draw fabrics and images instead of programs.
    #[arg(long)]
    pub fabrics: bool,
    /// Folder for what fails.
    #[arg(short, long, default_value = "target/fuzz")]
    pub out: PathBuf,
}

/// `loom prove`
#[derive(ClapArgs, Debug)]
pub struct Prove {
    /// Modules, or module and shape (`"carry w8"`); all when none is named.
    pub modules: Vec<String>,
    /// Only the quick ones.
    #[arg(long)]
    pub smoke: bool,
    /// Also plant known faults, which the proofs must notice.
    #[arg(long)]
    pub faults: bool,
    /// Seconds for each proof, instead of what the table gives it.
    #[arg(long)]
    pub timeout: Option<u32>,
    /// Proofs at a time.
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Page that gets the tables.
    #[arg(long)]
    pub page: Option<PathBuf>,
    /// Folder for scripts, netlists and the waves of counter-examples.
    #[arg(short, long, default_value = "target/formal")]
    pub out: PathBuf,
}

/// `loom coverage`
#[derive(ClapArgs, Debug)]
pub struct Coverage {
    /// What the runs collected; several files are added up.
    #[arg(required = true)]
    pub data: Vec<PathBuf>,
    /// Also list the points that were not covered.
    #[arg(long)]
    pub missed: bool,
    /// Page that gets the table, with the shapes of a module in one row.
    #[arg(long)]
    pub page: Option<PathBuf>,
}
