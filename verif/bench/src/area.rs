//! Area and depth of a module in yosys' generic cells, the way the predecessor's were measured:
//! `synth -flatten; abc; stat; ltp -noff` and `abc -lut 6`.

use std::io::Write;
use std::path::Path;
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

/// Synthesizes `top` of the given files; `Err` is the tool's last lines.
pub fn measure(yosys: &Path, files: &[(String, String)], top: &str) -> Result<Area, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let source = folder.path().join("design.v");
    let mut out = std::fs::File::create(&source).map_err(|e| e.to_string())?;
    for (_, text) in files {
        out.write_all(text.as_bytes()).map_err(|e| e.to_string())?;
    }
    let run = |back: &str| -> Result<String, String> {
        let script = format!("read_verilog design.v; synth -flatten -top {top}; {back}");
        let done = Command::new(yosys)
            .current_dir(folder.path())
            .args(["-q", "-p", &format!("{script}; tee -o report.txt stat; tee -a report.txt ltp -noff")])
            .output()
            .map_err(|e| e.to_string())?;
        if !done.status.success() {
            let text = String::from_utf8_lossy(&done.stderr).into_owned();
            return Err(text.lines().rev().take(5).collect::<Vec<_>>().join("\n"));
        }
        std::fs::read_to_string(folder.path().join("report.txt")).map_err(|e| e.to_string())
    };
    let gates = parse(&run("abc")?);
    let luts = parse(&run("abc -lut 6")?);
    Ok(Area { lut6: luts.lut6, ..gates })
}

/// Reads `stat` and `ltp` output.
fn parse(report: &str) -> Area {
    let mut area = Area::default();
    for line in report.lines() {
        let mut words = line.split_whitespace();
        match (words.next(), words.next().and_then(|n| n.parse::<u64>().ok())) {
            (Some("$lut"), Some(n)) => area.lut6 += n,
            (Some(cell), Some(n)) if cell.contains("DFF") || cell.contains("DLATCH") => area.ff_bits += n,
            (Some(cell), Some(n)) if cell.starts_with("$_") => area.gates += n,
            _ => {}
        }
        if let Some(at) = line.find("(length=") {
            let digits: String = line[at + 8..].chars().take_while(char::is_ascii_digit).collect();
            area.path = area.path.max(digits.parse().unwrap_or(0));
        }
    }
    area
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
