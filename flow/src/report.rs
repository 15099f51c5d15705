//! What the models made of a case, compared.
//!
//! Golden against the others: the same tokens on every result. Native against Verilog: also the same cycle for every
//! transfer on every boundary port. After a complete run nothing may be left in flight in any of them.

#[cfg(doc)]
use crate::bounds::LeastCycles;
use crate::configured::Configured;
use crate::host;
use crate::models::{NativeRun, Runs, VerilogRun};
use crate::pace::{Firings, Pace};
use loom_adg::Fabric;
use loom_base::truncate;
use loom_cosim::VerilogTrace;
use loom_dfg::interp;
use loom_sim::{Case, Stop, Trace};
use serde::Serialize;

/// Mismatches are listed up to this many; all are counted.
const MOST_LISTED: usize = 20;

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
    /// Achieved initiation interval: cycles from one iteration of the busiest loop to the next, on average ([`Pace`]).
    pub ii: f64,
    /// At least, on the fabric's units, wherever they stand.
    pub graph_mii: f64,
    /// At least, on this mapping.
    pub mii: f64,
    /// Fewest cycles of this case on any mapping ([`LeastCycles`]); none where it does not come to its end.
    pub graph_bound_cycles: Option<u64>,
    /// Fewest cycles on this mapping.
    pub bound_cycles: Option<u64>,
    /// Cycles over those of the graph's bound.
    pub ratio: Option<f64>,
    /// Result tokens compared with the golden model, over all models.
    pub tokens_compared: u64,
    /// Tokens or times that differ.
    pub mismatches: u64,
    /// What was left over, over all models.
    pub leftover: u64,
    /// Milliseconds the mapper took, where somebody measured it.
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

impl Configured {
    /// Compares what the models made of a case.
    pub fn report(&self, case: &Case, name: &str, runs: &Runs) -> Report {
        let mut found = Found::default();
        let Runs { software, native, verilog, .. } = runs;
        let golden = &software.golden;
        let verilog = verilog.as_ref();
        let complete = native.completed && verilog.is_none_or(|v| v.completed);
        found.stopped(&self.fabric, case.max_cycles, native, complete);
        self.compare_results(&mut found, runs);
        if let Some(v) = verilog {
            found.compare_times(native, v);
        }
        // Memory, of runs that came to their end.
        if complete {
            let mut after = vec![("native", &native.memories)];
            after.extend(verilog.map(|v| ("verilog", &v.memories)));
            for (model, memories) in after {
                for line in host::differences(self.graph(), &golden.memories, model, memories) {
                    found.mismatch(line);
                }
            }
        }
        found.broken_rules(native, verilog);
        self.left_over(&mut found, runs);
        let golden_error = match &golden.stop {
            interp::RunEnd::RuntimeError { code, .. } => Some(*code as u16),
            _ => None,
        };
        let native_error = native.error.map(|(error, _)| error.code());
        if golden_error != native_error {
            found.mismatch(format!("error code: golden {golden_error:?}, native {native_error:?}"));
        }
        let differences = case.differences(self.graph(), &golden.outputs).into_iter();
        found.unexpected(differences.chain(case.memory_differences(self.graph(), &golden.memories)));
        if software.meaning.is_some() {
            for difference in software.differences(self.graph()) {
                found.mismatch(difference);
            }
        }
        self.summary(case, name, runs, found, complete)
    }

    /// Golden against each model; ports that carry no result must stay silent.
    fn compare_results(&self, found: &mut Found, runs: &Runs) {
        let (graph, mapping) = (self.graph(), &self.mapped.mapping);
        let mut traces = vec![("native", &runs.native.outputs)];
        traces.extend(runs.verilog.as_ref().map(|v| ("verilog", &v.outputs)));
        for (model, outputs) in traces {
            for (k, output) in graph.outputs.iter().enumerate() {
                let width = graph.value(output.value).ty.width(self.fabric.index_width());
                let got = &outputs[mapping.outputs[k]];
                let want = &runs.software.golden.outputs[k];
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
                if !tokens.is_empty() && !mapping.outputs.contains(&k) {
                    found.mismatch(format!(
                        "{model}: {} tokens at `out{k}`, which carries no result",
                        tokens.len()
                    ));
                }
            }
        }
    }

