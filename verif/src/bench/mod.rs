//! `make bench`: the figures of DESIGN section 8 beside the peers', as a table and as JSON.
//!
//! A row is (name, metric, ours, peer, limit, ratio). `peer` is what another tool reaches, `limit` what the design asks
//! for or what theory allows; `ratio` is ours over the limit where there is one, else over the peer. Only ratios are
//! for comparison across machines.

pub mod area;
mod figures;

use loom_base::Diagnostics;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// One measured figure.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// Of what, with its unit.
    pub metric: String,
    /// Our figure.
    pub ours: f64,
    /// The peer's.
    pub peer: Option<f64>,
    /// The bound.
    pub limit: Option<f64>,
    /// Ours over the limit, else over the peer.
    pub ratio: Option<f64>,
}

impl Row {
    /// A figure without anything to compare with yet.
    pub fn new(name: impl Into<String>, metric: impl Into<String>, ours: f64) -> Row {
        Row { name: name.into(), metric: metric.into(), ours, peer: None, limit: None, ratio: None }
    }

    /// Sets the peer's figure.
    pub fn peer(mut self, peer: f64) -> Row {
        self.peer = Some(peer);
        self.with_ratio()
    }

    /// Sets the bound.
    pub fn limit(mut self, limit: f64) -> Row {
        self.limit = Some(limit);
        self.with_ratio()
    }

    fn with_ratio(mut self) -> Row {
        self.ratio = self.limit.or(self.peer).filter(|&b| b != 0.0).map(|b| self.ours / b);
        self
    }
}

/// The rows as an aligned table.
pub fn table(rows: &[Row]) -> String {
    let number = |x: Option<f64>| match x {
        None => String::from("-"),
        Some(x) if x == x.trunc() && x.abs() < 1e15 => format!("{x:.0}"),
        Some(x) if x.abs() >= 100.0 => format!("{x:.0}"),
        Some(x) => format!("{x:.3}"),
    };
    let cells: Vec<[String; 6]> = rows
        .iter()
        .map(|r| {
            let ratio = r.ratio.map_or("-".into(), |x| format!("{x:.3}"));
            [r.name.clone(), r.metric.clone(), number(Some(r.ours)), number(r.peer), number(r.limit), ratio]
        })
        .collect();
    let head = ["name", "metric", "ours", "peer", "limit", "ratio"].map(String::from);
    let mut widths = [0; 6];
    for row in cells.iter().chain([&head]) {
        for (w, cell) in widths.iter_mut().zip(row) {
            *w = (*w).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in [&head].into_iter().chain(&cells) {
        let mut line = String::new();
        for (i, (cell, w)) in row.iter().zip(widths).enumerate() {
            let _ = if i < 2 { write!(line, "{cell:<w$}  ") } else { write!(line, "{cell:>w$}  ") };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Everything, in the order of the table. `progress` is told what is being measured.
pub fn all(cache: &Path, progress: &mut dyn FnMut(&str)) -> Result<Vec<Row>, Diagnostics> {
    let mut rows = Vec::new();
    progress("cycles of the state machines in Verilog");
    rows.extend(figures::state_machines(cache)?);
    progress("area and depth in yosys");
    rows.extend(figures::areas()?);
    progress("generation of fabrics");
    rows.extend(figures::generation()?);
    progress("kernels: cycles against the bound, mapping time, simulation speed");
    rows.extend(figures::kernels(cache)?);
    Ok(rows)
}
