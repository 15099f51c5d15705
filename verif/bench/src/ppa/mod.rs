//! Area, delay and FPGA size of a fabric, by the tools of Debian.
//!
//! Its Verilog is mapped to the cells of a library by yosys and timed by OpenSTA, tile by tile. Each distinct module is mapped once; a
//! tile is composed of the netlists of its modules and timed with all of them, so that a path through several of them is as long as
//! it is in the fabric. `docs/ppa.md` says what is measured and what is left out.
//!
//! Guarantees: the same figures for any number of jobs; totals that are the sums over instances.
//! Refuses: a tile that is not there, a library that lacks cells; says which tool is missing.

pub mod calibrate;
pub mod cells;
pub mod class;
pub mod fit;
mod plan;
pub mod report;
mod stat;
mod timing;

pub use stat::{is_flip_flop, CellCounts};

use crate::codes;
use cells::{CellMapper, FpgaSize, MappedCells};
use loom_adg::cost::area::CostClass;
use loom_adg::Fabric;
use loom_base::{Diagnostic, Diagnostics};
use loom_cosim::files;
use loom_cosim::tools::{each, YOSYS};
use loom_hdl::ir::{Module, GATE_MODULE};
use plan::{Plan, Signal, Subject};
use report::{FabricFigures, PathStage, PpaFigures, PpaRow};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use timing::{Netlist, StageKind, TimedStage, STA};

/// Where Debian's package `qflow-tech-osu018` has its cells.
pub const LIBERTY: &str = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";

/// What is measured, where, and with what.
#[derive(Clone, Debug)]
pub struct PpaOptions {
    /// Folder for the Verilog, and below it, in `ppa`, for scripts, netlists and reports.
    pub out: PathBuf,
    /// The cells, a Liberty file.
    pub liberty: PathBuf,
    /// Verilog of a module `loom_clock_gate` in those cells; without it configuration has enables instead.
    pub clock_gate: Option<PathBuf>,
    /// One tile instead of all that stands in the fabric.
    pub tile: Option<String>,
    /// Whether to map to an FPGA too.
    pub fpga: bool,
    /// Modules at a time.
    pub jobs: usize,
}

/// Measures a fabric; `progress` hears of each step as it ends.
pub fn measure(
    fabric: &Fabric,
    options: &PpaOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<FabricFigures, Diagnostics> {
    let made = loom_gen::elaborate(fabric)?;
    let plan = Plan::new(fabric, &made, options.tile.as_deref())?;
    YOSYS.find()?;
    STA.find()?;
    let library = library(&options.liberty)?;
    let verilog = absolute(&options.out)?;
    let out = verilog.join("ppa");
    std::fs::create_dir_all(&out).map_err(|e| cells::failed(&out, &e))?;
    for (name, text) in made.files() {
        let path = verilog.join(name);
        files::write(&path, text.as_bytes()).map_err(|e| cells::failed(&path, &e))?;
    }
    let liberty = absolute(&options.liberty)?;
    let has_driver = library.contains("(INVX2)");
    let gate = options.clock_gate.as_deref().map(clock_gate).transpose()?;
    let mapper = CellMapper {
        verilog: &verilog,
        out: &out,
        liberty: &liberty,
        clock_gate: gate.as_deref(),
        has_driver,
    };
    mapper.prepare()?;
    let mapped = map(&plan, &mapper, options, progress)?;
    let paths = time(&plan, &mapper, options.jobs, progress)?;
    let rows = plan.subjects.iter().zip(paths).map(|(s, path)| row(&plan, s, &mapped, path)).collect();
    let file = options.liberty.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(FabricFigures::of(fabric.name().to_string(), file, rows))
}

fn absolute(path: &Path) -> Result<PathBuf, Diagnostics> {
    std::path::absolute(path).map_err(|e| cells::failed(path, &e))
}

/// Where the clock gate is, which must be one by its name.
fn clock_gate(path: &Path) -> Result<PathBuf, Diagnostics> {
    let refused = |why: String| {
        let message = format!("`{}` {why}", path.display());
        vec![Diagnostic::error(codes::LIBRARY, message).help(format!(
            "Verilog of a module `{GATE_MODULE}` in cells of the library, as tools/ppa/osu018_clock_gate.v is"
        ))]
    };
    let text = files::read(path).map_err(|e| refused(format!("cannot be read: {e}")))?;
    match String::from_utf8_lossy(&text).contains(&format!("module {GATE_MODULE}")) {
        true => absolute(path),
        false => Err(refused(format!("has no module `{GATE_MODULE}`"))),
    }
}

/// The text of a library.
fn library(path: &Path) -> Result<String, Diagnostics> {
    let refused = |why: String| {
        let error = Diagnostic::error(codes::LIBRARY, format!("`{}` {why}", path.display()));
        vec![match path == Path::new(LIBERTY) {
            true => error
                .help("on Debian: apt-get install qflow-tech-osu018; or name another one with `--liberty`"),
            false => {
                error.help("a Liberty file of cells, such as those of the Debian package qflow-tech-osu018")
            }
        }]
    };
    let text = files::read(path).map_err(|e| refused(format!("cannot be read: {e}")))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    match text.contains("library") && text.contains("cell") {
        true => Ok(text),
        false => Err(refused("has no cells".into())),
    }
}

/// A module as it is mapped.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    cells: MappedCells,
    fpga: Option<FpgaSize>,
}

