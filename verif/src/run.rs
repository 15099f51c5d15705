//! The whole chain for one kernel, fabric and case: golden model, native model, Verilog, and their comparison.
//!
//! Golden against the others: the same tokens on every result. Native against Verilog: also the same cycle for every
//! transfer on every boundary port. After a complete run nothing may be left in flight in any of them.

use crate::codes;
use crate::cosim::{FabricModel, Loaded, VerilogTrace};
use crate::host::{self, Host};
use crate::model::{build, BuildOptions, Built, PortSpec};
use crate::software::GraphOutcome;
use loom_adg::{Fabric, Image};
use loom_base::{truncate, Diagnostic, Diagnostics};
use loom_dfg::interp::{self, Memories, Outcome};
use loom_dfg::{Graph, NodeId, OpKind};
use loom_map::Mapping;
use loom_sim::native::Refusal;
use loom_sim::{Case, Limits, NativeModel, Stimulus, Stop, Trace, Value};
use serde::Serialize;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

/// Mismatches are listed up to this many; all are counted.
const MOST_LISTED: usize = 20;

/// What runs where.
pub struct Job<'a> {
    /// The kernel.
    pub graph: &'a Graph,
    /// The fabric.
    pub fabric: &'a Fabric,
    /// Stimuli and stalls.
    pub case: &'a Case,
    /// Where everything sits.
    pub mapping: &'a Mapping,
    /// The bitstream.
    pub image: &'a Image,
    /// Recurrence bound of the mapped graph, in cycles an iteration.
    pub mii: f64,
    /// Registers on the longest way from an input to an output.
    pub fill: u64,
}

/// One line of the table, and the object `--json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Function name.
    pub kernel: String,
    /// Fabric name.
    pub fabric: String,
    /// Case name.
    pub case: String,
    /// Ops of the graph.
    pub ops: usize,
    /// Activations of the busiest stream.
    pub activations: u64,
    /// True conditions of the busiest stream; without any stream, firings of the busiest op.
    pub iterations: u64,
    /// Cycles of the Verilog run, of the native run where there is none.
    pub cycles: u64,
    /// Cycles of the native run.
    pub native_cycles: u64,
    /// Cycles of the Verilog run.
    pub verilog_cycles: Option<u64>,
    /// Achieved initiation interval: cycles between pairs of the busiest stream, on average.
    pub ii: f64,
    /// Recurrence bound on the initiation interval.
    pub mii: f64,
    /// `(pairs - 1) * mii + fill`.
    pub bound_cycles: f64,
    /// Cycles over bound.
    pub ratio: f64,
    /// Result tokens compared with the golden model, over all models.
    pub tokens_compared: u64,
    /// Tokens or times that differ.
    pub mismatches: u64,
    /// What was left over, over all models.
    pub leftover: u64,
    /// Milliseconds the mapper took.
    pub map_ms: f64,
    /// Words of config.bin.
    pub config_words: usize,
    /// Name of the run-time error, when there was one.
    pub error: Option<String>,
    /// Whether everything agrees, is complete, and is what the case expects.
    pub ok: bool,
    /// The first mismatches and leftovers in words.
    pub problems: Vec<String>,
}

/// The golden model's answer: the outcome of the first schedule, which all others confirmed.
pub fn golden(graph: &Graph, case: &Case, index_width: u32) -> Result<GraphOutcome, Diagnostics> {
    crate::software::graph_outcome(graph, case, index_width)
}

/// A run of the native model.
#[derive(Clone, Debug)]
pub struct NativeRun {
    /// What it did.
    pub trace: Trace,
    /// Memory after it.
    pub memories: Memories,
    /// The first rule of AXI that was broken.
    pub broken_rule: Option<String>,
}

/// A run of the Verilog.
#[derive(Clone, Debug)]
pub struct VerilogRun {
    /// What it did.
    pub trace: VerilogTrace,
    /// Memory after it.
    pub memories: Memories,
}

impl Deref for NativeRun {
    type Target = Trace;

    fn deref(&self) -> &Trace {
        &self.trace
    }
}

impl Deref for VerilogRun {
    type Target = VerilogTrace;

    fn deref(&self) -> &VerilogTrace {
        &self.trace
    }
}

