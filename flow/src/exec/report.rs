//! What the calls of a program cost.

use super::engine::Returned;
use super::function::Function;
use crate::configured::Configured;
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
    /// Cycles between pairs of the busiest stream, on average over all calls; absent where nobody counts them, or where no
    /// stream goes round twice in a call.
    pub ii: Option<f64>,
    /// Recurrence bound on it.
    pub mii: Option<f64>,
    /// Over all calls `(pairs - 1) * mii + fill`, where pairs are counted.
    pub bound_cycles: Option<f64>,
    /// Cycles over bound.
    pub ratio: Option<f64>,
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

/// What a stream did in all calls.
#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    pairs: u64,
    /// Of calls with at least two pairs: cycles from the first to the last, and steps between.
    cycles: u64,
    steps: u64,
    /// Over calls with a pair: their number, and steps from one pair to the next.
    calls: u64,
}

/// Counts the calls of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub calls: u64,
    cycles: Option<u64>,
    /// By node that is a stream.
    streams: Vec<(NodeId, Stream)>,
}

impl Counts {
    /// For a function, in the netlist that is on the fabric if one is.
    pub fn new(function: &Function, configured: Option<&Configured>) -> Counts {
        let graph = configured.map_or(function.graph(), |c| &c.netlist);
        let is_stream = |n: &NodeId| matches!(graph.kind(*n), OpKind::Stream(_));
        let streams = graph.node_ids().filter(is_stream).map(|n| (n, Stream::default())).collect();
        Counts { streams, ..Counts::default() }
    }

    /// Adds a call.
    pub fn add(&mut self, returned: &Returned, configured: Option<&Configured>) {
        self.calls += 1;
        if let Some(cycles) = returned.cycles {
            *self.cycles.get_or_insert(0) += cycles;
        }
        let Some(configured) = configured else { return };
        for (node, stream) in &mut self.streams {
            let component = configured.mapped.mapping.placements[node.0 as usize].component;
            let Some(a) = returned.fires.iter().find(|a| a.component == component) else { continue };
            stream.pairs += a.fires;
            stream.calls += u64::from(a.fires > 0);
            if a.fires >= 2 {
                stream.cycles += a.last - a.first;
                stream.steps += a.fires - 1;
            }
        }
    }

    pub fn report(&self, function: &Function, configured: Option<&Configured>) -> FunctionReport {
        let graph = function.graph();
        let timing = configured.map(|c| &c.mapped.timing);
        let busiest = self.streams.iter().map(|s| s.1).max_by_key(|s| s.pairs).filter(|s| s.pairs > 0);
        let per = |n: f64, of: u64| (of > 0).then(|| n / of as f64);
        let bound = timing.zip(busiest).map(|(timing, s)| {
            s.pairs.saturating_sub(s.calls) as f64 * timing.mii + (self.calls * timing.fill) as f64
        });
        let cycles = self.cycles;
        FunctionReport {
            function: graph.name.to_string(),
            ops: graph.nodes.len(),
            streams: self.streams.len(),
            calls: self.calls,
            cycles,
            cycles_per_call: cycles.and_then(|c| per(c as f64, self.calls)),
            ii: busiest.and_then(|s| per(s.cycles as f64, s.steps)),
            mii: timing.map(|t| t.mii),
            bound_cycles: bound,
            ratio: cycles.zip(bound).and_then(|(c, b)| (b > 0.0).then(|| c as f64 / b)),
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
            if let Some(ii) = f.ii {
                text += &format!(", II {ii:.2}");
            }
            if let (Some(mii), Some(_)) = (f.mii, f.cycles) {
                text += &format!(", MII {mii:.2}");
            }
            text + "\n"
        };
        self.functions.iter().map(line).collect()
    }
}