    /// What is left in a model, and what waits there for what.
    fn left_over(&self, found: &mut Found, runs: &Runs) {
        let (golden, native) = (&runs.software.golden, &runs.native);
        for left in &golden.leftover {
            found.left(format!("golden: {}", left.describe(self.graph())));
        }
        found.left_in_native(native);
        if let Some(verilog) = &runs.verilog {
            found.left_in_verilog(verilog);
        }
        for waiting in &golden.waiting {
            found.problem(format!("golden: {}", waiting.describe(self.graph())));
        }
        found.waiting(native);
    }

    fn summary(&self, case: &Case, name: &str, runs: &Runs, mut found: Found, complete: bool) -> Report {
        let Runs { software, native, verilog, .. } = runs;
        let golden = &software.golden;
        let busiest = golden.stream_activations.iter().max_by_key(|s| (s.pairs, std::cmp::Reverse(s.node)));
        let (iterations, activations) = match busiest {
            Some(s) => (s.true_pairs, s.activations),
            None => (golden.firings.iter().copied().max().unwrap_or(0), 1),
        };
        let mut firings = Firings::new(self);
        firings.add(self, &native.fires, Some(golden));
        let once = Pace { ii: 1.0, mii: 1.0, graph_mii: 1.0 };
        let pace = firings.pace(self, case.axi.latency).unwrap_or(once);
        let least = self.least_cycles(case);
        if let Some(bound) = least.mapping.filter(|&b| complete && native.cycles < b) {
            found.mismatch(format!(
                "it ran in {} cycles, which its mapping cannot in less than {bound}",
                native.cycles
            ));
        }
        if complete && !pace.is_bounded() {
            let Pace { ii, mii, .. } = pace;
            found.mismatch(format!(
                "its busiest loop took {ii:.3} cycles an iteration, at least {mii:.3} by its mapping"
            ));
        }
        let verilog_cycles = verilog.as_ref().map(|v| v.cycles);
        let cycles = verilog_cycles.unwrap_or(native.cycles);
        Report {
            kernel: self.graph().name.to_string(),
            fabric: self.fabric.name().to_string(),
            case: name.into(),
            ops: self.graph().nodes.len(),
            activations,
            iterations,
            cycles,
            native_cycles: native.cycles,
            verilog_cycles,
            ii: pace.ii,
            graph_mii: pace.graph_mii,
            mii: pace.mii,
            graph_bound_cycles: least.graph,
            bound_cycles: least.mapping,
            ratio: least.graph.filter(|&b| b > 0).map(|b| cycles as f64 / b as f64),
            tokens_compared: found.tokens_compared,
            mismatches: found.mismatches,
            leftover: found.leftover,
            map_ms: 0.0,
            config_words: self.fabric.layout().words,
            error: native.error.map(|(error, _)| error.name().to_string()),
            ok: complete && found.nothing_wrong(native),
            problems: found.problems,
        }
    }
}

/// What a comparison came upon.
#[derive(Default)]
pub(crate) struct Found {
    pub tokens_compared: u64,
    pub mismatches: u64,
    pub leftover: u64,
    /// The case expects something else.
    pub unexpected: bool,
    pub problems: Vec<String>,
}

impl Found {
    pub fn problem(&mut self, text: String) {
        if self.problems.len() < MOST_LISTED {
            self.problems.push(text);
        }
    }

    pub fn mismatch(&mut self, text: String) {
        self.mismatches += 1;
        self.problem(text);
    }

    pub fn left(&mut self, text: String) {
        self.leftover += 1;
        self.problem(text);
    }

    /// What stopped a run comes first: it explains everything after it.
    pub fn stopped(&mut self, fabric: &Fabric, max_cycles: u64, native: &Trace, complete: bool) {
        if let Some((error, unit)) = native.error {
            let name = fabric.unit_path(unit);
            self.problem(format!(
                "run-time error {} ({}) at unit {} ({name})",
                error.code(),
                error.name(),
                unit.0
            ));
        }
        if !complete {
            let why = match native.stop {
                Stop::Deadlock => "nothing can move any more".to_string(),
                Stop::BudgetExhausted => format!("{max_cycles} cycles were not enough"),
                Stop::Complete => "the Verilog did not finish".to_string(),
            };
            self.problem(format!("the run is not complete: {why}"));
        }
    }