/// Boundary tokens of a mapped case; results as many as the golden model gives.
pub fn stimulus(job: &Job, golden: &Outcome) -> Stimulus {
    let mut stimulus = Stimulus {
        inputs: vec![Vec::new(); job.fabric.flat().inputs.len()],
        expected: vec![0; job.fabric.flat().outputs.len()],
        gate: job
            .graph
            .activation_gate()
            .and_then(|(a, o)| Some((job.mapping.arguments[a]?, job.mapping.outputs[o]))),
    };
    for (tokens, port) in job.case.inputs.iter().zip(&job.mapping.arguments) {
        if let Some(k) = port {
            stimulus.inputs[*k] = tokens.iter().map(|&data| Value { data, tag: 0 }).collect();
        }
    }
    for (tokens, &k) in golden.outputs.iter().zip(&job.mapping.outputs) {
        stimulus.expected[k] = tokens.len();
    }
    stimulus
}

/// Cycles a run may take.
pub fn limits(case: &Case) -> Limits {
    Limits { max_cycles: case.max_cycles, ..Limits::default() }
}

/// Runs the native model.
pub fn native(job: &Job, stimulus: &Stimulus) -> Result<NativeRun, Diagnostics> {
    let host = Host::new(job);
    let mut model = NativeModel::new(job.fabric, &host.image).map_err(|refusal| match refusal {
        Refusal::Hardware(error, unit) => vec![Diagnostic::error(
            codes::HARDWARE_ERROR,
            format!("the image is refused: {} at unit {}", error.name(), unit.0),
        )],
        Refusal::Unsupported(diagnostic) => vec![*diagnostic],
    })?;
    model.attach(host.memory.clone(), &job.case.axi);
    for (id, contents) in &host.pads {
        model.set_scratchpad(*id, contents);
    }
    let trace = model.run(stimulus, &job.case.stalls, &limits(job.case));
    let memories = host.after(model.memory(), |id, n| model.scratchpad(id).map(|b| b[..n].to_vec()));
    Ok(NativeRun { trace, memories, broken_rule: model.broken_rule().map(String::from) })
}

/// The ports of a fabric's top.
pub fn top_ports(made: &loom_gen::Elaborated) -> Vec<PortSpec> {
    let ports = made.ports().into_iter();
    let input = loom_gen::fabric::Direction::Input;
    ports.map(|p| PortSpec { name: p.name, width: p.width, input: p.direction == input }).collect()
}

/// Builds a fabric's Verilog model, or finds it in the cache.
pub fn verilate(fabric: &Fabric, options: BuildOptions, cache: &Path) -> Result<Arc<Built>, Diagnostics> {
    let made = loom_gen::elaborate(fabric)?;
    build(&made.files(), &made.top, &top_ports(&made), options, cache)
}

/// Runs the Verilog; `waves` needs a model built with tracing. A run that the native model did not complete gets a few
/// cycles more than that model took.
pub fn verilog(
    job: &Job,
    built: &Arc<Built>,
    stimulus: &Stimulus,
    native: &Trace,
    waves: Option<&Path>,
) -> Result<VerilogRun, Diagnostics> {
    let mut model = FabricModel::new(built, job.fabric.ports());
    if let Some(path) = waves {
        model.trace(path);
    }
    verilog_again(job, &mut model, stimulus, native)
}

/// The same on a model that may have run something before: no reset comes first.
pub fn verilog_again(
    job: &Job,
    model: &mut FabricModel,
    stimulus: &Stimulus,
    native: &Trace,
) -> Result<VerilogRun, Diagnostics> {
    let host = Host::new(job);
    let refused = |text: String| vec![Diagnostic::error(codes::HARDWARE_ERROR, text)];
    model.attach(host.memory.clone(), &job.case.axi);
    let ports = &job.fabric.ports().hosts;
    for (id, contents) in &host.pads {
        if let Some(k) = ports.iter().position(|p| p.component == *id) {
            model.write_scratchpad(k, contents);
        }
    }
    match model.load(&host.image) {
        Loaded::Done => {}
        Loaded::Error(code, unit) => {
            return Err(refused(format!("the Verilog refused the image: error {code} at unit {unit}")))
        }
        Loaded::Hung => return Err(refused("the Verilog neither took nor refused the image".into())),
    }
    let mut limits = limits(job.case);
    if native.stop == Stop::Deadlock {
        limits.max_cycles = limits.max_cycles.min(native.cycles + 1000);
    }
    let trace = model.run(stimulus, &job.case.stalls, &limits);
    let memory = model.memory().clone();
    let memories = host.after(&memory, |id, n| {
        let k = ports.iter().position(|p| p.component == id)?;
        Some(model.read_scratchpad(k, n))
    });
    Ok(VerilogRun { trace, memories })
}

