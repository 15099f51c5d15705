//! What the mapper decides, and nothing that can be derived from it.

use crate::model::{cover, netlist};
use loom_adg::{ComponentId, SourcePort};
use loom_dfg::{Graph, NodeId, ValueId};

/// Where a node runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The PE.
    pub component: ComponentId,
    /// FU number in the PE: the opcode.
    pub fu: usize,
    /// By operand: the PE input it arrives at.
    pub inputs: Vec<usize>,
    /// By result: the PE output it leaves by, `None` when it is discarded.
    pub outputs: Vec<Option<usize>>,
}

/// One component a value passes on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// A switch, from one of its inputs to one of its outputs.
    Switch {
        /// The switch.
        component: ComponentId,
        /// Switch input.
        input: usize,
        /// Switch output.
        output: usize,
    },
    /// A FIFO.
    Fifo {
        /// The FIFO.
        component: ComponentId,
        /// Whether tokens pass it within the cycle: it is configured to be a wire, or falls through.
        bypass: bool,
    },
}

/// The way of one value from its producer to all its consumers: a tree of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The value.
    pub value: ValueId,
    /// Fabric input or PE output it starts from.
    pub source: SourcePort,
    /// Steps, sorted; each input of a switch or FIFO belongs to one value only.
    pub steps: Vec<Step>,
}

/// A whole mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Ops of the netlist without covers that are one node each, by their last op; nodes and values of all that follows are those of the
    /// netlist with them.
    pub covers: Vec<Vec<NodeId>>,
    /// By node id.
    pub placements: Vec<Placement>,
    /// By argument: fabric input; `None` for an argument nobody uses, whose tokens the driver drops.
    pub arguments: Vec<Option<usize>>,
    /// By function output: fabric output.
    pub outputs: Vec<usize>,
    /// One for each value with a use, by value id.
    pub routes: Vec<Route>,
}

impl Mapping {
    /// What it places and routes of a graph, if it was checked; of a graph without such ops the netlist without covers.
    pub fn netlist(&self, graph: &Graph, index_width: u32) -> Graph {
        let covered = cover::netlist_with(graph, index_width, &self.covers);
        covered.unwrap_or_else(|_| netlist::netlist(graph, index_width))
    }
}
