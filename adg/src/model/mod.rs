//! The architecture model: component definitions, tiles, and the fabric's top level.
//!
//! Two levels of hierarchy: the top level instantiates tiles and components, a tile instantiates components. Every
//! output port of an instance feeds at most one input port: fan-out and merging exist only inside switches (C11).
//! Hardware parameters live here; what configuration sets at run time lives in [`crate::layout`].

mod effective;
mod memory;
mod sharing;
mod unit;

pub use effective::EffectiveUnit;
pub use memory::{Backing, LanePort, MemoryInterface, MemoryPort};
pub use sharing::{Resource, SharedUnits};
pub use unit::{BodyKind, BodyOp, BodyValue, FunctionUnit};

use std::fmt;

/// Limits of the fabric model (`docs/fabric.md`), one place for all of them.
pub mod limits {
    /// Data bits of a channel.
    pub const MAX_WIDTH: u32 = 4096;
    /// Tag bits of a tagged channel, 1 to this.
    pub const MAX_TAG_WIDTH: u32 = 16;
    /// Inputs and outputs of a switch, 1 to this each.
    pub const MAX_SWITCH_PORTS: usize = 32;
    /// Inputs and outputs of a PE, 1 to this each: room for the widest join and mux.
    pub const MAX_PE_PORTS: usize = 128;
    /// Entries of a `map_tag` table, 1 to this.
    pub const MAX_TAG_TABLE: usize = 256;
    /// Operands of a hardware join, 1 to this.
    pub const MAX_JOIN: usize = 64;
    /// Entries of a FIFO, 1 to this.
    pub const MAX_FIFO_DEPTH: usize = 65536;
    /// Slots of a temporal switch, 1 to this.
    pub const MAX_ROUTE_SLOTS: usize = 256;
    /// Lanes of a memory interface, loads and stores each.
    pub const MAX_LANES: usize = 64;
    /// Entries of a memory interface's queues, 2 to this.
    pub const MAX_MEMORY_QUEUE: usize = 64;
    /// Regions of a memory interface, 1 to this.
    pub const MAX_REGIONS: usize = 64;
    /// Inputs of a `fabric.mux`, 2 to this.
    pub const MAX_BODY_MUX: usize = 64;
    /// Settings of the muxes of a unit's body, all together.
    pub const MAX_SETTINGS: usize = 256;
    /// Immediates of a PE.
    pub const MAX_IMMEDIATES: usize = 4;
    /// Bits of a memory word.
    pub const MEMORY_WIDTHS: [u32; 4] = [8, 16, 32, 64];
    /// Bytes of a scratchpad.
    pub const MAX_SCRATCHPAD: u64 = 1 << 20;
    /// `index` may be 32 to 64 bits wide.
    pub const INDEX_WIDTHS: std::ops::RangeInclusive<u32> = 32..=64;
}

/// The type of a channel: data width, and tag width where tagged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChannelType {
    /// Data bits; 0 for a control token, which has only valid and ready (H10).
    pub width: u32,
    /// Tag bits; 0 for an untagged channel.
    pub tag: u32,
}

impl ChannelType {
    /// A control token.
    pub const NONE: ChannelType = ChannelType { width: 0, tag: 0 };

    /// `bits<width>`; width 0 is `none`.
    pub const fn bits(width: u32) -> Self {
        ChannelType { width, tag: 0 }
    }

    /// `tagged<bits<width>, i<tag>>`.
    pub const fn tagged(width: u32, tag: u32) -> Self {
        ChannelType { width, tag }
    }

    /// Whether a tag travels with the data.
    pub fn is_tagged(self) -> bool {
        self.tag > 0
    }
}

impl fmt::Display for ChannelType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.width, self.tag) {
            (0, 0) => f.write_str("none"),
            (w, 0) => write!(f, "bits<{w}>"),
            (w, k) => write!(f, "tagged<bits<{w}>, i{k}>"),
        }
    }
}

