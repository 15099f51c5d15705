//! The kernels in C and C++: what the passes make of each, and its own program on the smallest default fabric that takes it.
//!
//! Cycles are those of the calls that the kernel's `main` makes, in the native model; a kernel whose own check fails is an error.
//! Where Verilog is asked for too, the same program runs on it, and must end well after the same cycles in each function. Rows come
//! in the order of names, whatever the number of threads.

use crate::{number, table, TableRow};
use loom_adg::Fabric;
use loom_base::{Diagnostic, Diagnostics, Source};
use loom_cosim::{verilate, BuildOptions, FabricModel};
use loom_dfg::{Graph, OpKind, Rates};
use loom_flow::clang::{ClangError, Request, Translation};
use loom_flow::exec::{self, Again, ExecModel, Executable, Function};
use loom_flow::{codes, compile_for, fit, load, Configured, Fitted, MappedOnce};
use loom_front::compile::{Aim, CompileOptions};
use loom_llvm::Globals;
use loom_map::timing::loops::{bound, fastest};
use loom_map::MapOptions;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Cycles that a call may take.
const MOST_CYCLES: u64 = 1_000_000_000;

/// A function as compiled: by all passes, but for `ops_before`.
#[derive(Clone, Debug, Serialize)]
pub struct GraphFigures {
    /// Ops of the graph when only the passes run that lowering needs.
    pub ops_before: usize,
    /// Ops of the graph.
    pub ops: usize,
    /// Streams among them.
    pub streams: usize,
    /// Interval of its slowest loop, at least, with the fastest units of the largest fabric and no wires.
    pub bound: f64,
}

/// A function on a fabric.
#[derive(Clone, Debug, Serialize)]
pub struct OnFabric {
    /// The smallest that takes all functions of the program.
    pub fabric: String,
    /// Interval of the busiest loop ([`Pace`](loom_flow::pace::Pace)) on any mapping, at least, where one goes round twice.
    pub graph_mii: Option<f64>,
    /// On this one, at least.
    pub mii: Option<f64>,
    /// On average.
    pub ii: Option<f64>,
    /// Cycles of all calls on any mapping, at least.
    pub graph_bound_cycles: Option<u64>,
    /// On this one, at least.
    pub bound_cycles: Option<u64>,
    /// Cycles of all calls.
    pub cycles: u64,
    /// Cycles over those of the graph's bound.
    pub ratio: Option<f64>,
    /// Whether it was compiled for room, as it is faster so or maps on none otherwise.
    pub for_room: bool,
    /// Calls that the program made.
    pub calls: u64,
    /// Whether the program ran on the Verilog too, with the same cycles.
    pub in_verilog: bool,
}

/// What stands against a function, in short.
#[derive(Clone, Debug, Serialize)]
pub struct Shortage {
    /// Code of the diagnostic, of the largest fabric where it is one of mapping.
    pub code: &'static str,
    /// What it says.
    pub what: String,
}

/// A marked function.
#[derive(Clone, Debug, Serialize)]
pub struct CKernel {
    /// Its kernel; with the function's name where the kernel has several.
    pub name: String,
    /// `None` of one that is refused.
    pub compiled: Option<GraphFigures>,
    /// `None` where no fabric takes it.
    pub run: Option<OnFabric>,
    /// Why.
    pub limit: Option<Shortage>,
}

/// All programs, a row for each marked function. `verilated` is the folder of Verilog models, where those are to run too;
/// `progress` is told the name of each program that is done.
pub fn measure(
    paths: &[PathBuf],
    verilated: Option<&Path>,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<CKernel>, Diagnostics> {
    let largest = load::fabric(&load::defaults().last().expect("some come with LOOM"))?;
    let one = |path: &PathBuf| {
        let rows = Measured::read(path, &largest, verilated)?.rows()?;
        progress(&rows[0].name);
        Ok(rows)
    };
    // A thread takes one program at a time: some take a hundred times as long as others.
    let rows = paths.par_iter().with_max_len(1).map(one).collect::<Result<Vec<_>, Diagnostics>>()?;
    Ok(rows.into_iter().flatten().collect())
}

/// Its functions on a fabric.
struct Placed {
    functions: Vec<Function>,
    configured: Vec<Configured>,
}

impl Fitted for Placed {
    fn configured(&self) -> &[Configured] {
        &self.configured
    }
}

/// A program that is measured.
struct Measured<'a> {
    name: String,
    request: Request,
    source: Source,
    largest: &'a Fabric,
    verilated: Option<&'a Path>,
}

