//! A graph placed and routed: what throughput, fill and slack are computed from.

use crate::model::resources::Resources;
use crate::place::Place;
use crate::route::{Net, Target, Tree};
use crate::Step;
use loom_adg::{ChannelId, Component, ComponentId, Fabric};
use loom_dfg::graph::Use;
use loom_dfg::{Graph, ValueId};

/// A graph placed and routed.
#[derive(Clone, Copy)]
pub struct Routed<'a> {
    /// The netlist.
    pub graph: &'a Graph,
    /// The fabric.
    pub fabric: &'a Fabric,
    /// Where every node sits.
    pub place: &'a Place,
    /// By node: timing of what it sits on.
    pub units: &'a [UnitTiming],
    /// What is routed.
    pub nets: &'a [Net],
    /// By net: its ways.
    pub trees: &'a [Tree],
}

impl<'a> Routed<'a> {
    /// The same placement with these ways.
    pub fn with<'b>(&self, nets: &'b [Net], trees: &'b [Tree]) -> Routed<'b>
    where
        'a: 'b,
    {
        Routed { nets, trees, ..*self }
    }
}

/// Which use of which net.
pub type UseId = (usize, usize);

/// Timing of a unit, or of a memory lane.
#[derive(Clone, Copy, Debug)]
pub struct UnitTiming {
    /// Cycles from operands to results.
    pub latency: u32,
    /// Cycles between firings.
    pub interval: i64,
    /// Whether output buffers follow.
    pub buffered: bool,
    /// Tokens that may be under way.
    pub depth: i64,
}

/// Timing of what stands at a site: an FU of a PE, or a lane. External memory behind a lane answers after
/// `memory_latency` cycles, a scratchpad after one.
pub fn unit_timing(fabric: &Fabric, memory_latency: u32, (id, number): (ComponentId, usize)) -> UnitTiming {
    match fabric.component(id) {
        Component::SpatialPe(pe) => {
            let fu = &pe.fus[number];
            let latency = fu.latency.max(0) as u32;
            UnitTiming {
                latency,
                interval: fu.interval.max(1).into(),
                buffered: pe.output_buffers,
                depth: latency.into(),
            }
        }
        Component::Memory(m) => {
            // The queues of a tagged interface do not fall through; its stores wait in one more.
            let queues = match (m.tag > 0, number >= crate::model::memory::STORE) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => 2,
            };
            let latency = queues + if m.is_external() { memory_latency } else { 1 };
            UnitTiming { latency, interval: 1, buffered: false, depth: m.queue as i64 }
        }
        _ => UnitTiming { latency: 0, interval: 1, buffered: false, depth: 0 },
    }
}

/// FIFOs between a net's source and each use.
pub fn registers(fabric: &Fabric, tree: &Tree, end: ChannelId) -> u64 {
    let mut count = 0;
    let mut at = end;
    while let Some((before, step)) = tree.channels.get(&at).and_then(|c| c.0) {
        if let Step::Fifo { component, bypass: false } = step {
            debug_assert!(matches!(fabric.component(component), Component::Fifo(_)));
            count += 1;
        }
        at = before;
    }
    count
}

/// The target of a use on a placement.
pub fn target(resources: &Resources, place: &Place, use_: Use) -> Target {
    match use_ {
        Use::Output(o) => Target::Output(place.outputs[o]),
        Use::Operand { node, operand } => {
            let at = place.nodes[node.0 as usize];
            match resources.lanes.get(&at) {
                Some(lane) => Target::Channel(lane.requests[operand]),
                None => Target::Pe(at.0),
            }
        }
    }
}

/// Values with a use, in id order.
pub fn routed_values(graph: &Graph) -> Vec<(ValueId, Vec<Use>)> {
    let uses = graph.uses();
    (0..graph.values.len())
        .filter(|&v| !uses[v].is_empty())
        .map(|v| (ValueId(v as u32), uses[v].clone()))
        .collect()
}
