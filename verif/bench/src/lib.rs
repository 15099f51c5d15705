//! `make bench`: the figures F1 to F9 beside the peers', as a table and as JSON.
//!
//! A table has one row type. Of a [`Row`], `peer` is what another tool reaches, `limit` what the design asks for or what
//! theory allows; `ratio` is ours over the limit where there is one, else over the peer. Only ratios and cycles are for
//! comparison across machines.

pub mod area;
pub mod c_kernels;
pub mod codes;
pub mod exact;
pub mod explore;
mod figures;
pub mod h7;
pub mod peers;
pub mod ppa;
pub mod tables;
pub mod throughput;
pub mod work;

use loom_base::table::aligned;
use loom_base::{Diagnostics, Source};
use serde::Serialize;
use std::path::Path;
use tables::{MapperRow, Scaling, SlowMemory, Throughput};

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
    /// Whether another run, or another machine, gives another figure.
    #[serde(skip)]
    timed: bool,
}

impl Row {
    /// A figure without anything to compare with yet.
    pub fn new(name: impl Into<String>, metric: impl Into<String>, ours: f64) -> Row {
        Row {
            name: name.into(),
            metric: metric.into(),
            ours,
            peer: None,
            limit: None,
            ratio: None,
            timed: false,
        }
    }

    /// The figure is a time, or a speed.
    pub fn timed(self) -> Row {
        Row { timed: true, ..self }
    }

    /// Of a time what is worth keeping, which is its ratio.
    fn kept(&self) -> Row {
        match self.timed {
            true => Row { ours: f64::NAN, peer: None, limit: None, ..self.clone() },
            false => self.clone(),
        }
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

/// A row type: the head of its table and its cells.
pub trait TableRow {
    /// Column heads.
    const HEAD: &'static [&'static str];
    /// Columns that are words, at the left; the others are numbers.
    const LEFT: usize;

    /// As many cells as there are heads.
    fn cells(&self) -> Vec<String>;
}

impl TableRow for Row {
    const HEAD: &'static [&'static str] = &["name", "metric", "ours", "peer", "limit", "ratio"];
    const LEFT: usize = 2;

    fn cells(&self) -> Vec<String> {
        let ratio = self.ratio.map_or("-".into(), |x| format!("{x:.3}"));
        vec![
            self.name.clone(),
            self.metric.clone(),
            number(Some(self.ours)),
            number(self.peer),
            number(self.limit),
            ratio,
        ]
    }
}

/// A number with the digits that matter, or a dash.
fn number(x: Option<f64>) -> String {
    match x {
        None => String::from("-"),
        Some(x) if x.is_nan() => String::from("-"),
        Some(x) if x == x.trunc() && x.abs() < 1e15 => format!("{x:.0}"),
        Some(x) if x.abs() >= 100.0 => format!("{x:.0}"),
        Some(x) => format!("{x:.3}"),
    }
}

/// The rows as an aligned table.
pub fn table<R: TableRow>(rows: &[R]) -> String {
    table_without(rows, &[])
}

/// The same without some columns.
fn table_without<R: TableRow>(rows: &[R], heads: &[&str]) -> String {
    let head: Vec<String> = R::HEAD.iter().map(|h| h.to_string()).collect();
    let kept = |cells: Vec<String>| -> Vec<String> {
        R::HEAD.iter().zip(cells).filter(|(h, _)| !heads.contains(h)).map(|(_, cell)| cell).collect()
    };
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows.iter().map(R::cells)).map(kept).collect();
    aligned(&lines, R::LEFT)
}

/// All tables.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// Modules, generation, simulation.
    pub figures: Vec<Row>,
    /// Kernels beside their bounds and CIRCT.
    pub throughput: Vec<Throughput>,
    /// Kernels with slow memory.
    pub slow_memory: Vec<SlowMemory>,
    /// Time of the mapper.
    pub mapping: Vec<MapperRow>,
    /// Kernels on larger meshes.
    pub scaling: Vec<Scaling>,
}

impl Figures {
    /// The tables with a line above each.
    pub fn text(&self) -> String {
        self.tables(table(&self.figures), table(&self.mapping))
    }

    /// The same for a page that is kept: of times only the ratios.
    pub fn page(&self) -> String {
        let figures: Vec<Row> = self.figures.iter().map(Row::kept).collect();
        let tables = self.tables(table(&figures), table_without(&self.mapping, &tables::TIMES));
        format!("```text\n{tables}```\n")
    }

    fn tables(&self, figures: String, mapping: String) -> String {
        let tables = [
            ("Modules, generation and simulation", figures),
            (
                "Kernels on mesh-4x4, memory of one cycle; CIRCT's cycles by buffer strategy and size",
                table(&self.throughput),
            ),
            ("Cycles per iteration on mesh-4x4, AXI latency 20", table(&self.slow_memory)),
            ("Mapping time", mapping),
            ("Intervals on larger meshes", table(&self.scaling)),
        ];
        tables.map(|(title, text)| format!("{title}\n\n{text}")).join("\n")
    }
}

/// Everything. `kernels` are the programs whose mapping is timed; `progress` is told what is being measured.
pub fn all(kernels: &[Source], cache: &Path, progress: &mut dyn FnMut(&str)) -> Result<Figures, Diagnostics> {
    let mut rows = Vec::new();
    progress("cycles of the state machines in Verilator");
    rows.extend(figures::state_machines(cache)?);
    progress("area and depth in yosys");
    rows.extend(figures::areas()?);
    progress("generation of fabrics");
    rows.extend(figures::generation()?);
    progress("simulation speed");
    rows.extend(figures::speeds(cache)?);
    progress("kernels against their bounds");
    let throughput = tables::throughput()?;
    progress("kernels with slow memory");
    let slow_memory = tables::slow_memory()?;
    progress("kernels on larger meshes");
    let scaling = tables::scaling()?;
    progress("mapping time");
    let mapping = tables::mapping(kernels)?;
    Ok(Figures { figures: rows, throughput, slow_memory, mapping, scaling })
}
