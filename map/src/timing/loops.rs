//! What bounds a single loop on a fabric before anything is mapped: the slowest circle among the nodes of its rate.

use super::{before_mapping, Analysis};
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

/// The bound of the nodes of one rate, at least 1, and the nodes of a circle that makes it; none where nothing does.
pub fn bound(graph: &Graph, rates: &Rates, fastest: &[(u32, i64)], rate: usize) -> (f64, Vec<NodeId>) {
    let within = |n: usize| rates.node(NodeId(n as u32)) == rate;
    let analysis = before_mapping(graph, rates, &|n| fastest[n], &mut |_, _| 0, &within);
    circle_at(&analysis, analysis.ratio(false))
}

/// A bound with the nodes of a circle that makes it.
fn circle_at(analysis: &Analysis, bound: f64) -> (f64, Vec<NodeId>) {
    if bound <= 1.0 {
        return (bound, Vec::new());
    }
    // Just below the bound only its own circles are too slow.
    let arcs = analysis.slow_cycle(bound - 1e-3, false).unwrap_or_default();
    let mut nodes: Vec<NodeId> = arcs.into_iter().map(|a| NodeId(analysis.arcs[a].from as u32)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    (bound, nodes)
}

/// The slowest circle of a mapped graph with links as they are: its cycles for each token, and its nodes; none where nothing takes more than
/// a cycle. `units` are registers and interval by node, `hop` gives the registers between a node and one that uses it.
pub fn slowest(
    graph: &Graph,
    units: &[(u32, i64)],
    hop: &mut dyn FnMut(NodeId, NodeId) -> u32,
) -> (f64, Vec<NodeId>) {
    let mut between = |from: usize, to: usize| hop(NodeId(from as u32), NodeId(to as u32));
    let analysis = before_mapping(graph, &Rates::new(graph), &|n| units[n], &mut between, &|_| true);
    circle_at(&analysis, analysis.ratio(false))
}