impl<'a> Measured<'a> {
    fn read(
        path: &Path,
        largest: &'a Fabric,
        verilated: Option<&'a Path>,
    ) -> Result<Measured<'a>, Diagnostics> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = loom_cosim::files::read_text(path).map_err(|e| {
            let message = format!("`{}` cannot be read: {e}", path.display());
            vec![Diagnostic::error(codes::PROGRAM, message)]
        })?;
        let source = Source::new(path.to_string_lossy(), text);
        let request =
            Request { files: vec![path.to_path_buf()], globals: Globals::InMemory, ..Request::default() };
        Ok(Measured { name, request, source, largest, verilated })
    }

    fn rows(&self) -> Result<Vec<CKernel>, Diagnostics> {
        let program = Translation::translate(&self.request).map_err(said)?;
        let symbols = exec::choose(&program, &[])?;
        let functions =
            |options: &CompileOptions| exec::functions(&program, &symbols, &self.source, options, None);
        let all = CompileOptions::default();
        let after = match functions(&all) {
            Ok(after) => after,
            Err(why) => return Ok(vec![self.row(self.name.clone(), None, Err(limit(&why)))]),
        };
        let before = functions(&CompileOptions { only_needed: true, ..all })?;
        let ran = self.run(&program, &symbols)?;
        let row = |(i, (before, after)): (usize, (&Function, &Function))| {
            let name = match symbols.len() {
                1 => self.name.clone(),
                _ => format!("{}: {}", self.name, after.graph().name),
            };
            let compiled = self.compiled(before.graph(), after.graph());
            let ran = ran.as_ref().map(|on| on[i].clone()).map_err(Shortage::clone);
            self.row(name, Some(compiled), ran)
        };
        Ok(before.iter().zip(&after).enumerate().map(row).collect())
    }

    fn row(&self, name: String, compiled: Option<GraphFigures>, ran: Result<OnFabric, Shortage>) -> CKernel {
        let (run, limit) = match ran {
            Ok(run) => (Some(run), None),
            Err(limit) => (None, Some(limit)),
        };
        CKernel { name, compiled, run, limit }
    }

    fn compiled(&self, before: &Graph, after: &Graph) -> GraphFigures {
        let is_stream = |n: &_| matches!(after.kind(*n), OpKind::Stream(_));
        let streams = after.node_ids().filter(is_stream).count();
        let largest = self.largest;
        let net = loom_map::netlist::netlist(after, largest.index_width());
        let (rates, fastest) = (Rates::certain(&net), fastest(&net, largest, 1));
        let of_nodes: BTreeSet<usize> = net.node_ids().map(|n| rates.node(n)).collect();
        let of = |&rate: &usize| bound(&net, &rates, &fastest, &|_, _| 0, rate).interval();
        let slowest = of_nodes.iter().map(of).fold(1.0, f64::max);
        GraphFigures { ops_before: before.nodes.len(), ops: after.nodes.len(), streams, bound: slowest }
    }

    /// Runs the program as `loom exec` does without a fabric; what the largest one lacks where none takes it.
    fn run(
        &self,
        program: &Translation,
        symbols: &[String],
    ) -> Result<Result<Vec<OnFabric>, Shortage>, Diagnostics> {
        let mapped = MappedOnce::default();
        let place = |fabric: &Fabric, options: &MapOptions, aim| {
            let compile =
                |o: CompileOptions| exec::functions(program, symbols, &self.source, &o, Some(fabric));
            let functions = compile_for(fabric, None, aim, &compile)?;
            let map = |f: &Function| mapped.map(f.kernel.clone(), fabric, options, &mut |_, _| {});
            let configured = functions.iter().map(map).collect::<Result<_, _>>()?;
            Ok(Placed { functions, configured })
        };
        match fit(None, None, &MapOptions::default(), &place) {
            Ok((placed, aim)) => self.execute(&placed.functions, &placed.configured, aim).map(Ok),
            Err(why) => Ok(Err(limit(&why))),
        }
    }

    fn execute(
        &self,
        functions: &[Function],
        configured: &[Configured],
        aim: Aim,
    ) -> Result<Vec<OnFabric>, Diagnostics> {
        let executable = Executable::build(&self.request, functions, &[]).map_err(said)?.quiet();
        let run = |model, again: Option<Again>| {
            let (report, configured) = executable.run(functions, model, again, &[], MOST_CYCLES)?;
            if report.exit != 0 {
                let message = format!("`{}` ends with {}: its own check fails", self.name, report.exit);
                return Err(vec![Diagnostic::error(codes::PROGRAM, message)
                    .help("`loom exec --on golden` tells whether the graph or the mapping is at fault")]);
            }
            Ok((report, configured))
        };
        let mut again = |number: usize, profile| {
            configured[number].mapped_for(profile, &MapOptions::default(), &mut |_, _| {})
        };
        let (report, configured) = run(ExecModel::Native(configured), Some(&mut again))?;
        if let Some(verilated) = self.verilated {
            let fabric = &configured[0].fabric;
            // One model serves all programs on its fabric.
            let built = verilate(fabric, BuildOptions { trace: false, optimise: true }, verilated)?;
            let model = Box::new(FabricModel::new(&built, fabric.ports()));
            let (verilog, _) = run(ExecModel::Verilog(&configured, model), None)?;
            let cycles = |r: &exec::Report| r.functions.iter().map(|f| f.cycles).collect::<Vec<_>>();
            let (native, verilog) = (cycles(&report), cycles(&verilog));
            if native != verilog {
                let message =
                    format!("`{}` takes {native:?} cycles natively, {verilog:?} in Verilog", self.name);
                return Err(vec![Diagnostic::error(codes::MISMATCH, message)
                    .help("this is a fault of loom: please report it with the program")]);
            }
        }
        if let Some(f) = report.functions.iter().find(|f| !f.is_bounded()) {
            let message = format!("`{}` runs faster than its bounds: {f:?}", self.name);
            return Err(vec![Diagnostic::error(codes::MISMATCH, message)
                .help("this is a fault of loom: please report it with the program")]);
        }
        let fabric = report.fabric.unwrap_or_default();
        let on_fabric = |f: exec::FunctionReport| OnFabric {
            fabric: fabric.clone(),
            graph_mii: f.graph_mii,
            mii: f.mii,
            ii: f.ii,
            graph_bound_cycles: f.graph_bound_cycles,
            bound_cycles: f.bound_cycles,
            cycles: f.cycles.unwrap_or(0),
            ratio: f.ratio,
            for_room: aim == Aim::Room,
            calls: f.calls,
            in_verilog: self.verilated.is_some(),
        };
        Ok(report.functions.into_iter().map(on_fabric).collect())
    }
}

