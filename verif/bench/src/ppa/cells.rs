//! One module by yosys: to cells of a library, with the netlist that timing is computed from, and to the parts of an FPGA.
//!
//! A module is mapped with everything below it, flattened, or, when it is composed, around its instances. Netlists have no
//! `assign`: an output that is another net, or a constant, is driven through a `loom_wire`, which has neither area nor delay.
//! Arrays of 1024 words and more stay RAM: registers stand at their ports, their bits are not counted as cells.

use super::stat::{is_flip_flop, CellCounts};
use crate::codes;
use loom_base::{Diagnostic, Diagnostics};
use loom_cosim::codes::TOOL_FAILED;
use loom_cosim::files;
use loom_cosim::tools::{self, YOSYS};
use loom_hdl::ir::{Module, CLOCK_GATES};
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::{Add, Mul};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Words from which an array is RAM.
const RAM_WORDS: u32 = 1024;

/// How an array that is RAM is kept out of the cells.
const RAM: &str = include_str!("ram.v");

/// Picoseconds that a module alone may take before its cells are made larger.
const TARGET_PS: u32 = 6000;

/// What one net drives another one by.
const WIRE: &str = "module loom_wire (A, Y);\n  input A;\n  output Y;\n  assign Y = A;\nendmodule\n";

/// A module in cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MappedCells {
    /// Area of its cells.
    pub area_um2: f64,
    /// Flip-flops, a bit each.
    pub flip_flops: u64,
    /// Bits of RAM, which have no area here.
    pub ram_bits: u64,
}

/// A module on an FPGA (ECP5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FpgaSize {
    /// Lookup tables of four inputs: those of logic, two for each carry cell, six for each RAM of 16 x 4 bits.
    pub lut4: u64,
    /// Flip-flops.
    pub flip_flops: u64,
    /// Multipliers of 18 x 18 bits.
    pub mult18: u64,
    /// Blocks of RAM, 16 Kibit each.
    pub block_ram: u64,
}

impl FpgaSize {
    fn of(counts: &CellCounts) -> FpgaSize {
        let count = |cell: &str| counts.cells.get(cell).copied().unwrap_or(0);
        FpgaSize {
            lut4: count("LUT4") + 2 * count("CCU2C") + 6 * count("TRELLIS_DPR16X4"),
            flip_flops: count("TRELLIS_FF"),
            mult18: count("MULT18X18D"),
            block_ram: count("DP16KD") + count("PDPW16KD"),
        }
    }
}

impl Add for FpgaSize {
    type Output = FpgaSize;
    fn add(self, other: FpgaSize) -> FpgaSize {
        FpgaSize {
            lut4: self.lut4 + other.lut4,
            flip_flops: self.flip_flops + other.flip_flops,
            mult18: self.mult18 + other.mult18,
            block_ram: self.block_ram + other.block_ram,
        }
    }
}

impl Mul<u64> for FpgaSize {
    type Output = FpgaSize;
    fn mul(self, times: u64) -> FpgaSize {
        FpgaSize {
            lut4: self.lut4 * times,
            flip_flops: self.flip_flops * times,
            mult18: self.mult18 * times,
            block_ram: self.block_ram * times,
        }
    }
}

/// Where modules are mapped, and to what.
pub struct CellMapper<'a> {
    /// Folder with the Verilog of each module, `<module>.v`.
    pub verilog: &'a Path,
    /// Folder for scripts, netlists and reports.
    pub out: &'a Path,
    /// The cells, a Liberty file.
    pub liberty: &'a Path,
    /// A clock gate in those cells, where configuration stands behind gates.
    pub clock_gate: Option<&'a Path>,
    /// Whether the library has the cell that inputs are driven by.
    pub has_driver: bool,
}