/// A hardware component; a definition may have many instances.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// A processing element that runs one of its FUs.
    SpatialPe(SpatialPe),
    /// A crossbar switch set by configuration.
    SpatialSw(SpatialSw),
    /// A switch that routes by tag.
    TemporalSw(TemporalSw),
    /// A buffer; a registered one of depth 2 is the two-entry elastic buffer of registered links.
    Fifo(Fifo),
    /// Adds a configured tag.
    AddTag(AddTag),
    /// Translates tags by a configured table.
    MapTag(MapTag),
    /// Drops the tag.
    DelTag(DelTag),
    /// A scratchpad, or the AXI4 master of an external memory.
    Memory(MemoryInterface),
}

/// `spatial_pe`: at most one FU is active; any PE input may feed any FU input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpatialPe {
    /// Input channels, untagged.
    pub inputs: Vec<ChannelType>,
    /// Output channels, untagged.
    pub outputs: Vec<ChannelType>,
    /// Function units, numbered in definition order (the opcode).
    pub fus: Vec<FunctionUnit>,
    /// A two-entry elastic buffer behind every result. Results of `dataflow` state machines have it in any case.
    pub output_buffers: bool,
    /// Literals of configuration that input muxes may select in place of a PE input: to a mux they are further ports.
    pub immediates: usize,
}

impl SpatialPe {
    /// Most inputs of any FU: the number of input muxes.
    pub fn input_muxes(&self) -> usize {
        self.fus.iter().map(|f| f.inputs.len()).max().unwrap_or(0)
    }

    /// What an input mux chooses from: the PE inputs, then the immediates.
    pub fn input_choices(&self) -> usize {
        self.inputs.len() + self.immediates
    }

    /// Bits of an immediate: those of the widest FU input.
    pub fn immediate_width(&self, index_width: u32) -> u32 {
        self.fus.iter().flat_map(|f| &f.inputs).map(|t| t.width(index_width)).max().unwrap_or(0)
    }

    /// Whether the results of one of its FUs pass a buffer.
    pub fn buffers(&self, fu: &FunctionUnit) -> bool {
        self.output_buffers || fu.is_state_machine()
    }

    /// Whether there are buffers: its outputs have one each, which FUs share.
    pub fn has_buffers(&self) -> bool {
        self.fus.iter().any(|fu| self.buffers(fu))
    }

    /// Whether every result passes a buffer, so that no output and no ready of an input is combinational in the other side's.
    pub fn is_buffered(&self) -> bool {
        self.fus.iter().all(|fu| self.buffers(fu))
    }

    /// Most outputs of any FU: the number of output demuxes.
    pub fn output_demuxes(&self) -> usize {
        self.fus.iter().map(|f| f.results.len()).max().unwrap_or(0)
    }
}

/// `spatial_sw`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpatialSw {
    /// 1 to 32 channels, all tagged or none.
    pub inputs: Vec<ChannelType>,
    /// 1 to 32 channels.
    pub outputs: Vec<ChannelType>,
    /// `connectivity[output][input]`.
    pub connectivity: Vec<Vec<bool>>,
    /// Lane width when routes are set lane by lane; untagged only, divides every port's width.
    pub decomposable_bits: Option<u32>,
}

impl SpatialSw {
    /// Whether configuration can pass all bits of an output's width from an input, as they are. Lane by lane that takes an input
    /// with as many lanes: every lane of an output that is in use has a source.
    pub fn passes_whole(&self, input: usize, output: usize) -> bool {
        self.decomposable_bits.is_none() || self.outputs[output].width <= self.inputs[input].width
    }
}

/// `temporal_sw`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TemporalSw {
    /// The one type of all ports, tagged.
    pub ty: ChannelType,
    /// 1 to 32.
    pub inputs: usize,
    /// 1 to 32.
    pub outputs: usize,
    /// `connectivity[output][input]`.
    pub connectivity: Vec<Vec<bool>>,
    /// Slots.
    pub num_route_table: usize,
}

