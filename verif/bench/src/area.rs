//! Area and depth of a module in yosys' generic cells, the way the predecessor's were measured:
//! `synth -flatten; abc; stat; ltp -noff` and `abc -lut 6`.

use crate::ppa::{is_flip_flop, CellCounts};
use loom_base::{Diagnostic, Diagnostics};
use loom_cosim::codes::TOOL_FAILED;
use loom_cosim::tools::{self, YOSYS};
use std::process::Command;

/// Size of a synthesized module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// Generic gates, flip-flops not counted.
    pub gates: u64,
    /// Flip-flop bits.
    pub ff_bits: u64,
    /// Longest path in gates.
    pub path: u64,
    /// Six-input lookup tables.
    pub lut6: u64,
}

/// Synthesizes `top` of the given files.
pub fn measure(files: &[(String, String)], top: &str) -> Result<Area, Diagnostics> {
    let io =
        |e: std::io::Error| vec![Diagnostic::error(TOOL_FAILED, format!("`{top}` cannot be written: {e}"))];
    let folder = tempfile::tempdir().map_err(io)?;
    let texts: String = files.iter().map(|(_, text)| text.as_str()).collect();
    std::fs::write(folder.path().join("design.v"), texts).map_err(io)?;
    let run = |back: &str| -> Result<String, Diagnostics> {
        let script = format!(
            "read_verilog design.v; synth -flatten -top {top}; {back}; tee -o report.txt stat; tee -a report.txt ltp -noff"
        );
        let mut yosys = Command::new(YOSYS.find()?);
        tools::run(yosys.current_dir(folder.path()).args(["-q", "-p", &script]))?;
        std::fs::read_to_string(folder.path().join("report.txt")).map_err(io)
    };
    let gates = parse(&run("abc")?);
    let luts = parse(&run("abc -lut 6")?);
    Ok(Area { lut6: luts.lut6, ..gates })
}

/// Reads `stat` and `ltp` output.
fn parse(report: &str) -> Area {
    let counts = CellCounts::parse(report);
    let length = |line: &str| -> Option<u64> {
        let digits = line.split_once("(length=")?.1;
        digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    Area {
        gates: counts.count(|cell| cell.starts_with("$_") && !is_flip_flop(cell)),
        ff_bits: counts.count(is_flip_flop),
        path: report.lines().filter_map(length).max().unwrap_or(0),
        lut6: counts.count(|cell| cell == "$lut"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_yosys_reports() {
        let report =
            "   Number of cells: 7\n     $_AND_   4\n     $_DFFE_PP_  32\n     $_SDFF_PN0_ 2\n     $lut 5\n\
                      Longest topological path in x (length=63):\n";
        assert_eq!(parse(report), Area { gates: 4, ff_bits: 34, path: 63, lut6: 5 });
    }
}