impl CellMapper<'_> {
    /// Files that all modules share. Of what ABC does by itself its sweeps for equal nets are left out: on multipliers they take
    /// many minutes, and save hardly any cells. In the place of `dc2`, which looks at area alone and turns the prefix trees of sums
    /// into ripples, stands `&syn2`, which keeps levels few.
    pub fn prepare(&self) -> Result<(), Diagnostics> {
        self.write("ram.v", RAM)?;
        // Timing reads it beside the netlists; several runs at once must not find half of it.
        self.write("wire.v", WIRE)?;
        self.write(
            "abc.script",
            &format!(
                "strash\n&get -n\n&syn2\n&dch -f\n&nf -D {TARGET_PS}\n&put\nbuffer\nupsize -D {TARGET_PS}\n\
                 dnsize -D {TARGET_PS}\n"
            ),
        )?;
        // Picofarads, about three inputs; the same for all modules.
        let driver = if self.has_driver { "set_driving_cell INVX2\n" } else { "" };
        self.write("constraints", &format!("{driver}set_load 0.03 [all_outputs]\n"))
    }

    /// The netlist of a module.
    pub fn netlist(&self, module: &str) -> PathBuf {
        self.out.join(format!("{module}.cells.v"))
    }

    /// Maps a module to cells.
    pub fn map(&self, module: &Arc<Module>, composed: bool) -> Result<MappedCells, Diagnostics> {
        let name = &module.name;
        let liberty = quoted(self.liberty);
        let script = format!(
            "{read}hierarchy -check -top {name}\nproc\n{flatten}\
             opt -full\nwreduce\npeepopt\nopt_clean\nalumacc\nshare\nopt\nmemory -nomap\nopt_clean\nopt -fast\n\
             techmap -autoproc -map ram.v t:$mem_v2 r:SIZE>={RAM_WORDS} %i\n\
             memory_map\nopt -undriven -fine\ntechmap\nopt -fast\ntee -o {name}.generic.txt stat\n\
             dfflibmap -liberty {liberty}\nabc -liberty {liberty} -constr constraints -script abc.script\n\
             setundef -zero\nopt_clean -purge\ntee -o {name}.cells.txt stat -liberty {liberty}\n\
             insbuf -buf loom_wire A Y\nclean\nwrite_verilog -noattr -noexpr {name}.cells.v\n",
            read = self.read(module, composed, self.clock_gate),
            flatten = if composed { "" } else { "flatten\n" },
        );
        self.yosys(&format!("{name}.cells.ys"), &script)?;
        let generic = CellCounts::parse(&self.report(&format!("{name}.generic.txt"))?);
        let counts = CellCounts::parse(&self.report(&format!("{name}.cells.txt"))?);
        let instances = |cell: &String| composed && module.instances.iter().any(|i| i.module.name == *cell);
        if let Some(cell) = counts.unknown.iter().find(|cell| !instances(cell)) {
            let message = format!("`{}` has no cell for `{cell}` of `{name}`", self.liberty.display());
            return Err(vec![Diagnostic::error(codes::LIBRARY, message)
                .help("it needs NAND or NOR, an inverter, and a flip-flop with a rising clock")]);
        }
        let ram_bits = if composed { own_ram_bits(module) } else { ram_bits(module) };
        Ok(MappedCells { area_um2: counts.area_um2, flip_flops: generic.count(is_flip_flop), ram_bits })
    }

    /// Maps a module to the parts of an FPGA.
    pub fn fpga(&self, module: &Arc<Module>, composed: bool) -> Result<FpgaSize, Diagnostics> {
        let name = &module.name;
        let read = self.read(module, composed, None);
        // yosys 0.23 maps with its first ABC and with wide muxes unless told otherwise, which takes up to four times the LUTs: 1128 for
        // a shifter of 339. Later versions have ABC9 as we do.
        let script = format!(
            "{read}synth_ecp5 -abc9 -nowidelut -top {name}\ntee -o {name}.ecp5.txt stat -top {name}\n"
        );
        self.yosys(&format!("{name}.ecp5.ys"), &script)?;
        Ok(FpgaSize::of(&CellCounts::parse(&self.report(&format!("{name}.ecp5.txt"))?)))
    }

    /// Reads a module: with all below it, or knowing only the ports of what stands in it. With a gate, its registers' clocks are
    /// gated.
    fn read(&self, module: &Arc<Module>, composed: bool, gate: Option<&Path>) -> String {
        let mut below = BTreeSet::new();
        add_below(module, !composed, &mut below);
        let option = if composed { "-lib " } else { "" };
        let gate = gate.filter(|_| !composed && has_gates(module));
        let define = if gate.is_some() { format!("-D {CLOCK_GATES} ") } else { String::new() };
        let file = |name: &str| quoted(&self.verilog.join(format!("{name}.v")));
        let mut text: String =
            below.iter().map(|name| format!("read_verilog {option}{define}{}\n", file(name))).collect();
        text.push_str(&format!("read_verilog {define}{}\n", file(&module.name)));
        if let Some(gate) = gate {
            text.push_str(&format!(
                "read_liberty -lib {}\nread_verilog {}\n",
                quoted(self.liberty),
                quoted(gate)
            ));
        }
        text
    }

    fn yosys(&self, name: &str, script: &str) -> Result<(), Diagnostics> {
        self.write(name, script)?;
        tools::run(Command::new(YOSYS.find()?).args(["-q", "-s", name]).current_dir(self.out)).map(|_| ())
    }

    /// Writes a file beside the netlists.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Diagnostics> {
        let path = self.out.join(name);
        files::write(&path, text.as_bytes()).map_err(|e| failed(&path, &e))
    }

    fn report(&self, name: &str) -> Result<String, Diagnostics> {
        let path = self.out.join(name);
        files::read_kept(&path).map_err(|e| failed(&path, &e))
    }
}

/// What became of a file of a tool.
pub fn failed(path: &Path, error: &std::io::Error) -> Diagnostics {
    vec![Diagnostic::error(TOOL_FAILED, format!("`{}`: {error}", path.display()))]
}

/// A path as yosys' scripts take it.
fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.display())
}

fn add_below<'a>(module: &'a Module, all: bool, found: &mut BTreeSet<&'a str>) {
    for instance in &module.instances {
        if found.insert(&instance.module.name) && all {
            add_below(&instance.module, all, found);
        }
    }
}

/// Whether the module, or one below it, has registers behind a gate.
fn has_gates(module: &Module) -> bool {
    module.is_gated() || module.instances.iter().any(|i| has_gates(&i.module))
}

fn own_ram_bits(module: &Module) -> u64 {
    let rams = module.mems.iter().filter(|m| m.depth >= RAM_WORDS);
    rams.map(|m| u64::from(m.depth) * u64::from(m.width)).sum()
}

fn ram_bits(module: &Module) -> u64 {
    own_ram_bits(module) + module.instances.iter().map(|i| ram_bits(&i.module)).sum::<u64>()
}