/// `fifo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fifo {
    /// Input and output type.
    pub ty: ChannelType,
    /// Entries, at least 1. Full throughput needs 2.
    pub depth: usize,
    /// Which signals pass it within a cycle.
    pub kind: FifoKind,
}

/// Which signals pass a FIFO within a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FifoKind {
    /// None: valid, data and ready are registers.
    Registered,
    /// None, or all where configuration turns it into a wire.
    Bypassable,
    /// Valid and data of a token that meets it empty; ready is a register. It cuts what runs back, and costs no cycle.
    FallThrough,
}

impl FifoKind {
    /// From the two flags of the text forms; `None` for both, which exclude each other.
    pub fn of(bypassable: bool, fall_through: bool) -> Option<FifoKind> {
        match (bypassable, fall_through) {
            (false, false) => Some(FifoKind::Registered),
            (true, false) => Some(FifoKind::Bypassable),
            (false, true) => Some(FifoKind::FallThrough),
            (true, true) => None,
        }
    }
}

impl Fifo {
    /// Whether configuration can turn it into a wire.
    pub fn is_bypassable(&self) -> bool {
        self.kind == FifoKind::Bypassable
    }

    /// Whether a token can pass it within a cycle.
    pub fn can_pass(&self) -> bool {
        self.kind != FifoKind::Registered
    }

    /// Whether a token can take a cycle in it at the least.
    pub fn can_register(&self) -> bool {
        self.kind != FifoKind::FallThrough
    }
}

/// `add_tag`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AddTag {
    /// Data bits.
    pub width: u32,
    /// Tag bits of the output.
    pub tag: u32,
}

/// `map_tag`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MapTag {
    /// Data bits.
    pub width: u32,
    /// Tag bits of the input.
    pub tag_in: u32,
    /// Tag bits of the output.
    pub tag_out: u32,
    /// Entries, 1 to 256.
    pub table_size: usize,
}

/// `del_tag`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DelTag {
    /// Data bits.
    pub width: u32,
    /// Tag bits of the input.
    pub tag: u32,
}

impl Component {
    /// The kind's name, as files write it.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Component::SpatialPe(_) => "spatial_pe",
            Component::SpatialSw(_) => "spatial_sw",
            Component::TemporalSw(_) => "temporal_sw",
            Component::Fifo(_) => "fifo",
            Component::AddTag(_) => "add_tag",
            Component::MapTag(_) => "map_tag",
            Component::DelTag(_) => "del_tag",
            Component::Memory(m) if m.is_external() => "extmemory",
            Component::Memory(_) => "memory",
        }
    }

    /// Types of the input ports.
    pub fn inputs(&self) -> Vec<ChannelType> {
        match self {
            Component::SpatialPe(c) => c.inputs.clone(),
            Component::SpatialSw(c) => c.inputs.clone(),
            Component::TemporalSw(c) => vec![c.ty; c.inputs],
            Component::Fifo(c) => vec![c.ty],
            Component::AddTag(c) => vec![ChannelType::bits(c.width)],
            Component::MapTag(c) => vec![ChannelType::tagged(c.width, c.tag_in)],
            Component::DelTag(c) => vec![ChannelType::tagged(c.width, c.tag)],
            Component::Memory(m) => m.ports().0.into_iter().map(|(p, _)| m.port_type(p)).collect(),
        }
    }

    /// Types of the output ports.
    pub fn outputs(&self) -> Vec<ChannelType> {
        match self {
            Component::SpatialPe(c) => c.outputs.clone(),
            Component::SpatialSw(c) => c.outputs.clone(),
            Component::TemporalSw(c) => vec![c.ty; c.outputs],
            Component::Fifo(c) => vec![c.ty],
            Component::AddTag(c) => vec![ChannelType::tagged(c.width, c.tag)],
            Component::MapTag(c) => vec![ChannelType::tagged(c.width, c.tag_out)],
            Component::DelTag(c) => vec![ChannelType::bits(c.width)],
            Component::Memory(m) => m.ports().1.into_iter().map(|(p, _)| m.port_type(p)).collect(),
        }
    }

    /// Whether it belongs to the PE part of the configuration image, which comes last.
    pub fn is_pe(&self) -> bool {
        matches!(self, Component::SpatialPe(_))
    }
}

