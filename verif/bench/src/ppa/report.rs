//! The figures of a fabric: what is written as JSON, printed, and kept on a page.
//!
//! Guarantees: a fabric's area, flip-flops, RAM and parts of an FPGA are the sums over its rows, each as often as it stands in
//! the fabric; its period is the longest of theirs.

use super::cells::FpgaSize;
use super::class::ModuleClass;
use crate::{table, TableRow};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A stage of the longest path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathStage {
    /// The component, the port, or the subject itself for its own gates.
    pub name: String,
    /// What it is: a class of modules, or `port`.
    pub is: &'static str,
    /// When the path leaves it, in nanoseconds; of the last stage, the period.
    pub at_ns: f64,
}

/// The figures of a tile, or of something that stands beside the tiles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PpaRow {
    /// Its name in the fabric.
    pub name: String,
    /// Its module.
    pub module: String,
    /// Whether it is a tile, or a fabric that is measured as one.
    pub is_tile: bool,
    /// How often it stands in the fabric.
    pub instances: u64,
    /// Area of one, in square micrometres.
    pub area_um2: f64,
    /// Flip-flops of one.
    pub flip_flops: u64,
    /// Bits of RAM of one, in neither of these.
    pub ram_bits: u64,
    /// Nanoseconds of the longest path; none where nothing was timed.
    pub period_ns: Option<f64>,
    /// Lookup tables of four inputs of one.
    pub lut4: Option<u64>,
    /// One on an FPGA.
    pub fpga: Option<FpgaSize>,
    /// Area of one by class of module.
    pub area_by_class: BTreeMap<ModuleClass, f64>,
    /// The longest path.
    pub path: Vec<PathStage>,
}

/// The figures of a fabric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FabricFigures {
    /// The fabric.
    pub fabric: String,
    /// The library of cells, by its file's name.
    pub library: String,
    /// Area of all that was measured, in square micrometres.
    pub area_um2: f64,
    /// Its flip-flops.
    pub flip_flops: u64,
    /// Its bits of RAM.
    pub ram_bits: u64,
    /// Nanoseconds of its longest path.
    pub period_ns: Option<f64>,
    /// Its lookup tables.
    pub lut4: Option<u64>,
    /// Its size on an FPGA.
    pub fpga: Option<FpgaSize>,
    /// Its area by class of module.
    pub area_by_class: BTreeMap<ModuleClass, f64>,
    /// What the longest path is in.
    pub slowest: Option<String>,
    /// Tiles in their order, then what stands beside them.
    pub rows: Vec<PpaRow>,
}

impl FabricFigures {
    /// The sums over rows.
    pub fn of(fabric: String, library: String, rows: Vec<PpaRow>) -> FabricFigures {
        let mut area_by_class = BTreeMap::new();
        for row in &rows {
            for (&class, area) in &row.area_by_class {
                *area_by_class.entry(class).or_default() += area * row.instances as f64;
            }
        }
        let sum = |of: &dyn Fn(&PpaRow) -> u64| rows.iter().map(|r| of(r) * r.instances).sum();
        let slowest = rows.iter().filter(|r| r.period_ns.is_some()).reduce(|a, b| {
            if b.period_ns > a.period_ns {
                b
            } else {
                a
            }
        });
        let fpga: Option<FpgaSize> = rows.iter().try_fold(FpgaSize::default(), |sum, r| {
            let one = r.fpga?;
            Some(sum + one * r.instances)
        });
        FabricFigures {
            fabric,
            library,
            area_um2: rows.iter().map(|r| r.area_um2 * r.instances as f64).sum(),
            flip_flops: sum(&|r| r.flip_flops),
            ram_bits: sum(&|r| r.ram_bits),
            period_ns: slowest.and_then(|r| r.period_ns),
            lut4: fpga.map(|f| f.lut4),
            fpga,
            area_by_class,
            slowest: slowest.map(|r| r.name.clone()),
            rows,
        }
    }

    /// The tables, and the longest path of each tile.
    pub fn text(&self) -> String {
        let mut text = format!("Fabric {} in {}\n\n{}", self.fabric, self.library, self.sizes());
        let _ = write!(text, "\nArea of one by class, um2\n\n{}", table(&self.classes()));
        let _ = write!(text, "\nLongest paths: when each component is left, ns\n\n");
        for row in self.rows.iter().filter(|r| !r.path.is_empty()) {
            let _ = writeln!(text, "{}\n{}", row.name, stages(&row.path));
        }
        text
    }

    /// For a page: the sizes, where the area is, and the path of the slowest tile.
    pub fn page(&self) -> String {
        let slowest = self.rows.iter().find(|r| Some(&r.name) == self.slowest.as_ref());
        let path = slowest
            .map(|r| format!("\nThe longest path, in {}\n\n{}", r.name, stages(&r.path)))
            .unwrap_or_default();
        format!(
            "```text\n{}\nArea of one by class, um2\n\n{}{path}```\n",
            self.sizes(),
            table(&self.classes())
        )
    }