/// Compares what the models did. `map_ms` is only passed on.
pub fn compare(
    job: &Job,
    case_name: &str,
    golden: &GraphOutcome,
    native: &NativeRun,
    verilog: Option<&VerilogRun>,
    map_ms: f64,
) -> Report {
    let mut found = Found::default();
    let index_width = job.fabric.index_width();

    // What stopped a run comes first: it explains everything after it.
    let complete = native.completed && verilog.is_none_or(|v| v.completed);
    if let Some((error, unit)) = native.error {
        let name = job.fabric.unit_path(unit);
        found.problem(format!(
            "run-time error {} ({}) at unit {} ({name})",
            error.code(),
            error.name(),
            unit.0
        ));
    }
    if !complete {
        let why = match native.stop {
            Stop::Deadlock => "nothing can move any more".to_string(),
            Stop::BudgetExhausted => format!("{} cycles were not enough", job.case.max_cycles),
            Stop::Complete => "the Verilog did not finish".to_string(),
        };
        found.problem(format!("the run is not complete: {why}"));
    }

    // Results: golden against each model; ports that carry no result must stay silent.
    let mut traces = vec![("native", &native.outputs)];
    traces.extend(verilog.map(|v| ("verilog", &v.outputs)));
    for (model, outputs) in traces {
        for (k, output) in job.graph.outputs.iter().enumerate() {
            let width = job.graph.value(output.value).ty.width(index_width);
            let got = &outputs[job.mapping.outputs[k]];
            let want = &golden.outputs[k];
            found.tokens_compared += want.len() as u64;
            for at in 0..want.len().max(got.len()) {
                let g = got.get(at).map(|t| truncate(t.data, width));
                let w = want.get(at).copied();
                if g != w {
                    let show = |v: Option<u64>| v.map_or("nothing".into(), |v| format!("{v:#x}"));
                    found.mismatch(format!(
                        "token {at} of `{}`: golden {}, {model} {}",
                        output.name,
                        show(w),
                        show(g)
                    ));
                }
            }
        }
        for (k, tokens) in outputs.iter().enumerate() {
            if !tokens.is_empty() && !job.mapping.outputs.contains(&k) {
                found.mismatch(format!(
                    "{model}: {} tokens at `out{k}`, which carries no result",
                    tokens.len()
                ));
            }
        }
    }
    if let Some(v) = verilog {
        compare_times(&mut found, native, v);
    }
    // Memory, of runs that came to their end.
    if complete {
        let mut after = vec![("native", &native.memories)];
        after.extend(verilog.map(|v| ("verilog", &v.memories)));
        for (model, memories) in after {
            for line in host::differences(job, &golden.memories, model, memories) {
                found.mismatch(line);
            }
        }
    }
    if let Some(rule) = &native.broken_rule {
        found.mismatch(format!("native: {rule}"));
    }
    if let Some(rule) = verilog.and_then(|v| v.broken_rule.as_ref()) {
        found.mismatch(format!("verilog: {rule}"));
    }

    for left in &golden.leftover {
        found.left(format!("golden: {}", left.describe(job.graph)));
    }
    for left in &native.leftover {
        found.left(format!("native: {left}"));
    }
    if let Some(v) = verilog {
        if !v.idle {
            found.left("verilog: `idle` is low after the run".into());
        }
    }
    for waiting in &golden.waiting {
        found.problem(format!("golden: {}", waiting.describe(job.graph)));
    }
    for w in &native.waiting {
        found.problem(format!("native: {} -> {}: {}", w.from, w.to, w.why));
    }
    let golden_error = match &golden.stop {
        interp::Stop::RuntimeError { code, .. } => Some(*code as u16),
        _ => None,
    };
    let native_error = native.error.map(|(error, _)| error.code());
    if golden_error != native_error {
        found.mismatch(format!("error code: golden {golden_error:?}, native {native_error:?}"));
    }
    let differences = job.case.differences(job.graph, &golden.outputs).into_iter();
    for difference in differences.chain(job.case.memory_differences(job.graph, &golden.memories)) {
        found.unexpected = true;
        found.problem(difference);
    }

    let busiest = golden.stream_activations.iter().max_by_key(|s| (s.pairs, std::cmp::Reverse(s.node)));
    let (iterations, activations, pairs, ii) = match busiest {
        Some(s) => (s.true_pairs, s.activations, s.pairs, interval(job, s.node, native)),
        None => {
            let most = golden.firings.iter().copied().max().unwrap_or(0);
            (most, 1, most, average_interval(native))
        }
    };
    let bound_cycles = pairs.saturating_sub(1) as f64 * job.mii + job.fill as f64;
    let cycles = verilog.map_or(native.cycles, |v| v.cycles);
    Report {
        kernel: job.graph.name.clone(),
        fabric: job.fabric.name().to_string(),
        case: case_name.into(),
        ops: job.graph.nodes.len(),
        activations,
        iterations,
        cycles,
        native_cycles: native.cycles,
        verilog_cycles: verilog.map(|v| v.cycles),
        ii,
        mii: job.mii,
        bound_cycles,
        ratio: if bound_cycles > 0.0 { cycles as f64 / bound_cycles } else { 1.0 },
        tokens_compared: found.tokens_compared,
        mismatches: found.mismatches,
        leftover: found.leftover,
        map_ms,
        config_words: job.fabric.layout().words,
        error: native.error.map(|(error, _)| error.name().to_string()),
        ok: complete
            && found.mismatches == 0
            && found.leftover == 0
            && native_error.is_none()
            && !found.unexpected,
        problems: found.problems,
    }
}

