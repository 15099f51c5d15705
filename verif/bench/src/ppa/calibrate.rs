//! What the model of area and delay (`loom_adg::cost`) is fitted to: single modules, mapped and timed as `loom ppa` does it.
//!
//! The modules are those of a fabric without connections, `verif/bench/calibration/probes.toml`: every component, the slice of
//! its configuration, every function unit of its PEs (of PEs called `units_...` these alone), and some nodes of the error tree.
//!
//! Guarantees: a module whose text and tools are those of an earlier run keeps its figures; the file is in order of names, so
//! the same figures give the same bytes.

use super::cells::{failed, CellMapper};
use super::timing::{Netlist, STA};
use super::{absolute, library};
use crate::codes;
use loom_adg::layout::SliceLayout;
use loom_adg::model::Component;
use loom_adg::Fabric;
use loom_base::{Diagnostic, Diagnostics};
use loom_cosim::tools::{each, YOSYS};
use loom_hdl::ir::{Design, Module};
use loom_hdl::parts;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Of PEs whose names begin with it the units alone are measured.
const UNITS_ONLY: &str = "units_";

/// Units and busy parts of the error nodes that are measured.
const ERROR_NODES: [(usize, usize); 5] = [(2, 3), (4, 4), (8, 14), (12, 24), (16, 20)];

/// Words, slices and depth of the error tree of the loaders that are measured.
const LOADERS: [(usize, usize, u32); 2] = [(100, 30, 2), (4000, 900, 4)];

/// The figures of one module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeFigures {
    /// Its module.
    pub module: String,
    /// The digest of its Verilog, with all below it.
    pub text: String,
    /// Area of its cells, in square micrometres.
    pub area_um2: u64,
    /// Flip-flops.
    pub flip_flops: u64,
    /// From each class of inputs to each class of outputs, `v>r`, the longest path in picoseconds. `k` is the clock, `v` valid, `l`
    /// and `h` the lowest and the highest bit of data, `r` ready, `c` the configuration, `s` the setup of a register.
    pub arcs_ps: BTreeMap<String, u32>,
}

/// What was measured, by what it is of: `component NAME`, `slice NAME`, `unit MODULE`,
/// `errors UNITS BUSIES`, `loader WORDS SLICES DEPTH`.
pub type ProbeTable = BTreeMap<String, ProbeFigures>;

/// Where and with what probes are measured.
#[derive(Clone, Debug)]
pub struct CalibrationOptions {
    /// Folder for the Verilog, scripts, netlists and reports.
    pub out: PathBuf,
    /// The cells, a Liberty file.
    pub liberty: PathBuf,
    /// Modules at a time.
    pub jobs: usize,
}

/// The modules that are measured, by what they are of.
pub fn probes(fabric: &Fabric) -> BTreeMap<String, Arc<Module>> {
    let mut found = BTreeMap::new();
    for definition in &fabric.adg().definitions {
        let (name, component) = (&definition.name, &definition.component);
        if let Component::SpatialPe(pe) = component {
            for fu in &pe.fus {
                let unit = parts::function_unit(fu, fabric.index_width());
                found.insert(format!("unit {}", unit.name.trim_start_matches("loom_")), unit);
            }
        }
        if name.starts_with(UNITS_ONLY) {
            continue;
        }
        let layout = SliceLayout::new(component, fabric.index_width());
        if layout.words() > 0 {
            found.insert(format!("slice {name}"), parts::config_slice(layout.words(), layout.bits));
        }
        found.insert(format!("component {name}"), parts::component(component, fabric.index_width()));
    }
    for (units, busies) in ERROR_NODES {
        found.insert(format!("errors {units} {busies}"), parts::error_node(units, busies));
    }
    for (words, slices, depth) in LOADERS {
        found.insert(format!("loader {words} {slices} {depth}"), parts::config_loader(words, slices, depth));
    }
    found
}

