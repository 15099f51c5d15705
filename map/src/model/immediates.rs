//! Which constants of a graph become immediates of a fabric's PEs.
//!
//! Guarantees: a function of graph and fabric alone. No op has fewer PEs than before: an operand becomes an immediate only where
//! every PE that runs the op has room for it. Only graphs in proved token balance ([`loom_front::regime`]) change, since
//! others may mean what a constant's tokens say beside their bits.

use super::tech;
use loom_adg::{Component, Fabric};
use loom_dfg::{immediates, Graph, NodeId};

/// The graph with immediates, as [`immediates::fold`] makes it; `None` where fabric or graph gives no occasion.
pub fn with_immediates(graph: &Graph, fabric: &Fabric) -> Option<Graph> {
    let pes = || {
        fabric.adg().definitions.iter().filter_map(|d| match &d.component {
            Component::SpatialPe(pe) => Some(pe),
            _ => None,
        })
    };
    if pes().all(|pe| pe.immediates == 0) || loom_front::regime::check(graph, fabric.index_width()).is_err() {
        return None;
    }
    let room = |node: NodeId| {
        let runs =
            pes().filter(|pe| pe.fus.iter().any(|fu| tech::fits(graph, node, fu, fabric.index_width())));
        runs.map(|pe| pe.immediates).min().unwrap_or(0)
    };
    immediates::fold(graph, &room)
}