/// What clang said goes with the first diagnostic.
fn said(error: ClangError) -> Diagnostics {
    let mut diagnostics = error.diagnostics;
    if let (Some(first), false) = (diagnostics.first_mut(), error.said.is_empty()) {
        *first = first.clone().note(error.said.trim());
    }
    diagnostics
}

/// Of a count of units the last line, which is that of all ops where there are too many; else the message.
fn limit(why: &[Diagnostic]) -> Shortage {
    let Some(first) = why.first() else { return Shortage { code: "", what: String::new() } };
    let counted = first.code == loom_front::codes::RESOURCES;
    let what = first.notes.last().filter(|_| counted).unwrap_or(&first.message);
    Shortage { code: first.code.id, what: what.clone() }
}

/// A row of the table of those that run.
struct Running<'a>(&'a CKernel, &'a GraphFigures, &'a OnFabric);

impl TableRow for Running<'_> {
    const HEAD: &'static [&'static str] = &[
        "kernel",
        "fabric",
        "ops before",
        "ops",
        "streams",
        "graph MII",
        "MII",
        "II",
        "graph bound",
        "bound",
        "cycles",
        "ratio",
        "for",
    ];
    const LEFT: usize = 2;

    fn cells(&self) -> Vec<String> {
        let Running(kernel, compiled, run) = self;
        let two = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.2}"));
        let count = |x: Option<u64>| x.map_or("-".into(), |x| x.to_string());
        vec![
            kernel.name.clone(),
            run.fabric.clone(),
            compiled.ops_before.to_string(),
            compiled.ops.to_string(),
            compiled.streams.to_string(),
            two(run.graph_mii),
            two(run.mii),
            two(run.ii),
            count(run.graph_bound_cycles),
            count(run.bound_cycles),
            run.cycles.to_string(),
            two(run.ratio),
            if run.for_room { "room" } else { "speed" }.into(),
        ]
    }
}

