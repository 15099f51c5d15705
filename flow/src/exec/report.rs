//! What the calls of a program cost.

use super::engine::{memory_latency, Returned};
use super::function::Function;
use crate::bounds::LeastCycles;
use crate::configured::Configured;
use crate::pace::{Firings, Pace};
use loom_dfg::{NodeId, OpKind};
use serde::Serialize;

/// A function over a whole run of its program.
#[derive(Clone, Debug, Serialize)]
pub struct FunctionReport {
    /// Its name.
    pub function: String,
    /// Ops of its graph.
    pub ops: usize,
    /// Streams among them.
    pub streams: usize,
    /// Calls that returned.
    pub calls: u64,
    /// Cycles of all of them; absent in the golden model.
    pub cycles: Option<u64>,
    /// On average.
    pub cycles_per_call: Option<f64>,
    /// Cycles from one iteration of the busiest loop to the next ([`Pace`]), on average over all calls; absent where nobody counts
    /// them, or where no loop goes round twice in a call.
    pub ii: Option<f64>,
    /// At least, on its mapping.
    pub mii: Option<f64>,
    /// At least, on any mapping onto the fabric.
    pub graph_mii: Option<f64>,
    /// Fewest cycles of all calls on its mapping, as they were made ([`LeastCycles`](crate::bounds::LeastCycles)).
    pub bound_cycles: Option<u64>,
    /// On any mapping.
    pub graph_bound_cycles: Option<u64>,
    /// Cycles over those of the graph's bound.
    pub ratio: Option<f64>,
}

impl FunctionReport {
    /// Whether the bounds are such, of those that are known: anything else is a fault of whoever computes them.
    pub fn is_bounded(&self) -> bool {
        let pace = self.ii.zip(self.mii).zip(self.graph_mii);
        let paces = pace.is_none_or(|((ii, mii), graph_mii)| Pace { ii, mii, graph_mii }.is_bounded());
        let rises = |a: Option<u64>, b: Option<u64>| a.zip(b).is_none_or(|(a, b)| a <= b);
        paces && rises(self.graph_bound_cycles, self.bound_cycles) && rises(self.bound_cycles, self.cycles)
    }
}

/// A run of a program.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// `golden`, `native` or `verilog`.
    pub on: &'static str,
    /// Name of the fabric, when there is one.
    pub fabric: Option<String>,
    /// How often a bitstream was loaded.
    pub loads: Option<u64>,
    /// The program's exit code: 128 and the number of the signal that killed it.
    pub exit: u8,
    /// By number of the stub.
    pub functions: Vec<FunctionReport>,
}

/// Counts the calls of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub calls: u64,
    cycles: Option<u64>,
    /// On a fabric: what its ops did.
    firings: Option<Firings>,
    /// Fewest cycles of the calls on the mapping and on any; none where that of one is not known.
    least: [Option<u64>; 2],
}

impl Counts {
    /// For a function, configured if it is on a fabric.
    pub fn new(configured: Option<&Configured>) -> Counts {
        Counts { firings: configured.map(Firings::new), least: [Some(0); 2], ..Counts::default() }
    }

    /// On another mapping from here on: what its ops did before is no figure of it.
    pub fn go_on(&mut self, configured: Option<&Configured>) {
        self.firings = configured.map(Firings::new);
    }

    /// Adds a call.
    pub fn add(&mut self, returned: &Returned, configured: Option<&Configured>) {
        self.calls += 1;
        if let Some(cycles) = returned.cycles {
            *self.cycles.get_or_insert(0) += cycles;
        }
        let LeastCycles { mapping, graph } = returned.least;
        for (sum, least) in self.least.iter_mut().zip([mapping, graph]) {
            *sum = sum.zip(least).map(|(sum, least)| sum + least);
        }
        if let Some((configured, firings)) = configured.zip(self.firings.as_mut()) {
            firings.add(configured, &returned.fires, returned.software.as_ref());
        }
    }

    pub fn report(&self, function: &Function, configured: Option<&Configured>) -> FunctionReport {
        let graph = function.graph();
        let is_stream = |n: &NodeId| matches!(graph.kind(*n), OpKind::Stream(_));
        let per = |n: f64, of: u64| (of > 0).then(|| n / of as f64);
        let cycles = self.cycles;
        let pace = configured.zip(self.firings.as_ref()).and_then(|(c, f)| f.pace(c, memory_latency()));
        let [bound_cycles, graph_bound_cycles] = self.least.map(|least| least.filter(|&least| least > 0));
        FunctionReport {
            function: graph.name.to_string(),
            ops: graph.nodes.len(),
            streams: graph.node_ids().filter(is_stream).count(),
            calls: self.calls,
            cycles,
            cycles_per_call: cycles.and_then(|c| per(c as f64, self.calls)),
            ii: pace.map(|p| p.ii),
            mii: pace.map(|p| p.mii),
            graph_mii: pace.map(|p| p.graph_mii),
            bound_cycles,
            graph_bound_cycles,
            ratio: cycles.zip(graph_bound_cycles).and_then(|(c, b)| per(c as f64, b)),
        }
    }
}

impl Report {
    /// A line for each function.
    pub fn text(&self) -> String {
        let fabric = self.fabric.as_ref().map_or(String::new(), |f| format!(" on {f}"));
        let line = |f: &FunctionReport| {
            let calls = if f.calls == 1 { "call" } else { "calls" };
            let mut text = format!("loom: {}{fabric} ({}): {} {calls}", f.function, self.on, f.calls);
            if let Some(cycles) = f.cycles {
                text += &format!(", {cycles} cycles");
            }
            if let Some(per_call) = f.cycles_per_call {
                text += &format!(", {per_call:.1} a call");
            }
            if let Some((bound, graph)) = f.bound_cycles.zip(f.graph_bound_cycles) {
                text += &format!(", bound {bound}, graph bound {graph}");
            }
            if let (Some(ii), Some(mii), Some(graph)) = (f.ii, f.mii, f.graph_mii) {
                text += &format!(", II {ii:.2}, MII {mii:.2}, graph MII {graph:.2}");
            }
            text + "\n"
        };
        self.functions.iter().map(line).collect()
    }
}