/// A module that is to be measured.
struct Left {
    size: usize,
    text: String,
    module: Arc<Module>,
    names: Vec<String>,
}

/// Measures what `known` does not have yet; `kept` gets the whole table after each module, so that a run can be ended and go on.
pub fn calibrate(
    fabric: &Fabric,
    known: &ProbeTable,
    options: &CalibrationOptions,
    kept: &(dyn Fn(&ProbeTable) -> Result<(), Diagnostics> + Sync),
) -> Result<ProbeTable, Diagnostics> {
    YOSYS.find()?;
    STA.find()?;
    let cells = library(&options.liberty)?;
    let verilog = absolute(&options.out)?;
    let out = verilog.join("ppa");
    std::fs::create_dir_all(&out).map_err(|e| failed(&out, &e))?;
    let liberty = absolute(&options.liberty)?;
    let has_driver = cells.contains("(INVX2)");
    let mapper = CellMapper { verilog: &verilog, out: &out, liberty: &liberty, clock_gate: None, has_driver };
    mapper.prepare()?;
    let mut table = ProbeTable::new();
    // Several probes may be of one module, which is measured once.
    let mut left: BTreeMap<String, Left> = BTreeMap::new();
    for (name, module) in probes(fabric) {
        let (text, size) = write(&module, &verilog)?;
        match known.get(&name).filter(|f| f.text == text) {
            Some(figures) => drop(table.insert(name, figures.clone())),
            None => {
                let new = Left { size, text, module: module.clone(), names: Vec::new() };
                left.entry(module.name.clone()).or_insert(new).names.push(name);
            }
        }
    }
    let mut left: Vec<Left> = left.into_values().collect();
    // The small ones first: a run that is ended has most of them.
    left.sort_by_key(|l| (l.size, l.module.name.clone()));
    let table = Mutex::new(table);
    each(&left, options.jobs, |l| {
        let figures = measure(&mapper, &l.module, &l.text)?;
        let mut table = table.lock().expect("no panic");
        table.extend(l.names.iter().map(|name| (name.clone(), figures.clone())));
        kept(&table)
    })?;
    Ok(table.into_inner().expect("no panic"))
}

/// Writes a module and what is below it; gives the digest and the length of that.
fn write(module: &Arc<Module>, folder: &Path) -> Result<(String, usize), Diagnostics> {
    let mut design = Design::new();
    design.add(module);
    let mut all = String::new();
    for (name, text) in design.files() {
        let path = folder.join(name);
        loom_cosim::files::write(&path, text.as_bytes()).map_err(|e| failed(&path, &e))?;
        all.push_str(&text);
    }
    let digest = Sha256::digest(all.as_bytes());
    Ok((digest.iter().take(8).map(|b| format!("{b:02x}")).collect(), all.len()))
}

fn measure(mapper: &CellMapper, module: &Arc<Module>, text: &str) -> Result<ProbeFigures, Diagnostics> {
    let mapped = mapper.map(module, false)?;
    let files = vec![mapper.netlist(&module.name)];
    let netlist = Netlist { module, files, liberty: mapper.liberty, out: mapper.out };
    Ok(ProbeFigures {
        module: module.name.clone(),
        text: text.into(),
        area_um2: mapped.area_um2.round() as u64,
        flip_flops: mapped.flip_flops,
        arcs_ps: netlist.arcs()?,
    })
}

/// The table as it is kept.
pub fn to_text(table: &ProbeTable) -> String {
    let mut text = serde_json::to_string_pretty(table).expect("plain data");
    text.push('\n');
    text
}

/// Reads what [`to_text`] wrote.
pub fn from_text(text: &str) -> Result<ProbeTable, Diagnostics> {
    serde_json::from_str(text).map_err(|e| {
        vec![Diagnostic::error(codes::REPORT, format!("the table of probes cannot be read: {e}"))
            .help("remove it to measure all of them again")]
    })
}
