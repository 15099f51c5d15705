//! A graph placed and routed: what throughput, fill and slack are computed from.

use crate::model::place::Place;
use crate::model::resources::{Resources, RouteTarget};
use crate::model::units::UnitTiming;
use crate::route::{RouteRequest, RouteTree};
use crate::Step;
use loom_adg::ChannelId;
use loom_dfg::graph::Use;
use loom_dfg::{Graph, ValueId};

/// A graph placed and routed.
#[derive(Clone, Copy)]
pub struct Routed<'a> {
    /// The netlist.
    pub graph: &'a Graph,
    /// The fabric.
    pub resources: &'a Resources,
    /// Where every node sits.
    pub place: &'a Place,
    /// By node: timing of what it sits on.
    pub units: &'a [UnitTiming],
    /// What is routed.
    pub nets: &'a [RouteRequest],
    /// By net: its ways.
    pub trees: &'a [RouteTree],
}

impl<'a> Routed<'a> {
    /// The same placement with these ways.
    pub fn with<'b>(&self, nets: &'b [RouteRequest], trees: &'b [RouteTree]) -> Routed<'b>
    where
        'a: 'b,
    {
        Routed { nets, trees, ..*self }
    }
}

/// Which use of which net.
pub type UseId = (usize, usize);

/// FIFOs between a net's source and each use.
pub fn registers(tree: &RouteTree, end: ChannelId) -> u64 {
    let mut count = 0;
    let mut at = end;
    while let Some((before, step)) = tree.channels.get(&at).and_then(|c| c.0) {
        if matches!(step, Step::Fifo { bypass: false, .. }) {
            count += 1;
        }
        at = before;
    }
    count
}

/// The target of a use on a placement.
pub fn target(resources: &Resources, place: &Place, use_: Use) -> RouteTarget {
    match use_ {
        Use::Output(o) => RouteTarget::Output(place.outputs[o]),
        Use::Operand { node, operand } => {
            let at = place.nodes[node.0 as usize];
            match resources.lane(at) {
                Some(lane) => RouteTarget::Channel(lane.requests[operand]),
                None => RouteTarget::Pe(at.component),
            }
        }
    }
}

/// Values that travel, in id order: those with a use, immediates left out.
pub fn routed_values(graph: &Graph) -> Vec<(ValueId, Vec<Use>)> {
    let uses = graph.uses();
    (0..graph.values.len())
        .filter(|&v| !uses[v].is_empty() && graph.literal(ValueId(v as u32)).is_none())
        .map(|v| (ValueId(v as u32), uses[v].clone()))
        .collect()
}