    /// Every transfer of every boundary port in the same cycle, with the same bits.
    pub fn compare_times(&mut self, native: &Trace, verilog: &VerilogTrace) {
        for (k, (n, v)) in native.input_times.iter().zip(&verilog.input_times).enumerate() {
            if let Some(at) = (0..n.len().max(v.len())).find(|&at| n.get(at) != v.get(at)) {
                let (n, v) = (n.get(at), v.get(at));
                self.mismatch(format!(
                    "token {at} at `in{k}` is taken in cycle {n:?} (native), {v:?} (verilog)"
                ));
            }
        }
        for (k, (n, v)) in native.outputs.iter().zip(&verilog.outputs).enumerate() {
            if let Some(at) = (0..n.len().max(v.len())).find(|&at| n.get(at) != v.get(at)) {
                let (n, v) = (n.get(at), v.get(at));
                self.mismatch(format!("token {at} at `out{k}` is {n:?} (native), {v:?} (verilog)"));
            }
        }
        let native_error = native.error.map(|(error, unit)| (error.code(), unit.0 as u16));
        if native_error != verilog.error {
            self.mismatch(format!("error: native {native_error:?}, verilog {:?}", verilog.error));
        }
    }

    /// Rules of AXI that a model's masters broke.
    pub fn broken_rules<M>(&mut self, native: &NativeRun<M>, verilog: Option<&VerilogRun<M>>) {
        let rules = [
            ("native", native.broken_rule.as_ref()),
            ("verilog", verilog.and_then(|v| v.broken_rule.as_ref())),
        ];
        for (model, rule) in rules {
            if let Some(rule) = rule {
                self.mismatch(format!("{model}: {rule}"));
            }
        }
    }

    /// What the native model still holds after a run.
    pub fn left_in_native(&mut self, native: &Trace) {
        native.leftover.iter().for_each(|left| self.left(format!("native: {left}")));
    }

    /// Whether the Verilog still holds something after a run.
    pub fn left_in_verilog(&mut self, verilog: &VerilogTrace) {
        if !verilog.idle {
            self.left("verilog: `idle` is low after the run".into());
        }
    }

    /// What waits in the native model for what.
    pub fn waiting(&mut self, native: &Trace) {
        for w in &native.waiting {
            self.problem(format!("native: {} -> {}: {}", w.from, w.to, w.why));
        }
    }

    /// What the case expects and did not come.
    pub fn unexpected(&mut self, differences: impl IntoIterator<Item = String>) {
        for difference in differences {
            self.unexpected = true;
            self.problem(difference);
        }
    }

    /// Whether a comparison came upon nothing, and the hardware neither.
    pub fn nothing_wrong(&self, native: &Trace) -> bool {
        self.mismatches == 0 && self.leftover == 0 && native.error.is_none() && !self.unexpected
    }
}

impl Report {
    /// Column heads of [`Report::row`].
    pub const HEAD: [&'static str; 13] = [
        "kernel",
        "case",
        "ops",
        "iterations",
        "cycles",
        "II",
        "MII",
        "bound",
        "graph bound",
        "ratio",
        "tokens",
        "mismatches",
        "left",
    ];

    /// The report as cells of a table.
    pub fn row(&self) -> [String; 13] {
        let bound = |b: Option<u64>| b.map_or("-".into(), |b| b.to_string());
        [
            self.kernel.clone(),
            self.case.clone(),
            self.ops.to_string(),
            self.iterations.to_string(),
            self.cycles.to_string(),
            format!("{:.2}", self.ii),
            format!("{:.2}", self.mii),
            bound(self.bound_cycles),
            bound(self.graph_bound_cycles),
            self.ratio.map_or("-".into(), |r| format!("{r:.3}")),
            self.tokens_compared.to_string(),
            self.mismatches.to_string(),
            self.leftover.to_string(),
        ]
    }
}
