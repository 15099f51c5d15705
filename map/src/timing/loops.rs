//! What bounds a single loop, before anything is mapped and on a mapping: the slowest circle among the nodes of its rate.
//!
//! [`LoopBound`] is the one definition of the figure that stands beside an interval, for maps, runs, reports and benches.

use super::{before_mapping, Analysis, Arc};
use crate::model::memory;
use crate::model::site::Site;
use crate::model::tech::fits;
use crate::model::units::UnitTiming;
use loom_adg::{Component, Fabric};
use loom_dfg::{Graph, NodeId, Op, Rates};
use std::collections::BTreeSet;

/// By node of a netlist: fewest registers from operands to results, and fewest cycles between firings, on a unit of a fabric. A node that no
/// unit runs has none of the first and one of the second.
pub fn fastest(graph: &Graph, fabric: &Fabric, memory_latency: u32) -> Vec<(u32, i64)> {
    // One of each kind stands for all.
    let mut seen = BTreeSet::new();
    let sites: Vec<(Site, &Component)> = (fabric.flat().ids())
        .filter(|&id| seen.insert(fabric.flat().at(id).definition))
        .flat_map(|id| {
            let component = fabric.component(id);
            let units = match component {
                Component::SpatialPe(pe) => pe.fus.len(),
                Component::Memory(_) => 1,
                _ => 0,
            };
            (0..units).map(move |k| (Site::spatial(id, k), component))
        })
        .collect();
    let runs = |node: NodeId, site: &Site, component: &Component| match (graph.node(node).op, component) {
        (Op::Memory(..), Component::Memory(m)) => {
            let external = memory::access(graph.node(node).op).is_some_and(|a| !a.1);
            external == m.is_external()
        }
        (_, Component::SpatialPe(pe)) => fits(graph, node, &pe.fus[site.placed().1], fabric.index_width()),
        _ => false,
    };
    let of = |node: NodeId| {
        let timings: Vec<UnitTiming> = (sites.iter())
            .filter(|(site, component)| runs(node, site, component))
            .map(|&(site, _)| UnitTiming::of(fabric, memory_latency, site))
            .collect();
        let stages = timings.iter().map(UnitTiming::stages).min().unwrap_or(0);
        (stages, timings.iter().map(|t| t.interval).min().unwrap_or(1))
    };
    graph.node_ids().map(of).collect()
}

/// What bounds the interval of a loop: a circle of its ops, which a token takes so many cycles to go round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopBound {
    /// Cycles of a turn, at least 1.
    pub cycles: u64,
    /// Iterations that a turn leads on, at least 1.
    pub iterations: u64,
    /// The nodes on it; none where nothing takes more than a cycle.
    pub nodes: Vec<NodeId>,
}

impl Default for LoopBound {
    fn default() -> LoopBound {
        LoopBound { cycles: 1, iterations: 1, nodes: Vec::new() }
    }
}

impl LoopBound {
    /// Cycles from one iteration to the next within an activation, at least.
    pub fn interval(&self) -> f64 {
        self.cycles as f64 / self.iterations as f64
    }

    /// Fewest cycles from the first to the last of so many firings in so many activations, summed over so many runs, of one state
    /// machine on the circle: in an activation a firing comes a turn after the one that it goes back to, and from one activation to the
    /// next a cycle passes.
    pub fn least_span(&self, firings: u64, activations: u64, runs: u64) -> f64 {
        let turns = firings.saturating_sub(activations * self.iterations) as f64;
        turns * self.interval() + activations.saturating_sub(runs) as f64
    }
}

/// The slowest circle of the nodes of one rate. `units` are registers and interval by node, `way` gives the registers from a node to an
/// operand of another. With [`Rates::certain`] each iteration of the loop goes round, so that none is shorter on units and ways that
/// take at least as long; with [`Rates::new`] both sides of each branch on data count, and it is what the loop takes where all are taken.
pub fn bound(
    graph: &Graph,
    rates: &Rates,
    units: &[(u32, i64)],
    way: &dyn Fn(NodeId, usize) -> u32,
    rate: usize,
) -> LoopBound {
    let within = |n: usize| rates.node(NodeId(n as u32)) == rate;
    let way = &mut |_, to, operand| way(NodeId(to as u32), operand);
    let analysis = before_mapping(graph, rates, &|n| units[n], way, &within);
    let Some((arcs, nodes)) = analysis.slowest_circle() else { return LoopBound::default() };
    let sum = |of: fn(&Arc) -> i64| arcs.iter().map(|&a| of(&analysis.arcs[a])).sum::<i64>().max(1) as u64;
    LoopBound { cycles: sum(|a| a.cycles), iterations: sum(|a| a.tokens), nodes }
}

impl Analysis {
    /// The arcs of a slowest circle, and its nodes, where an event is one; none where nothing takes more than a cycle.
    fn slowest_circle(&self) -> Option<(Vec<usize>, Vec<NodeId>)> {
        let bound = self.ratio(false);
        if bound <= 1.0 {
            return None;
        }
        // Just below the bound only its own circles are too slow.
        let arcs = self.slow_cycle(bound - 1e-3, false)?;
        let mut nodes: Vec<NodeId> = arcs.iter().map(|&a| NodeId(self.arcs[a].from as u32)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Some((arcs, nodes))
    }
}

/// The slowest circle of a mapped graph with links as they are: its cycles for each token, and its nodes; none where nothing takes more than
/// a cycle. `units` are registers and interval by node, `hop` gives the registers between a node and one that uses it.
pub fn slowest(
    graph: &Graph,
    units: &[(u32, i64)],
    hop: &mut dyn FnMut(NodeId, NodeId) -> u32,
) -> (f64, Vec<NodeId>) {
    let mut between = |from: usize, to: usize, _| hop(NodeId(from as u32), NodeId(to as u32));
    let analysis = before_mapping(graph, &Rates::new(graph), &|n| units[n], &mut between, &|_| true);
    let nodes = analysis.slowest_circle().map_or(Vec::new(), |c| c.1);
    (analysis.ratio(false), nodes)
}