#[derive(Default)]
struct Found {
    tokens_compared: u64,
    mismatches: u64,
    leftover: u64,
    unexpected: bool,
    problems: Vec<String>,
}

impl Found {
    fn problem(&mut self, text: String) {
        if self.problems.len() < MOST_LISTED {
            self.problems.push(text);
        }
    }

    fn mismatch(&mut self, text: String) {
        self.mismatches += 1;
        self.problem(text);
    }

    fn left(&mut self, text: String) {
        self.leftover += 1;
        self.problem(text);
    }
}

/// Every transfer of every boundary port in the same cycle, with the same bits.
fn compare_times(found: &mut Found, native: &Trace, verilog: &VerilogTrace) {
    for (k, (n, v)) in native.input_times.iter().zip(&verilog.input_times).enumerate() {
        if let Some(at) = (0..n.len().max(v.len())).find(|&at| n.get(at) != v.get(at)) {
            let (n, v) = (n.get(at), v.get(at));
            found
                .mismatch(format!("token {at} at `in{k}` is taken in cycle {n:?} (native), {v:?} (verilog)"));
        }
    }
    for (k, (n, v)) in native.outputs.iter().zip(&verilog.outputs).enumerate() {
        if let Some(at) = (0..n.len().max(v.len())).find(|&at| n.get(at) != v.get(at)) {
            let (n, v) = (n.get(at), v.get(at));
            found.mismatch(format!("token {at} at `out{k}` is {n:?} (native), {v:?} (verilog)"));
        }
    }
    let native_error = native.error.map(|(error, unit)| (error.code(), unit.0 as u16));
    if native_error != verilog.error {
        found.mismatch(format!("error: native {native_error:?}, verilog {:?}", verilog.error));
    }
}

/// Cycles between pushes of a node's PE, on average; 1 with fewer than two.
fn interval(job: &Job, node: NodeId, native: &Trace) -> f64 {
    let component = job.mapping.placements[node.0 as usize].component;
    let activity = native.fires.iter().find(|a| a.component == component);
    activity.and_then(loom_sim::PeActivity::interval).unwrap_or(1.0)
}

fn average_interval(native: &Trace) -> f64 {
    let busiest = native.fires.iter().filter(|a| !matches!(a.op, OpKind::Constant)).max_by_key(|a| a.fires);
    busiest.and_then(loom_sim::PeActivity::interval).unwrap_or(1.0)
}

impl Report {
    /// Column heads of [`Report::row`].
    pub const HEAD: [&'static str; 12] = [
        "kernel",
        "case",
        "ops",
        "iterations",
        "cycles",
        "II",
        "MII",
        "bound",
        "ratio",
        "tokens",
        "mismatches",
        "left",
    ];

    /// The report as cells of a table.
    pub fn row(&self) -> [String; 12] {
        [
            self.kernel.clone(),
            self.case.clone(),
            self.ops.to_string(),
            self.iterations.to_string(),
            self.cycles.to_string(),
            format!("{:.2}", self.ii),
            format!("{:.2}", self.mii),
            format!("{:.0}", self.bound_cycles),
            format!("{:.3}", self.ratio),
            self.tokens_compared.to_string(),
            self.mismatches.to_string(),
            self.leftover.to_string(),
        ]
    }
}