/// A row of the table of those that ran in Verilog.
struct Verilated<'a>(&'a CKernel, &'a OnFabric);

impl TableRow for Verilated<'_> {
    const HEAD: &'static [&'static str] = &["kernel", "fabric", "calls", "cycles"];
    const LEFT: usize = 2;

    fn cells(&self) -> Vec<String> {
        let Verilated(kernel, run) = self;
        vec![kernel.name.clone(), run.fabric.clone(), run.calls.to_string(), run.cycles.to_string()]
    }
}

/// The table of what ran in Verilog, with a line above.
pub fn verilog_text(rows: &[CKernel]) -> String {
    let ran = |row| Some(Verilated(row, row.run.as_ref().filter(|run| run.in_verilog)?));
    let ran: Vec<Verilated> = rows.iter().filter_map(ran).collect();
    let summary = format!(
        "{} functions of {}: all that map. Each program's own check passes, and native model and Verilog take the same cycles.",
        ran.len(),
        rows.len()
    );
    format!("{summary}\n\n{}", table(&ran))
}

/// A row of the table of those that no fabric takes.
struct Refused<'a>(&'a CKernel, &'a Shortage);

impl TableRow for Refused<'_> {
    const HEAD: &'static [&'static str] =
        &["kernel", "limited by", "ops before", "ops", "streams", "graph MII"];
    const LEFT: usize = 2;

    fn cells(&self) -> Vec<String> {
        let Refused(CKernel { name, compiled, .. }, limit) = self;
        let figure = |of: fn(&GraphFigures) -> f64| number(compiled.as_ref().map(of));
        vec![
            name.clone(),
            format!("{}: {}", limit.code, limit.what),
            figure(|c| c.ops_before as f64),
            figure(|c| c.ops as f64),
            figure(|c| c.streams as f64),
            compiled.as_ref().map_or("-".into(), |c| format!("{:.2}", c.bound)),
        ]
    }
}

/// The tables with a line above each.
pub fn text(rows: &[CKernel]) -> String {
    let compiled: Vec<&GraphFigures> = rows.iter().filter_map(|r| r.compiled.as_ref()).collect();
    let sum = |of: fn(&GraphFigures) -> usize| compiled.iter().map(|c| of(c)).sum::<usize>();
    let running: Vec<Running> =
        rows.iter().filter_map(|r| Some(Running(r, r.compiled.as_ref()?, r.run.as_ref()?))).collect();
    let refused: Vec<Refused> = rows.iter().filter_map(|r| Some(Refused(r, r.limit.as_ref()?))).collect();
    let summary = format!(
        "{} functions: {} on a default fabric, {} on none; ops {} before, {} after; streams {}",
        rows.len(),
        running.len(),
        refused.len(),
        sum(|c| c.ops_before),
        sum(|c| c.ops),
        sum(|c| c.streams),
    );
    let (running, refused) = (table(&running), table(&refused));
    format!("{summary}\n\nOn the smallest default fabric that takes them\n\n{running}\nOn none\n\n{refused}")
}
