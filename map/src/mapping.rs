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
    /// An `add_tag`: from here on the value has a tag.
    AddTag {
        /// The component.
        component: ComponentId,
        /// The tag it gives.
        tag: u32,
    },
    /// A `map_tag`: the value gets another tag.
    MapTag {
        /// The component.
        component: ComponentId,
        /// The entry of its table.
        entry: usize,
        /// The tag before.
        from: u32,
        /// The tag behind.
        to: u32,
    },
    /// A `del_tag`: the value has no tag any more.
    DelTag {
        /// The component.
        component: ComponentId,
    },
    /// A temporal switch, from one of its inputs to one of its outputs, by the slot that has the value's tag.
    Slot {
        /// The switch.
        component: ComponentId,
        /// The slot.
        slot: usize,
        /// Its tag, and the value's.
        tag: u32,
        /// Switch input.
        input: usize,
        /// Switch output.
        output: usize,
    },
}

impl Step {
    /// What it passes.
    pub fn component(self) -> ComponentId {
        match self {
            Step::Switch { component, .. }
            | Step::Fifo { component, .. }
            | Step::AddTag { component, .. }
            | Step::MapTag { component, .. }
            | Step::DelTag { component }
            | Step::Slot { component, .. } => component,
        }
    }

    /// The same step through another component.
    pub fn through(mut self, other: ComponentId) -> Step {
        match &mut self {
            Step::Switch { component, .. }
            | Step::Fifo { component, .. }
            | Step::AddTag { component, .. }
            | Step::MapTag { component, .. }
            | Step::DelTag { component }
            | Step::Slot { component, .. } => *component = other,
        }
        self
    }

    /// By which input it enters, and by which output it leaves.
    pub fn ports(self) -> (usize, usize) {
        match self {
            Step::Switch { input, output, .. } | Step::Slot { input, output, .. } => (input, output),
            Step::Fifo { .. } | Step::AddTag { .. } | Step::MapTag { .. } | Step::DelTag { .. } => (0, 0),
        }
    }

    /// In words, with the path of its component.
    pub fn text(self, path: &str) -> String {
        match self {
            Step::Switch { input, output, .. } => format!("{path} {input}>{output}"),
            Step::Fifo { bypass: false, .. } => path.to_string(),
            Step::Fifo { bypass: true, .. } => format!("{path} (bypassed)"),
            Step::AddTag { tag, .. } => format!("{path} (tag {tag})"),
            Step::MapTag { from, to, .. } => format!("{path} (tag {from} to {to})"),
            Step::DelTag { .. } => format!("{path} (no tag)"),
            Step::Slot { slot, tag, input, output, .. } => {
                format!("{path} {input}>{output} (slot {slot}, tag {tag})")
            }
        }
    }
}

/// The way of one value from its producer to all its consumers: a tree of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The value.
    pub value: ValueId,
    /// Fabric input or PE output it starts from.
    pub source: SourcePort,
    /// Steps, sorted; each input of a component belongs to one value only.
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
