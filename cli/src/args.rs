//! The command line.

mod lowering;
mod measure;

pub use lowering::{AimArg, Clang, ExpandMath, Lowering, OrderArg, PassChoices};
use measure::seed;
pub use measure::{Bench, Coverage, Explore, Fuzz, Ppa, Prove};

use clap::{Args as ClapArgs, Parser, Subcommand};
use loom_front::passes::{self, Pass};
use loom_gen::patch::Setting;
use loom_map::{EngineKind, MapOptions, PinnedPort};
use std::path::PathBuf;

/// Hardware generator and compiler for a reconfigurable dataflow fabric.
#[derive(Parser, Debug)]
#[command(
    version,
    propagate_version = true,
    after_help = "\
Examples:
  loom run kernels/sum/sum.dfg.mlir --fabric configs/mesh-4x4.toml --case kernels/sum/n1000.toml -o rtl-out/sum
  loom compile kernels/gcd/gcd.scf.mlir -o rtl-out/gcd
  loom interp kernels/vecadd/vecadd.scf.mlir --case kernels/vecadd/n64.toml
  loom gen configs/mesh-2x2.toml -o rtl-out/mesh-2x2
  loom map kernels/sum/sum.dfg.mlir --fabric configs/mesh-2x2.toml -o rtl-out/sum
  loom decode rtl-out/sum/sum.mesh-2x2.config.bin --fabric configs/mesh-2x2.toml"
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Print one JSON object on standard output instead of text.
    #[arg(long, global = true)]
    pub json: bool,
    /// No progress on standard error.
    #[arg(long, global = true)]
    pub quiet: bool,
}

/// Subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Write an example project: a kernel, a case, a fabric, and what to do with them.
    #[command(
        after_help = "Example:\n  loom init first && cd first && loom sim vecadd.scf.mlir --fabric mesh-4x4.toml \\\n    \
        --case n64.toml"
    )]
    Init(Init),
    /// Generate the Verilog of a fabric.
    #[command(after_help = "Example:\n  loom gen configs/mesh-4x4.toml -o rtl-out/mesh-4x4")]
    Gen(Gen),
    /// Area, delay and FPGA size of a fabric: its Verilog in standard cells and on an FPGA, timed: docs/ppa.md.
    #[command(after_help = "Examples:\n  loom ppa configs/mesh-2x2.toml\n  \
        loom ppa configs/general-4x4.toml --tile general_control --no-fpga -o rtl-out/ppa")]
    Ppa(Ppa),
    /// Hold many fabrics of one kind against the same kernels: docs/explore.md.
    #[command(
        after_help = "Examples:\n  loom explore configs/explore/general.toml -o rtl-out/explore --budget 12\n  \
        loom explore --point rtl-out/explore/points/p000003"
    )]
    Explore(Explore),
    /// Check fabrics, graphs and cases without doing anything with them.
    #[command(after_help = "Examples:\n  loom check configs/mesh-4x4.toml kernels/sum/sum.dfg.mlir\n  \
        loom check kernels/sum/n1000.toml --kernel kernels/sum/sum.dfg.mlir")]
    Check(Check),
    /// Lower a structured program to a dataflow graph.
    #[command(after_help = "Examples:\n  loom compile kernels/gcd/gcd.scf.mlir -o rtl-out/gcd\n  \
        loom compile kernels/matmul/matmul.scf.mlir --domain for0/for0 --order serial -o rtl-out/matmul\n  \
        loom compile kernels/gemm/gemm.c -o rtl-out/gemm")]
    Compile(Compile),
    /// Run a case in software: the structured program, and the graph under several schedules.
    #[command(
        after_help = "Example:\n  loom interp kernels/vecadd/vecadd.scf.mlir --case kernels/vecadd/n64.toml"
    )]
    Interp(Interp),
    /// Map a graph onto a fabric and write the bitstream.
    #[command(
        after_help = "Example:\n  loom map kernels/sum/sum.dfg.mlir --fabric configs/mesh-2x2.toml -o rtl-out/sum"
    )]
    Map(Map),
    /// Turn a config.bin back into PE settings and routes.
    #[command(
        after_help = "Example:\n  loom decode rtl-out/sum/sum.mesh-2x2.config.bin --fabric configs/mesh-2x2.toml"
    )]
    Decode(Decode),
    /// List the base addresses of external memory in a config.bin, or set them without mapping again.
    #[command(after_help = "Examples:\n  \
        loom patch rtl-out/vecadd/vecadd.mesh-4x4.config.bin --fabric configs/mesh-4x4.toml\n  \
        loom patch rtl-out/vecadd/vecadd.mesh-4x4.config.bin --fabric configs/mesh-4x4.toml \\\n    \
        --base a=0x10000 --base b=0x20000 --base c=0x30000 -o rtl-out/vecadd/board.config.bin")]
    Patch(Patch),
    /// Write a page that shows a fabric, a graph, or a graph on a fabric: docs/view.md.
    #[command(after_help = "Examples:\n  loom view configs/mesh-8x8.toml -o rtl-out/view\n  \
        loom view kernels/matmul/matmul.scf.mlir -o rtl-out/view\n  \
        loom view kernels/matmul/matmul.scf.mlir --fabric configs/mesh-8x8.toml -o rtl-out/view")]
    View(Show),
    /// Run a case in the golden and the native cycle model.
    #[command(
        after_help = "Examples:\n  loom sim kernels/sum/sum.dfg.mlir --fabric configs/mesh-2x2.toml --case kernels/sum/stalls.toml\n  \
        loom sim board.config.bin --fabric configs/mesh-4x4.toml --case ports.toml"
    )]
    Sim(Sim),
    /// Run a case in all models, the Verilog under Verilator among them, with a mapping that exists or a new one. A
    /// bitstream runs in the timed models alone, with a case that names ports and regions: docs/cases.md.
    #[command(
        after_help = "Example:\n  loom cosim kernels/sum/sum.dfg.mlir --fabric configs/mesh-2x2.toml \
        --case kernels/sum/stalls.toml \\\n    --map rtl-out/sum/sum.mesh-2x2.map.json --waves sum.fst"
    )]
    Cosim(Cosim),
    /// All of it: map, generate, configure, run all models, compare, report.
    #[command(after_help = "Example:\n  loom run kernels/sum/sum.dfg.mlir --fabric configs/mesh-4x4.toml \
        --case kernels/sum/n1000.toml -o rtl-out/sum --json")]
    Run(Run),
    /// Run a whole C or C++ program, as it is, with its marked functions on a fabric: the program's own check decides, and its
    /// exit code is this command's. What the calls cost is said on standard error.
    #[command(after_help = "Examples:\n  loom exec kernels/crc16/crc16.c\n  \
        loom exec main.cpp filter.cpp --function filter --fabric configs/mesh-8x8.toml --on verilog -- 1000 in.dat")]
    Exec(Exec),
    /// Run every kernel case on its default fabric and print one table.
    Demo(Demo),
    /// Measure what F1 to F9 name and write it as JSON.
    Bench(Bench),
    /// Random programs through the models until the time is up; what fails is shrunk and written.
    Fuzz(Fuzz),
    /// Prove the leaf modules: protocol, tokens, progress, reset, errors, for all time.
    #[command(after_help = "Examples:\n  loom prove carry\n  loom prove --smoke --faults")]
    Prove(Prove),
    /// Report the coverage of the Verilog, by module, that runs with LOOM_COVERAGE set to a folder collected there.
    #[command(after_help = "Example:\n  LOOM_COVERAGE=target/coverage loom run kernels/sum/sum.dfg.mlir \
        --fabric configs/mesh-2x2.toml \\\n    --case kernels/sum/stalls.toml -o rtl-out/sum\n  \
        loom coverage target/coverage/coverage.dat")]
    Coverage(Coverage),
}

/// `loom init`
#[derive(ClapArgs, Debug)]
pub struct Init {
    /// Folder for the files; it may be there, the files may not.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// `loom gen`
#[derive(ClapArgs, Debug)]
pub struct Gen {
    /// Fabric, `.toml` or `.fabric.mlir`, or the name of one that comes with LOOM.
    pub fabric: PathBuf,
    /// Folder for the Verilog, `filelist.f`, a `.core` for FuseSoC, the layout and the fabric MLIR.
    #[arg(short, long)]
    pub out: PathBuf,
}

/// `loom check`
#[derive(ClapArgs, Debug)]
pub struct Check {
    /// Fabrics (`.toml`, `.fabric.mlir`), graphs (`.dfg.mlir`), and with `--kernel` cases (`.toml`).
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The graph that `.toml` files are cases of.
    #[arg(long)]
    pub kernel: Option<PathBuf>,
}

/// `loom compile`
#[derive(ClapArgs, Debug)]
pub struct Compile {
    /// Structured program (`.scf.mlir`), or C or C++.
    #[arg(required_unless_present = "list_passes")]
    pub program: Option<PathBuf>,
    #[command(flatten)]
    pub lowering: Lowering,
    /// The fabric it is for: its widest join, its index width and what it can hold.
    #[arg(long)]
    pub fabric: Option<PathBuf>,
    /// Folder for `<name>.scf.mlir` and `<name>.dfg.mlir`; of C also `<name>.ll`, `.llvm.mlir` and `.cf.mlir`.
    #[arg(short, long, required_unless_present_any = ["list_passes", "print_after", "report"])]
    pub out: Option<PathBuf>,
    /// Say of each loop what bounds its interval, and what would lower it. Without `--fabric` the units are those of mesh-8x8.
    #[arg(long)]
    pub report: bool,
    /// List the passes in their order, with what holds after each.
    #[arg(long)]
    pub list_passes: bool,
    /// Print the program after each run of a pass.
    #[arg(long, value_name = "PASS", value_parser = pass)]
    pub print_after: Option<&'static Pass>,
}

/// A pass by its name.
fn pass(name: &str) -> Result<&'static Pass, String> {
    let names = || passes::PIPELINE.map(|p| p.name).into_iter().collect::<std::collections::BTreeSet<_>>();
    passes::find(name)
        .ok_or_else(|| format!("passes are {}", names().into_iter().collect::<Vec<_>>().join(", ")))
}

