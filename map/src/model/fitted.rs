//! A graph as a fabric's PEs run it: branches in their state machines, and constants as immediates.
//!
//! Guarantees: a function of graph and fabric alone. No op has fewer PEs than before: a pair becomes one op, and an operand an immediate,
//! only where every PE that runs the op has a unit, or room, for it. Pairs that decide about the condition that they take stay two. Only
//! graphs in proved token balance ([`loom_front::regime`]) change, since others may mean what the tokens that go say beside
//! their bits.

use super::tech;
use crate::timing::recurrence::recurrences_of_loops;
use loom_adg::model::SpatialPe;
use loom_adg::{Component, Fabric};
use loom_dfg::{branches, immediates, Graph, NodeId, OpKind, ValueDef};

/// The graph as [`branches::fuse`] and [`immediates::fold`] make it; `None` where fabric or graph gives no occasion.
pub fn fitted(graph: &Graph, fabric: &Fabric) -> Option<Graph> {
    let fuses = pes(fabric).any(|pe| {
        let mut ops = pe.fus.iter().filter_map(|fu| fu.single_op());
        ops.any(|op| matches!(op, OpKind::CarryBr | OpKind::InvariantBr))
    });
    let folds = pes(fabric).any(|pe| pe.immediates > 0);
    if !(fuses || folds) || loom_front::regime::check(graph, fabric.index_width()).is_err() {
        return None;
    }
    let fused = if fuses { fused(graph, fabric) } else { None };
    let graph = fused.as_ref().unwrap_or(graph);
    let room = |node: NodeId| {
        let runs = pes(fabric).filter(|pe| runs(graph, node, pe, fabric));
        runs.map(|pe| pe.immediates).min().unwrap_or(0)
    };
    immediates::fold(graph, &room).or(fused)
}

/// The graph with pairs that every PE of the machine alone runs, but for those that decide about their own condition: a machine's outputs
/// are registers and a branch's are not, so the loop would take a cycle longer.
fn fused(graph: &Graph, fabric: &Fabric) -> Option<Graph> {
    let circles = recurrences_of_loops(graph);
    let decides = |node: NodeId| match graph.value(graph.node(node).operands[0]).def {
        ValueDef::Result { node: condition, .. } => {
            let circle = circles[node.0 as usize];
            circle.is_some() && circle == circles[condition.0 as usize]
        }
        ValueDef::Argument(_) | ValueDef::Literal(_) => false,
    };
    branches::fuse(graph, &|fused, node| {
        let mut machines = pes(fabric).filter(|pe| runs(graph, node, pe, fabric)).peekable();
        !decides(node) && machines.peek().is_some() && machines.all(|pe| runs(fused, node, pe, fabric))
    })
}

fn pes(fabric: &Fabric) -> impl Iterator<Item = &SpatialPe> {
    fabric.adg().definitions.iter().filter_map(|d| match &d.component {
        Component::SpatialPe(pe) => Some(pe),
        _ => None,
    })
}

/// Whether a PE has a unit for a node.
fn runs(graph: &Graph, node: NodeId, pe: &SpatialPe, fabric: &Fabric) -> bool {
    pe.fus.iter().any(|fu| tech::fits(graph, node, fu, fabric.index_width()))
}
