//! The figures of a fabric: what is written as JSON, printed, and kept on a page.
//!
//! Guarantees: a fabric's area, flip-flops, RAM and parts of an FPGA are the sums over its rows, each as often as it stands in
//! the fabric; its period is the longest of theirs.

use super::cells::FpgaSize;
use crate::{table, TableRow};
use loom_adg::cost::area::CostClass;
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

/// How large something is, and how long a cycle takes in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PpaFigures {
    /// Area of its cells, in square micrometres.
    pub area_um2: f64,
    /// Flip-flops.
    pub flip_flops: u64,
    /// Bits of RAM, in neither of these.
    pub ram_bits: u64,
    /// Nanoseconds of the longest path; none where nothing was timed.
    pub period_ns: Option<f64>,
    /// Lookup tables of four inputs.
    pub lut4: Option<u64>,
    /// The size on an FPGA.
    pub fpga: Option<FpgaSize>,
    /// Area by class of module.
    pub area_by_class: BTreeMap<CostClass, f64>,
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
    /// Those of one.
    #[serde(flatten)]
    pub figures: PpaFigures,
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
    /// Those of all that was measured.
    #[serde(flatten)]
    pub figures: PpaFigures,
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
            for (&class, area) in &row.figures.area_by_class {
                *area_by_class.entry(class).or_default() += area * row.instances as f64;
            }
        }
        let sum = |of: &dyn Fn(&PpaFigures) -> u64| rows.iter().map(|r| of(&r.figures) * r.instances).sum();
        let slowest = rows.iter().filter(|r| r.figures.period_ns.is_some()).reduce(|a, b| {
            if b.figures.period_ns > a.figures.period_ns {
                b
            } else {
                a
            }
        });
        let fpga: Option<FpgaSize> = rows.iter().try_fold(FpgaSize::default(), |sum, r| {
            let one = r.figures.fpga?;
            Some(sum + one * r.instances)
        });
        let figures = PpaFigures {
            area_um2: rows.iter().map(|r| r.figures.area_um2 * r.instances as f64).sum(),
            flip_flops: sum(&|f| f.flip_flops),
            ram_bits: sum(&|f| f.ram_bits),
            period_ns: slowest.and_then(|r| r.figures.period_ns),
            lut4: fpga.map(|f| f.lut4),
            fpga,
            area_by_class,
        };
        FabricFigures { fabric, library, figures, slowest: slowest.map(|r| r.name.clone()), rows }
    }

    /// The tables, and the longest path of each tile.
    pub fn text(&self) -> String {
        let mut text = format!("Fabric {} in {}\n\n{}", self.fabric, self.library, self.sizes());
        let _ = write!(text, "\nArea of one by class, um2\n\n{}", self.classes());
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
        format!("```text\n{}\nArea of one by class, um2\n\n{}{path}```\n", self.sizes(), self.classes())
    }

    /// The figures of each row, and of all: what they are of, and how often that stands in the fabric.
    fn lines(&self) -> impl Iterator<Item = (String, Option<u64>, &PpaFigures)> {
        let rows = self.rows.iter().map(|r| (r.name.clone(), Some(r.instances), &r.figures));
        rows.chain([("all".into(), None, &self.figures)])
    }

    fn sizes(&self) -> String {
        let line = |(name, instances, figures)| SizeLine { name, instances, figures };
        table(&self.lines().map(line).collect::<Vec<_>>())
    }

    fn classes(&self) -> String {
        let line = |(name, _, figures): (String, Option<u64>, _)| ClassLine { name, figures };
        table(&self.lines().map(line).collect::<Vec<_>>())
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
struct SizeLine<'a> {
    name: String,
    instances: Option<u64>,
    figures: &'a PpaFigures,
}

impl TableRow for SizeLine<'_> {
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
        let part = |of: fn(FpgaSize) -> u64| or_dash(self.figures.fpga.map(|f| of(f).to_string()));
        vec![
            self.name.clone(),
            or_dash(self.instances.map(|n| n.to_string())),
            format!("{:.0}", self.figures.area_um2),
            self.figures.flip_flops.to_string(),
            self.figures.ram_bits.to_string(),
            or_dash(self.figures.period_ns.map(|ns| format!("{ns:.2}"))),
            part(|f| f.lut4),
            part(|f| f.flip_flops),
            part(|f| f.mult18),
            part(|f| f.block_ram),
        ]
    }
}

/// A line of the table of classes.
struct ClassLine<'a> {
    name: String,
    figures: &'a PpaFigures,
}

impl TableRow for ClassLine<'_> {
    const HEAD: &'static [&'static str] =
        &["of", "switch", "PE", "FIFO", "memory", "configuration", "errors", "rest"];
    const LEFT: usize = 1;

    fn cells(&self) -> Vec<String> {
        let area = |class| format!("{:.0}", self.figures.area_by_class.get(&class).copied().unwrap_or(0.0));
        [self.name.clone()].into_iter().chain(CostClass::ALL.map(area)).collect()
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
            figures: PpaFigures {
                area_um2: area,
                flip_flops: 3,
                ram_bits: 0,
                period_ns: period,
                lut4: Some(size.lut4),
                fpga: Some(size),
                area_by_class: [(CostClass::Switch, area - 1.0), (CostClass::Rest, 1.0)].into(),
            },
            path: vec![PathStage { name: "sw".into(), is: "switch", at_ns: 1.25 }],
        }
    }

    #[test]
    fn totals_are_sums_over_instances() {
        let rows = vec![row("a", 3, 10.0, Some(4.5)), row("b", 2, 5.0, Some(6.0)), row("top", 1, 2.0, None)];
        let ppa = FabricFigures::of("f".into(), "cells.lib".into(), rows);
        let all = &ppa.figures;
        assert_eq!((all.area_um2, all.flip_flops, all.lut4), (42.0, 18, Some(42)));
        assert_eq!((all.period_ns, ppa.slowest.as_deref()), (Some(6.0), Some("b")));
        assert_eq!(all.area_by_class[&CostClass::Switch], 36.0);
        assert!(ppa.text().contains("sw (switch) 1.25") && ppa.page().contains("The longest path, in b"));
    }

    #[test]
    fn one_row_without_an_fpga_leaves_none() {
        let mut without = row("b", 1, 5.0, None);
        (without.figures.fpga, without.figures.lut4) = (None, None);
        let ppa = FabricFigures::of("f".into(), "cells.lib".into(), vec![row("a", 1, 10.0, None), without]);
        assert_eq!((ppa.figures.lut4, ppa.figures.fpga, ppa.figures.period_ns), (None, None, None));
    }

    #[test]
    fn the_columns_are_the_classes() {
        assert_eq!(ClassLine::HEAD[1..], CostClass::ALL.map(CostClass::name));
    }
}