/// `loom interp`
#[derive(ClapArgs, Debug)]
pub struct Interp {
    /// Structured program (`.scf.mlir`, C or C++) or graph (`.dfg.mlir`).
    pub kernel: PathBuf,
    #[command(flatten)]
    pub lowering: Lowering,
    /// Stimuli, memory contents and expectations.
    #[arg(long)]
    pub case: PathBuf,
    /// Bits of index.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub index_width: u32,
}

/// A number of annealing steps, or of conflicts.
fn steps() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=1_000_000_000)
}

/// How a kernel is mapped.
#[derive(ClapArgs, Clone, Copy, Debug)]
pub struct Mapper {
    /// Seed of the mapper.
    #[arg(long, default_value_t = 1, value_parser = seed)]
    pub seed: u64,
    /// Cycles from a request to the answer of external memory, for which the mapper lays out slack.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub memory_latency: u32,
    /// What places and routes.
    #[arg(long, value_enum, default_value_t = EngineArg::Anneal)]
    pub engine: EngineArg,
    /// Steps of the engine: conflicts of the solver for `exact` (200000 otherwise), annealing steps for each op for `anneal`
    /// (1500 otherwise), whose router then looks at 100 channels a step and no more.
    #[arg(long, value_name = "STEPS", value_parser = steps())]
    pub budget: Option<u64>,
    /// Give up without an answer when mapping takes longer.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub time_limit: Option<u64>,
}

/// `--engine`
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineArg {
    /// Simulated annealing and negotiated routing.
    Anneal,
    /// The same, then a SAT solver that proves the shortest interval, or that there is no mapping.
    Exact,
}

/// Channels that a budget pays for with each step of placement: mappings that are found take fewer.
const ROUTING_PER_STEP: u64 = 100;

impl Mapper {
    /// The annealer with a budget, or with none, and everything else as usual.
    pub fn annealer(seed: u64, budget: Option<u64>) -> Mapper {
        Mapper { seed, memory_latency: 1, engine: EngineArg::Anneal, budget, time_limit: None }
    }

    /// As the mapper takes it.
    pub fn options(self) -> MapOptions {
        let Mapper { seed, memory_latency, engine, budget, time_limit: _ } = self;
        let usual = MapOptions { seed, memory_latency, ..MapOptions::default() };
        match engine {
            EngineArg::Anneal => MapOptions {
                steps_per_item: budget.unwrap_or(usual.steps_per_item),
                routing_per_step: budget.map(|_| ROUTING_PER_STEP),
                ..usual
            },
            EngineArg::Exact => MapOptions {
                engine: EngineKind::Exact,
                conflicts: budget.unwrap_or(usual.conflicts),
                ..usual
            },
        }
    }
}

/// Which kernel on which fabric.
#[derive(ClapArgs, Debug)]
pub struct Job {
    /// Graph (`.dfg.mlir`) or structured program (`.scf.mlir`, C or C++); for `sim` and `cosim` also a bitstream (`.bin`).
    pub kernel: PathBuf,
    #[command(flatten)]
    pub lowering: Lowering,
    /// Fabric, `.toml` or `.fabric.mlir`; otherwise the smallest of those that come with LOOM and hold the kernel well.
    #[arg(long)]
    pub fabric: Option<PathBuf>,
    /// Port of the fabric for an argument or result, `NAME=in<k>` or `NAME=out<k>`; once for each.
    #[arg(long = "port", value_name = "NAME=PORT")]
    pub pins: Vec<PinnedPort>,
    #[command(flatten)]
    pub mapper: Mapper,
}

