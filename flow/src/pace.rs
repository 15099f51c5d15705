//! The interval of the busiest loop in runs, and what bounds it.
//!
//! Guarantees: both figures are of the same loop, and per iteration of it: cycles from the first firing to the last, of its stream or, where that
//! ran ahead, of an op on the circle that bounds it, over the iterations between; and the fewest that there can be ([`LoopBound::least_span`]). Only ops that fire in every
//! iteration, whatever data say, count for a bound ([`Rates::certain`]), so the interval is never below it. What no bound is known of has
//! 1: an op fires once a cycle.

use crate::configured::Configured;
use loom_dfg::graph::Use;
use loom_dfg::interp::Outcome;
use loom_dfg::op::Class;
use loom_dfg::{NodeId, OpKind, Rates};
use loom_map::timing::finished::Finished;
use loom_map::timing::loops::{bound, fastest, LoopBound};
use loom_sim::PeActivity;
use std::collections::{BTreeMap, HashMap};

/// Cycles from one iteration of the busiest loop to the next, on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Where it ran.
    pub ii: f64,
    /// At least, on this mapping.
    pub mii: f64,
    /// At least, on any mapping onto the fabric.
    pub graph_mii: f64,
}

impl Pace {
    /// Whether the bounds are such: anything else is a fault of whoever computes them.
    pub fn is_bounded(&self) -> bool {
        const ROUNDING: f64 = 1e-9;
        self.graph_mii <= self.mii && self.mii <= self.ii + ROUNDING
    }
}

/// What an op did, over all runs.
#[derive(Clone, Copy, Debug, Default)]
struct Fired {
    /// Runs in which it fired, and how often it did.
    runs: u64,
    fires: u64,
    /// From the first to the last firing of each run.
    span: u64,
    /// Activations that it began, of a state machine; none where somebody did not count.
    activations: Option<u64>,
}

/// What the ops of a mapping did, over all runs; by node of its netlist.
#[derive(Clone, Debug, Default)]
pub struct Firings {
    nodes: Vec<Fired>,
    /// Which node of the graph each is.
    in_graph: Vec<Option<usize>>,
}

impl Firings {
    /// Of no run yet.
    pub fn new(configured: &Configured) -> Firings {
        let nothing = Fired { activations: Some(0), ..Fired::default() };
        let (net, graph) = (&configured.netlist, configured.graph());
        let first = |node: &loom_dfg::Node| node.results.first().copied();
        // Values keep their names.
        let names: HashMap<&str, usize> = (graph.nodes.iter().enumerate())
            .filter_map(|(n, node)| Some((&graph.value(first(node)?).name[..], n)))
            .collect();
        let in_graph = |node| names.get(&net.value(first(node)?).name[..]).copied();
        Firings { nodes: vec![nothing; net.nodes.len()], in_graph: net.nodes.iter().map(in_graph).collect() }
    }

    /// Adds a run: what PEs did in it, and what the graph did in software, where that is known.
    pub fn add(&mut self, configured: &Configured, fires: &[PeActivity], software: Option<&Outcome>) {
        let by_pe: BTreeMap<_, _> = fires.iter().map(|a| (a.component, a)).collect();
        let places = configured.mapped.mapping.placements.iter();
        for ((place, fired), in_graph) in places.zip(&mut self.nodes).zip(&self.in_graph) {
            let Some(a) = by_pe.get(&place.component).filter(|a| a.fires > 0) else { continue };
            fired.runs += 1;
            fired.fires += a.fires;
            fired.span += a.last - a.first;
            let began =
                software.zip(*in_graph).and_then(|(software, n)| software.activations.get(n).copied());
            fired.activations = fired.activations.zip(began).map(|(a, b)| a + b);
        }
    }

    fn at(&self, n: NodeId) -> &Fired {
        &self.nodes[n.0 as usize]
    }