    fn sizes(&self) -> String {
        let mut lines: Vec<SizeLine> = self.rows.iter().map(SizeLine::of).collect();
        lines.push(SizeLine {
            name: "all".into(),
            instances: None,
            area_um2: self.area_um2,
            flip_flops: self.flip_flops,
            ram_bits: self.ram_bits,
            period_ns: self.period_ns,
            fpga: self.fpga,
        });
        table(&lines)
    }

    fn classes(&self) -> Vec<ClassLine> {
        let rows =
            self.rows.iter().map(|r| ClassLine { name: r.name.clone(), areas: r.area_by_class.clone() });
        rows.chain([ClassLine { name: "all".into(), areas: self.area_by_class.clone() }]).collect()
    }
}

/// A path, a few stages to the line.
fn stages(path: &[PathStage]) -> String {
    let mut text = String::new();
    for chunk in path.chunks(6) {
        let stages: Vec<String> =
            chunk.iter().map(|s| format!("{} ({}) {:.2}", s.name, s.is, s.at_ns)).collect();
        let _ = writeln!(text, "  {}", stages.join("  "));
    }
    text
}

/// A line of the table of sizes.
struct SizeLine {
    name: String,
    instances: Option<u64>,
    area_um2: f64,
    flip_flops: u64,
    ram_bits: u64,
    period_ns: Option<f64>,
    fpga: Option<FpgaSize>,
}

impl SizeLine {
    fn of(row: &PpaRow) -> SizeLine {
        SizeLine {
            name: row.name.clone(),
            instances: Some(row.instances),
            area_um2: row.area_um2,
            flip_flops: row.flip_flops,
            ram_bits: row.ram_bits,
            period_ns: row.period_ns,
            fpga: row.fpga,
        }
    }
}

impl TableRow for SizeLine {
    const HEAD: &'static [&'static str] = &[
        "of",
        "count",
        "area, um2",
        "flip-flops",
        "RAM bits",
        "period, ns",
        "LUT4",
        "FPGA FF",
        "MULT18",
        "block RAM",
    ];
    const LEFT: usize = 1;

    fn cells(&self) -> Vec<String> {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        let part = |of: fn(FpgaSize) -> u64| or_dash(self.fpga.map(|f| of(f).to_string()));
        vec![
            self.name.clone(),
            or_dash(self.instances.map(|n| n.to_string())),
            format!("{:.0}", self.area_um2),
            self.flip_flops.to_string(),
            self.ram_bits.to_string(),
            or_dash(self.period_ns.map(|ns| format!("{ns:.2}"))),
            part(|f| f.lut4),
            part(|f| f.flip_flops),
            part(|f| f.mult18),
            part(|f| f.block_ram),
        ]
    }
}

/// A line of the table of classes.
struct ClassLine {
    name: String,
    areas: BTreeMap<ModuleClass, f64>,
}

impl TableRow for ClassLine {
    const HEAD: &'static [&'static str] =
        &["of", "switch", "PE", "FIFO", "memory", "configuration", "errors", "rest"];
    const LEFT: usize = 1;

    fn cells(&self) -> Vec<String> {
        let area = |class| format!("{:.0}", self.areas.get(&class).copied().unwrap_or(0.0));
        [self.name.clone()].into_iter().chain(ModuleClass::ALL.map(area)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, instances: u64, area: f64, period: Option<f64>) -> PpaRow {
        let size = FpgaSize { lut4: 7, flip_flops: 2, mult18: 1, block_ram: 0 };
        PpaRow {
            name: name.into(),
            module: name.into(),
            is_tile: true,
            instances,
            area_um2: area,
            flip_flops: 3,
            ram_bits: 0,
            period_ns: period,
            lut4: Some(size.lut4),
            fpga: Some(size),
            area_by_class: [(ModuleClass::Switch, area - 1.0), (ModuleClass::Rest, 1.0)].into(),
            path: vec![PathStage { name: "sw".into(), is: "switch", at_ns: 1.25 }],
        }
    }

    #[test]
    fn totals_are_sums_over_instances() {
        let rows = vec![row("a", 3, 10.0, Some(4.5)), row("b", 2, 5.0, Some(6.0)), row("top", 1, 2.0, None)];
        let ppa = FabricFigures::of("f".into(), "cells.lib".into(), rows);
        assert_eq!((ppa.area_um2, ppa.flip_flops, ppa.lut4), (42.0, 18, Some(42)));
        assert_eq!((ppa.period_ns, ppa.slowest.as_deref()), (Some(6.0), Some("b")));
        assert_eq!(ppa.area_by_class[&ModuleClass::Switch], 36.0);
        assert!(ppa.text().contains("sw (switch) 1.25") && ppa.page().contains("The longest path, in b"));
    }

    #[test]
    fn one_row_without_an_fpga_leaves_none() {
        let without = PpaRow { fpga: None, lut4: None, ..row("b", 1, 5.0, None) };
        let ppa = FabricFigures::of("f".into(), "cells.lib".into(), vec![row("a", 1, 10.0, None), without]);
        assert_eq!((ppa.lut4, ppa.fpga, ppa.period_ns), (None, None, None));
    }

    #[test]
    fn the_columns_are_the_classes() {
        assert_eq!(ClassLine::HEAD[1..], ModuleClass::ALL.map(ModuleClass::name));
    }
}