/// `loom map`
#[derive(ClapArgs, Debug)]
pub struct Map {
    #[command(flatten)]
    pub job: Job,
    /// Folder for the mapping and the bitstream.
    #[arg(short, long)]
    pub out: PathBuf,
    /// Also say whether the configured fabric can deadlock: docs/deadlock.md.
    #[arg(long)]
    pub certify: bool,
    /// The case that the mapping must run in the native model before it is written; one is made up when none is given.
    #[arg(long, conflicts_with = "no_run")]
    pub case: Option<PathBuf>,
    /// Write the mapping without running it.
    #[arg(long)]
    pub no_run: bool,
}

/// `loom decode`
#[derive(ClapArgs, Debug)]
pub struct Decode {
    /// The bitstream. A config.json beside it is checked too.
    pub config: PathBuf,
    /// The fabric it is for.
    #[arg(long)]
    pub fabric: PathBuf,
}

/// `loom patch`
#[derive(ClapArgs, Debug)]
pub struct Patch {
    /// The bitstream. A config.json beside it is checked, and names the arguments.
    pub config: PathBuf,
    /// The fabric it is for.
    #[arg(long)]
    pub fabric: PathBuf,
    /// Byte address of the first element of an argument, or of one region `<interface>/<region>`; once for each.
    #[arg(long = "base", value_name = "NAME=ADDRESS", value_parser = base, requires = "out")]
    pub bases: Vec<Setting>,
    /// The patched bitstream, `.bin`; its config.json is written beside it. May be the one that is read.
    #[arg(short, long, requires = "bases")]
    pub out: Option<PathBuf>,
}

/// `NAME=ADDRESS`, the address decimal or hexadecimal, `_` between digits.
fn base(text: &str) -> Result<Setting, String> {
    let (name, number) = text.rsplit_once('=').ok_or("no `=` between name and address")?;
    let digits = number.replace('_', "");
    let address = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u128::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    let unsigned = digits.bytes().all(|b| b.is_ascii_alphanumeric());
    let address = address.ok().filter(|_| unsigned);
    let address = address.ok_or_else(|| format!("`{number}` is no address: write 4096 or 0x1000"))?;
    match name.is_empty() {
        true => Err("no name before `=`".into()),
        false => Ok(Setting { name: name.into(), address }),
    }
}

/// What is recorded of a run.
#[derive(ClapArgs, Debug, Clone)]
pub struct Record {
    /// Also write what moved in the run: docs/view.md.
    #[arg(long)]
    pub trace: bool,
    /// Cycles that are recorded: the first, of a run that stands still the last.
    #[arg(long, default_value_t = loom_view::run::CYCLES, value_parser = clap::value_parser!(u64).range(1..=1_000_000), value_name = "COUNT")]
    pub trace_cycles: u64,
}

impl Record {
    /// As much as is recorded where nobody says how much.
    pub fn new() -> Record {
        Record { trace: false, trace_cycles: loom_view::run::CYCLES }
    }
}

/// `loom view`
#[derive(ClapArgs, Debug)]
pub struct Show {
    /// A fabric (`.toml`, `.fabric.mlir`), or a graph or program as `loom map` takes it.
    #[arg(required_unless_present = "schema")]
    pub what: Option<PathBuf>,
    /// Print the JSON schema of the data of fabrics, of mappings or of traces.
    #[arg(long, value_parser = ["fabric", "mapping", "trace"])]
    pub schema: Option<String>,
    #[command(flatten)]
    pub lowering: Lowering,
    /// The fabric that the graph or program is mapped onto; it is drawn alone otherwise.
    #[arg(long)]
    pub fabric: Option<PathBuf>,
    /// Port of the fabric for an argument or result, `NAME=in<k>` or `NAME=out<k>`; once for each.
    #[arg(long = "port", value_name = "NAME=PORT")]
    pub pins: Vec<PinnedPort>,
    #[command(flatten)]
    pub mapper: Mapper,
    /// A mapping made before, instead of mapping now.
    #[arg(long, requires = "fabric")]
    pub map: Option<PathBuf>,
    /// Also write a still picture, `<adg>.fabric.svg` or `<dfg>.<adg>.svg`.
    #[arg(long)]
    pub svg: bool,
    /// A case to run in the native model and play back, whether it ends or not.
    #[arg(long, requires = "fabric")]
    pub case: Option<PathBuf>,
    #[command(flatten)]
    pub record: Record,
    /// Folder for the page and its data.
    #[arg(short, long, required_unless_present = "schema")]
    pub out: Option<PathBuf>,
}

