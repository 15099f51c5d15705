//! What a network is made of: elements, and the wires between them.

use loom_dfg::ValueId;

/// Index of an [`Element`].
pub(super) type ElementId = usize;
/// Index of a [`Wire`].
pub(super) type WireId = usize;

/// What an element does; docs/hardware.md has the equations.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Argument of this number.
    Source(usize),
    /// Output of this number; always ready in the end.
    Sink(usize),
    /// Eager fork: one done bit for each output.
    Fork,
    /// Storage: a FIFO, an output buffer, the stages of a pipeline, a queue.
    Fifo(usize),
    /// All inputs, one result: arithmetic, or what only names a free choice.
    Unit,
    /// The literal, as far as conditions go.
    Constant(u8),
    Join,
    CondBr,
    Mux,
    Stream,
    Gate,
    Carry,
    Invariant,
    /// A carry with its branch.
    CarryBr,
    /// An invariant with its branch.
    InvariantBr,
    /// A memory lane: a request is taken when all its queues have room.
    Access,
}

impl Kind {
    /// Registers at both ends: what it offers, and whether it has room, depends on nothing else in a step.
    pub fn is_storage(&self) -> bool {
        matches!(self, Kind::Source(_) | Kind::Sink(_) | Kind::Fifo(_))
    }

    /// State machines and lanes push into storage: what they do depends on room, which is a register, and never on a ready.
    pub fn is_registered(&self) -> bool {
        let machine = matches!(self, Kind::Stream | Kind::Gate | Kind::Carry | Kind::Invariant);
        machine || matches!(self, Kind::CarryBr | Kind::InvariantBr | Kind::Access)
    }

    /// All others pass tokens on in the step in which they come.
    pub fn is_combinational(&self) -> bool {
        !self.is_storage() && !self.is_registered()
    }
}

/// One part of the network.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub kind: Kind,
    pub inputs: Vec<WireId>,
    /// `None`: the token is discarded.
    pub outputs: Vec<Option<WireId>>,
    /// Values that its result may have, when someone decides by it: 0 when nobody does.
    pub choices: u8,
    /// A stream whose loop surely runs: the first condition of an activation is true.
    pub sure: bool,
    /// Loops around it.
    pub depth: u32,
    /// Of a choice, and of a machine: the value it is about.
    pub value: Option<ValueId>,
    /// As the user knows it.
    pub name: String,
}

impl Element {
    /// All that it is at an end of.
    pub fn wires(&self) -> impl Iterator<Item = WireId> + '_ {
        self.inputs.iter().copied().chain(self.outputs.iter().flatten().copied())
    }
}

/// A channel without storage.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub from: ElementId,
    pub to: ElementId,
    /// The value it carries.
    pub value: ValueId,
}