    /// The op that stands for the busiest loop: the state machine that fired most, a stream rather than others; where there is none, any op.
    fn head(&self, configured: &Configured) -> Option<NodeId> {
        let net = &configured.netlist;
        let rank = |n: NodeId| match net.kind(n) {
            OpKind::Constant => 0,
            kind => 1 + u64::from(kind.class() == Class::State),
        };
        let is_stream = |n: NodeId| matches!(net.kind(n), OpKind::Stream(_));
        let fired = net.node_ids().filter(|&n| self.at(n).fires > 0);
        // Of two alike the first.
        fired.max_by_key(|&n| (rank(n), self.at(n).fires, is_stream(n), std::cmp::Reverse(n)))
    }

    /// The busiest loop; none where none went round twice in a run. Memory answered after so many cycles.
    pub fn pace(&self, configured: &Configured, memory_latency: u32) -> Option<Pace> {
        let Configured { netlist: net, fabric, mapped, .. } = configured;
        let head = self.head(configured)?;
        let rates = Rates::certain(net);
        let rate = rates.node(head);
        let finished = Finished::new(net, fabric, &mapped.mapping, memory_latency)?;
        let units = finished.units();
        let of_use = |ways: &mut dyn Iterator<Item = (Use, u32)>| {
            let ways: HashMap<_, _> = ways.collect();
            move |node, operand| ways.get(&Use::Operand { node, operand }).copied().unwrap_or(0)
        };
        let slowest = |units: &[(u32, i64)], way: &dyn Fn(NodeId, usize) -> u32| {
            self.least_span(configured, units, &bound(net, &rates, units, way, rate))
        };
        let closest = of_use(&mut mapped.closest.iter().copied());
        let graph = slowest(&fastest(net, fabric, memory_latency), &closest);
        let routed = of_use(&mut finished.registers().map(|(use_, r)| (use_, r as u32)));
        let mapping = slowest(&units, &routed);
        // The stream says how fast its loop is; where there is none, the op that lost least at the start.
        let alike = |n: &NodeId| rates.node(*n) == rate && self.at(*n).fires == self.at(head).fires;
        let is_stream = matches!(net.kind(head), OpKind::Stream(_));
        let paces = |n: &NodeId| if is_stream { *n == head } else { alike(n) };
        // One that ran ahead of the circle, as far as queues let it, does not: the circle does.
        let keeps_up = |n: &NodeId| self.at(*n).span as f64 >= graph.1.max(mapping.1);
        let in_step = net.node_ids().filter(paces).filter(keeps_up).min_by_key(|&n| self.at(n).span);
        let pacing = in_step.map_or_else(
            || [graph.0, mapping.0].into_iter().flatten().map(|n| self.at(n)).collect(),
            |n| vec![self.at(n)],
        );
        let most = |of: fn(&Fired) -> u64| pacing.iter().map(|f| of(f)).max();
        let steps = most(|f| f.fires - f.runs).filter(|&steps| steps > 0)? as f64;
        let span = most(|f| f.span)? as f64;
        let graph_mii = (graph.1 / steps).max(1.0);
        // What no mapping goes below, this one does not either.
        Some(Pace { ii: span / steps, mii: (mapping.1 / steps).max(graph_mii), graph_mii })
    }

    /// The op of a circle that cannot fire in fewer cycles, from first to last, and these.
    fn least_span(
        &self,
        configured: &Configured,
        units: &[(u32, i64)],
        bound: &LoopBound,
    ) -> (Option<NodeId>, f64) {
        let net = &configured.netlist;
        if let [one] = bound.nodes[..] {
            if net.kind(one).class() != Class::State {
                return (Some(one), self.least_span_alone(one, units[one.0 as usize]));
            }
        }
        let machines = bound.nodes.iter().filter(|&&n| net.kind(n).class() == Class::State);
        let spans = machines.filter_map(|&n| {
            let Fired { runs, fires, activations, .. } = *self.at(n);
            Some((Some(n), bound.least_span(fires, activations?, runs)))
        });
        spans.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((None, 0.0))
    }

    /// Of an op on a unit that begins seldom: its first result may have waited while the unit held as many more as it has room for.
    fn least_span_alone(&self, n: NodeId, (stages, interval): (u32, i64)) -> f64 {
        let Fired { runs, fires, .. } = *self.at(n);
        let (interval, stages) = (interval.max(1) as u64, u64::from(stages));
        let held = stages.div_ceil(interval) + 2;
        (fires.saturating_sub(runs * (1 + held)) * interval) as f64
    }
}