impl Show {
    /// What is to be mapped.
    pub fn job(&self, kernel: PathBuf) -> Job {
        Job {
            kernel,
            lowering: self.lowering.clone(),
            fabric: self.fabric.clone(),
            pins: self.pins.clone(),
            mapper: self.mapper,
        }
    }
}

/// `loom sim`
#[derive(ClapArgs, Debug)]
pub struct Sim {
    #[command(flatten)]
    pub job: Job,
    /// Stimuli and expectations.
    #[arg(long)]
    pub case: PathBuf,
    /// A mapping made before, instead of mapping now; of the fabric that is named.
    #[arg(long, requires = "fabric")]
    pub map: Option<PathBuf>,
    /// Cycles from a request to the answer on AXI ports, instead of the case's.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub axi_latency: Option<u32>,
    /// Cycles in a hundred in which an AXI channel stalls, instead of the case's.
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=95))]
    pub axi_stall: Option<u32>,
    /// Let answers of different AXI IDs overtake each other.
    #[arg(long)]
    pub axi_reorder: bool,
}

impl Sim {
    /// How memory behaves: as the case says, but for what the command line says.
    pub fn axi(&self, case: loom_sim::axi::AxiOptions) -> loom_sim::axi::AxiOptions {
        loom_sim::axi::AxiOptions {
            latency: self.axi_latency.unwrap_or(case.latency),
            stall_percent: self.axi_stall.unwrap_or(case.stall_percent),
            reorder: self.axi_reorder || case.reorder,
            ..case
        }
    }
}

/// `loom cosim`
#[derive(ClapArgs, Debug)]
pub struct Cosim {
    #[command(flatten)]
    pub sim: Sim,
    /// Write the waves of the Verilog run to this FST file.
    #[arg(long)]
    pub waves: Option<PathBuf>,
}

/// `loom run`
#[derive(ClapArgs, Debug)]
pub struct Run {
    #[command(flatten)]
    pub sim: Sim,
    /// Folder for everything that is made.
    #[arg(short, long)]
    pub out: PathBuf,
    /// Write the waves of the Verilog run to this FST file.
    #[arg(long)]
    pub waves: Option<PathBuf>,
    /// Also write a page that shows the mapping and plays the run: docs/view.md.
    #[arg(long)]
    pub view: bool,
    #[command(flatten)]
    pub record: Record,
}

/// `loom exec`
#[derive(ClapArgs, Debug)]
pub struct Exec {
    /// All C or C++ files of the program.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// A function that runs on the fabric: a name or a symbol; once for each. The marked ones otherwise.
    #[arg(long = "function", value_name = "NAME")]
    pub functions: Vec<String>,
    /// Fabric, `.toml` or `.fabric.mlir`; otherwise the smallest of those that come with LOOM and hold all functions well.
    #[arg(long)]
    pub fabric: Option<PathBuf>,
    /// What calls go to.
    #[arg(long, value_enum, default_value_t)]
    pub on: On,
    #[command(flatten)]
    pub clang: Clang,
    /// Library to link, as `-l` of a linker; once for each. The mathematical one always is.
    #[arg(long, value_name = "LIBRARY")]
    pub link: Vec<String>,
    #[command(flatten)]
    pub passes: PassChoices,
    /// Seed of the mapper.
    #[arg(long, default_value_t = 1, value_parser = seed)]
    pub seed: u64,
    /// Annealing steps for each op (1500 otherwise): with fewer there is an answer sooner, and the functions take more cycles.
    #[arg(long, value_name = "STEPS", value_parser = steps())]
    pub budget: Option<u64>,
    /// Keeps the mapping that is made before the program runs; otherwise each function is mapped anew for what its first calls do.
    #[arg(long)]
    pub no_profile: bool,
    /// Cycles that a call may take, or steps of the golden model.
    #[arg(long, default_value_t = 1_000_000_000, value_name = "COUNT")]
    pub max_cycles: u64,
    /// Folder for everything that is made of the functions.
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Arguments of the program.
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<std::ffi::OsString>,
}

/// `--on`
#[derive(clap::ValueEnum, Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum On {
    /// The native model of the fabric.
    #[default]
    Native,
    /// The fabric's Verilog under Verilator.
    Verilog,
    /// The graphs alone.
    Golden,
}

/// `loom demo`
#[derive(ClapArgs, Debug)]
pub struct Demo {
    /// Folder with the kernels.
    #[arg(long, default_value = "kernels")]
    pub kernels: PathBuf,
    /// The fabric to run on.
    #[arg(long, default_value = "configs/mesh-4x4.toml")]
    pub fabric: PathBuf,
    /// Folder for everything that is made.
    #[arg(short, long)]
    pub out: PathBuf,
}