/// Maps every distinct module, the one with the longest text first: it takes longest.
fn map(
    plan: &Plan,
    mapper: &CellMapper,
    options: &PpaOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<BTreeMap<String, Sizes>, Diagnostics> {
    let size =
        |name: &str| std::fs::metadata(mapper.verilog.join(format!("{name}.v"))).map_or(0, |m| m.len());
    let mut modules: Vec<_> = plan.modules.values().collect();
    modules.sort_by_key(|m| (std::cmp::Reverse(size(&m.name)), m.name.clone()));
    let kinds: &[bool] = if options.fpga { &[false, true] } else { &[false] };
    let steps: Vec<_> = modules.iter().flat_map(|m| kinds.iter().map(move |&fpga| (*m, fpga))).collect();
    let ended = AtomicUsize::new(0);
    let sizes = each(&steps, options.jobs, |(module, fpga)| {
        let composed = plan.composed.contains(&module.name);
        let result = match fpga {
            false => mapper.map(module, composed).map(|cells| (Some(cells), None)),
            true => mapper.fpga(module, composed).map(|fpga| (None, Some(fpga))),
        };
        let count = ended.fetch_add(1, Ordering::Relaxed) + 1;
        progress(&format!("mapped {} ({count} of {})", module.name, steps.len()));
        result
    })?;
    let mut mapped: BTreeMap<String, Sizes> = BTreeMap::new();
    for ((module, _), (cells, fpga)) in steps.iter().zip(sizes) {
        let none = Sizes { cells: MappedCells::default(), fpga: None };
        let entry = mapped.entry(module.name.clone()).or_insert(none);
        entry.cells = cells.unwrap_or(entry.cells);
        entry.fpga = fpga.or(entry.fpga);
    }
    Ok(mapped)
}

/// The longest path of each subject; of those with neighbours, when their outputs have come to it.
fn time(
    plan: &Plan,
    mapper: &CellMapper,
    jobs: usize,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Vec<TimedStage>>, Diagnostics> {
    let netlist = |at: usize| {
        let subject = &plan.subjects[at];
        let files = plan.parts(subject).keys().map(|name| mapper.netlist(name)).collect();
        Netlist { module: subject.module.as_ref(), files, liberty: mapper.liberty, out: mapper.out }
    };
    let numbers: Vec<usize> = (0..plan.subjects.len()).collect();
    let mut arrivals: BTreeMap<Signal, f64> = BTreeMap::new();
    for level in &plan.levels {
        let of: Vec<usize> =
            numbers.iter().copied().filter(|at| level.iter().any(|(s, _)| s == at)).collect();
        let come = each(&of, jobs, |&at| {
            netlist(at).arrivals(&|signal| match plan.drivers.get(&(at, signal.to_string())) {
                Some(from) => from.iter().filter_map(|s| arrivals.get(s)).copied().reduce(f64::max),
                None => Some(0.0),
            })
        })?;
        let signals =
            of.iter().zip(come).flat_map(|(&at, come)| come.into_iter().map(move |(s, t)| ((at, s), t)));
        arrivals.extend(signals.filter(|(signal, _)| level.contains(signal)).collect::<Vec<_>>());
    }
    each(&numbers, jobs, |&at| {
        let subject = &plan.subjects[at];
        if subject.is_frame {
            return Ok(Vec::new());
        }
        let mut inputs: BTreeMap<String, f64> = BTreeMap::new();
        for ((_, signal), from) in plan.drivers.iter().filter(|((to, _), _)| *to == at) {
            let latest = from.iter().filter_map(|signal| arrivals.get(signal));
            inputs.insert(signal.clone(), latest.copied().fold(0.0, f64::max));
        }
        let path = netlist(at).longest(&inputs);
        progress(&format!("timed {}", subject.name));
        path
    })
}

/// The figures of a subject.
fn row(plan: &Plan, subject: &Subject, mapped: &BTreeMap<String, Sizes>, path: Vec<TimedStage>) -> PpaRow {
    let mut area_by_class: BTreeMap<CostClass, f64> = BTreeMap::new();
    let (mut flip_flops, mut ram_bits) = (0, 0);
    let mut fpga = Some(FpgaSize::default());
    for (module, times) in plan.parts(subject) {
        let sizes = &mapped[module];
        *area_by_class.entry(class::of_module(module)).or_default() += sizes.cells.area_um2 * times as f64;
        flip_flops += sizes.cells.flip_flops * times;
        ram_bits += sizes.cells.ram_bits * times;
        fpga = fpga.zip(sizes.fpga).map(|(sum, one)| sum + one * times);
    }
    let class = |name: &str| {
        let of = subject.module.instances.iter().find(|i| i.name == name);
        of.map_or(CostClass::Rest, |i| class_of(&i.module, plan))
    };
    let stage = |stage: &TimedStage| {
        let (name, is) = match stage.kind {
            StageKind::Port => (stage.name.clone(), "port"),
            StageKind::Instance => {
                let name = subject.names.get(&stage.name).unwrap_or(&stage.name);
                (name.clone(), class(&stage.name).name())
            }
            StageKind::Own => (subject.name.clone(), class::of_module(&subject.module.name).name()),
        };
        PathStage { name, is, at_ns: stage.at_ns }
    };
    PpaRow {
        name: subject.name.clone(),
        module: subject.module.name.clone(),
        is_tile: subject.is_tile,
        instances: subject.instances,
        figures: PpaFigures {
            area_um2: area_by_class.values().sum(),
            flip_flops,
            ram_bits,
            period_ns: path.last().map(|s| s.at_ns),
            lut4: fpga.map(|f| f.lut4),
            fpga,
            area_by_class,
        },
        path: path.iter().map(stage).collect(),
    }
}

/// The class of an instance; of a component that has a tile of its own, the component's.
fn class_of(module: &Module, plan: &Plan) -> CostClass {
    let unit =
        module.instances.iter().find(|i| i.name == "unit").filter(|_| plan.composed.contains(&module.name));
    class::of_module(unit.map_or(&module.name, |i| &i.module.name))
}