/// A named component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Unique among definitions.
    pub name: String,
    /// What it is.
    pub component: Component,
}

/// A port of a tile or of the fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Unique among the ports of its side.
    pub name: String,
    /// Channel type.
    pub ty: ChannelType,
}

/// What an instance is an instance of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Of {
    /// Index into [`Adg::definitions`].
    Component(usize),
    /// Index into [`Adg::tiles`]; only at the top level.
    Tile(usize),
}

/// An instance in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Unique in its body.
    pub name: String,
    /// Of what.
    pub of: Of,
    /// Grid position (column, row), for placement; instances without one count as (0, 0).
    pub position: Option<(i32, i32)>,
}

/// One end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// A port of the body itself: an input port as a source, an output port as a sink.
    Body(usize),
    /// Port `port` of instance `instance`: an output as a source, an input as a sink.
    Instance {
        /// Index into [`Body::instances`].
        instance: usize,
        /// Port index on that side.
        port: usize,
    },
}

/// A point-to-point connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Connection {
    /// Source.
    pub from: End,
    /// Sink.
    pub to: End,
}

/// Ports, instances and connections: the fabric's top level, or a tile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Input ports.
    pub inputs: Vec<Port>,
    /// Output ports.
    pub outputs: Vec<Port>,
    /// Instances in flattened order.
    pub instances: Vec<Instance>,
    /// Connections.
    pub connections: Vec<Connection>,
}

/// What a topology repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Unique among tiles.
    pub name: String,
    /// Instances of components only.
    pub body: Body,
}

/// A whole architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adg {
    /// Names artifacts and the Verilog top.
    pub name: String,
    /// Width of `index`, 32 to 64.
    pub index_width: u32,
    /// Component definitions.
    pub definitions: Vec<Definition>,
    /// Tile definitions.
    pub tiles: Vec<Tile>,
    /// Top level; its ports are the fabric's `in<k>` and `out<k>` in order.
    pub top: Body,
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom_dfg::{OpKind, Type};

    #[test]
    fn types_as_text() {
        assert_eq!(ChannelType::NONE.to_string(), "none");
        assert_eq!(ChannelType::bits(8).to_string(), "bits<8>");
        assert_eq!(ChannelType::tagged(8, 3).to_string(), "tagged<bits<8>, i3>");
    }

    #[test]
    fn a_single_op_is_known_by_its_order() {
        let i = Type::I32;
        let mut fu = FunctionUnit::single("sub", OpKind::Subi, &[i, i], &[i]);
        assert_eq!(fu.single_op(), Some(OpKind::Subi));
        fu.body[0].operands.reverse();
        assert_eq!(fu.single_op(), None);
        assert_eq!(fu.output_types(), [i]);
        let carry = FunctionUnit::single("carry", OpKind::Carry, &[Type::I1, i, i], &[i]);
        assert!(carry.is_state_machine());
        assert_eq!((carry.latency, carry.interval), (-1, -1));
    }

    #[test]
    fn tag_components_keep_the_width() {
        let c = Component::MapTag(MapTag { width: 8, tag_in: 4, tag_out: 2, table_size: 3 });
        assert_eq!(c.inputs(), [ChannelType::tagged(8, 4)]);
        assert_eq!(c.outputs(), [ChannelType::tagged(8, 2)]);
        assert_eq!(Component::AddTag(AddTag { width: 0, tag: 2 }).inputs(), [ChannelType::NONE]);
    }
}
