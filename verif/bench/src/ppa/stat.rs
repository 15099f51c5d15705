//! What yosys says of a module: the report of `stat`.

use std::collections::BTreeMap;

/// The cells of a module by type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellCounts {
    /// How many of each.
    pub cells: BTreeMap<String, u64>,
    /// Their area, where a library said what it is of each.
    pub area_um2: f64,
    /// Types of which no library says it.
    pub unknown: Vec<String>,
}

impl CellCounts {
    /// Reads the report; nothing is found in what is none.
    pub fn parse(report: &str) -> CellCounts {
        let mut counts = CellCounts::default();
        for line in report.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                [cell, count] => {
                    if let Ok(count) = count.parse::<u64>() {
                        *counts.cells.entry(cell.to_string()).or_default() += count;
                    }
                }
                ["Area", "for", "cell", "type", cell, "is", "unknown!"] => {
                    counts.unknown.push(cell.trim_start_matches('\\').to_string());
                }
                ["Chip", "area", "for", .., area] => counts.area_um2 = area.parse().unwrap_or(0.0),
                _ => {}
            }
        }
        counts
    }

    /// How many cells there are of the types that `chosen` accepts.
    pub fn count(&self, chosen: impl Fn(&str) -> bool) -> u64 {
        self.cells.iter().filter(|(cell, _)| chosen(cell)).map(|(_, count)| count).sum()
    }
}

/// Whether a generic cell of yosys is a flip-flop or latch of one bit.
pub fn is_flip_flop(cell: &str) -> bool {
    cell.starts_with("$_") && (cell.contains("DFF") || cell.contains("DLATCH"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapped_buffer() {
        let counts = CellCounts::parse(include_str!("../../tests/ppa/buffer.stat.txt"));
        assert_eq!(counts.area_um2, 10806.0);
        assert_eq!((counts.cells["DFFPOSX1"], counts.cells.len()), (66, 10));
        assert_eq!(counts.count(|_| true), 217);
    }

    #[test]
    fn gates_around_instances() {
        let counts = CellCounts::parse(include_str!("../../tests/ppa/tile.stat.txt"));
        assert_eq!(counts.area_um2, 9012.0);
        assert_eq!(counts.unknown, ["loom_elastic_buffer_w32", "loom_spatial_sw_30x32_mixed_726c8c"]);
        assert_eq!(counts.cells["loom_elastic_buffer_w32"], 12);
    }

    #[test]
    fn flip_flops_of_generic_cells() {
        let cells = ["$_DFFE_PP_", "$_SDFF_PN0_", "$_DLATCH_P_", "$_AND_", "DFFPOSX1"];
        assert_eq!(cells.map(is_flip_flop), [true, true, true, false, false]);
    }
}
