//! The configuration layout: which bit of config.bin means what (`docs/bitstream.md`).
//!
//! The one source for the mapper's fields, the packer, the decoder, the native model and the Verilog's
//! configuration registers. A slice is one component's part; it starts on a word, its fields are packed from bit 0
//! up and may cross words. Slices stand in this order: routing, tag and buffer components in flattened order (those
//! that have bits), then PEs in flattened order.

use crate::flat::{ComponentId, Flat};
use crate::model::{Adg, BodyKind, BodyOp, Component, FunctionUnit, SpatialPe, SpatialSw};
use loom_base::choice_bits;
use loom_dfg::{ContCond, FloatPredicate, OpKind, Predicate};
use std::collections::HashMap;
use std::fmt;

/// What a field of a slice sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldKind {
    /// Switch: `output` takes `input`.
    Route {
        /// Switch output.
        output: usize,
        /// Switch input.
        input: usize,
    },
    /// Decomposable switch: lane `output_lane` of `output` takes lane `input_lane` of `input`.
    LaneRoute {
        /// Switch output.
        output: usize,
        /// Lane of the output.
        output_lane: usize,
        /// Switch input.
        input: usize,
        /// Lane of the input.
        input_lane: usize,
    },
    /// Temporal switch: slot `slot` is in use.
    SlotValid(usize),
    /// Temporal switch: the tag slot `slot` matches.
    SlotTag(usize),
    /// Temporal switch: in slot `slot`, `output` takes `input`.
    SlotRoute {
        /// Slot.
        slot: usize,
        /// Switch output.
        output: usize,
        /// Switch input.
        input: usize,
    },
    /// `fifo`: 1 turns it into a wire.
    Bypass,
    /// `add_tag`: the tag.
    Tag,
    /// `map_tag`: entry in use.
    EntryValid(usize),
    /// `map_tag`: tag to match.
    EntrySource(usize),
    /// `map_tag`: tag to give.
    EntryTarget(usize),
    /// Memory: region in use.
    RegionValid(usize),
    /// Memory: first lane of the region.
    RegionStart(usize),
    /// Memory: the lane behind its last.
    RegionEnd(usize),
    /// Memory: byte address of its first element; 0 in the image of an `extmemory`, for the host to patch.
    RegionOffset(usize),
    /// Memory: log2 of the bytes of an element.
    RegionSize(usize),
    /// PE: in use.
    Enable,
    /// PE: which FU is active.
    Opcode,
    /// PE input mux of FU input `i`: which PE input.
    InputSelect(usize),
    /// PE input mux: take tokens of the selected PE input and drop them; the FU gets none.
    InputDiscard(usize),
    /// PE input mux: not connected.
    InputDisconnect(usize),
    /// PE output demux of FU output `o`: which PE output.
    OutputSelect(usize),
    /// PE output demux: drop the FU's tokens.
    OutputDiscard(usize),
    /// PE output demux: not connected.
    OutputDisconnect(usize),
    /// PE: the active FU's payload; see [`payload`] for its parts.
    Payload,
    /// PE: an immediate, which input muxes select behind the PE inputs.
    Immediate(usize),
}

/// The fields that pass all bits of an output's width from an input, as they are, where [`SpatialSw::passes_whole`] says that there are
/// such: of a decomposable switch each lane from the lane of its number.
pub fn whole_route(sw: &SpatialSw, input: usize, output: usize) -> Vec<FieldKind> {
    let Some(bits) = sw.decomposable_bits else { return vec![FieldKind::Route { output, input }] };
    let lanes = 0..(sw.outputs[output].width / bits) as usize;
    lanes.map(|lane| FieldKind::LaneRoute { output, output_lane: lane, input, input_lane: lane }).collect()
}

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FieldKind::Route { output, input } => write!(f, "route.out{output}.in{input}"),
            FieldKind::LaneRoute { output, output_lane, input, input_lane } => {
                write!(f, "route.out{output}[{output_lane}].in{input}[{input_lane}]")
            }
            FieldKind::SlotValid(s) => write!(f, "slot{s}.valid"),
            FieldKind::SlotTag(s) => write!(f, "slot{s}.tag"),
            FieldKind::SlotRoute { slot, output, input } => {
                write!(f, "slot{slot}.route.out{output}.in{input}")
            }
            FieldKind::Bypass => f.write_str("bypass"),
            FieldKind::Tag => f.write_str("tag"),
            FieldKind::EntryValid(i) => write!(f, "entry{i}.valid"),
            FieldKind::EntrySource(i) => write!(f, "entry{i}.src_tag"),
            FieldKind::EntryTarget(i) => write!(f, "entry{i}.dst_tag"),
            FieldKind::RegionValid(r) => write!(f, "region{r}.valid"),
            FieldKind::RegionStart(r) => write!(f, "region{r}.start_lane"),
            FieldKind::RegionEnd(r) => write!(f, "region{r}.end_lane"),
            FieldKind::RegionOffset(r) => write!(f, "region{r}.addr_offset"),
            FieldKind::RegionSize(r) => write!(f, "region{r}.elem_size_log2"),
            FieldKind::Enable => f.write_str("enable"),
            FieldKind::Opcode => f.write_str("opcode"),
            FieldKind::InputSelect(i) => write!(f, "in{i}.sel"),
            FieldKind::InputDiscard(i) => write!(f, "in{i}.discard"),
            FieldKind::InputDisconnect(i) => write!(f, "in{i}.disconnect"),
            FieldKind::OutputSelect(o) => write!(f, "out{o}.sel"),
            FieldKind::OutputDiscard(o) => write!(f, "out{o}.discard"),
            FieldKind::OutputDisconnect(o) => write!(f, "out{o}.disconnect"),
            FieldKind::Payload => f.write_str("payload"),
            FieldKind::Immediate(i) => write!(f, "immediate{i}"),
        }
    }
}

/// A field: `width` bits from bit `low` of its slice. Fields of width 0 are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// What it sets.
    pub kind: FieldKind,
    /// Lowest bit in the slice.
    pub low: u32,
    /// Bits.
    pub width: u32,
}

/// The slice layout of one component definition.
#[derive(Clone, Debug, Default)]
pub struct SliceLayout {
    /// Fields, ascending.
    pub fields: Vec<Field>,
    /// Used bits.
    pub bits: u32,
    index: HashMap<FieldKind, usize>,
}

impl SliceLayout {
    /// The layout of a component's slice; no fields when it has no configuration.
    pub fn new(component: &Component, index_width: u32) -> SliceLayout {
        let mut layout = SliceLayout::default();
        match component {
            Component::SpatialSw(sw) => layout.spatial_sw(sw),
            Component::TemporalSw(sw) => {
                for slot in 0..sw.num_route_table {
                    layout.push(FieldKind::SlotValid(slot), 1);
                    layout.push(FieldKind::SlotTag(slot), sw.ty.tag);
                    for (output, row) in sw.connectivity.iter().enumerate() {
                        for input in (0..row.len()).filter(|&i| row[i]) {
                            layout.push(FieldKind::SlotRoute { slot, output, input }, 1);
                        }
                    }
                }
            }
            Component::Fifo(fifo) if fifo.is_bypassable() => layout.push(FieldKind::Bypass, 1),
            Component::Fifo(_) | Component::DelTag(_) => {}
            Component::AddTag(c) => layout.push(FieldKind::Tag, c.tag),
            Component::MapTag(c) => {
                for i in 0..c.table_size {
                    layout.push(FieldKind::EntryValid(i), 1);
                    layout.push(FieldKind::EntrySource(i), c.tag_in);
                    layout.push(FieldKind::EntryTarget(i), c.tag_out);
                }
            }
            Component::SpatialPe(pe) => layout.spatial_pe(pe, index_width),
            Component::Memory(memory) => {
                for r in 0..memory.regions {
                    for (kind, width) in [
                        (FieldKind::RegionValid(r), 1),
                        (FieldKind::RegionStart(r), 16),
                        (FieldKind::RegionEnd(r), 17),
                        (FieldKind::RegionOffset(r), 32),
                        (FieldKind::RegionSize(r), 2),
                    ] {
                        layout.push(kind, width);
                        layout.align_to_word();
                    }
                }
            }
        }
        layout
    }

    /// The field of a kind, `None` when it has no bits.
    pub fn field(&self, kind: FieldKind) -> Option<Field> {
        self.index.get(&kind).map(|&i| self.fields[i])
    }

    /// Words of the slice.
    pub fn words(&self) -> usize {
        self.bits.div_ceil(32) as usize
    }

    fn push(&mut self, kind: FieldKind, width: u32) {
        if width > 0 {
            self.index.insert(kind, self.fields.len());
            self.fields.push(Field { kind, low: self.bits, width });
            self.bits += width;
        }
    }

    /// The next field begins on a word.
    fn align_to_word(&mut self) {
        self.bits = self.bits.next_multiple_of(32);
    }

    fn spatial_sw(&mut self, sw: &SpatialSw) {
        for (output, row) in sw.connectivity.iter().enumerate() {
            match sw.decomposable_bits {
                None => {
                    for input in (0..row.len()).filter(|&i| row[i]) {
                        self.push(FieldKind::Route { output, input }, 1);
                    }
                }
                Some(lane) => {
                    for output_lane in 0..(sw.outputs[output].width / lane) as usize {
                        for input in (0..row.len()).filter(|&i| row[i]) {
                            for input_lane in 0..(sw.inputs[input].width / lane) as usize {
                                self.push(FieldKind::LaneRoute { output, output_lane, input, input_lane }, 1);
                            }
                        }
                    }
                }
            }
        }
    }

    fn spatial_pe(&mut self, pe: &SpatialPe, index_width: u32) {
        self.push(FieldKind::Enable, 1);
        self.push(FieldKind::Opcode, choice_bits(pe.fus.len()));
        for i in 0..pe.input_muxes() {
            self.push(FieldKind::InputSelect(i), choice_bits(pe.input_choices()));
            self.push(FieldKind::InputDiscard(i), 1);
            self.push(FieldKind::InputDisconnect(i), 1);
        }
        for o in 0..pe.output_demuxes() {
            self.push(FieldKind::OutputSelect(o), choice_bits(pe.outputs.len()));
            self.push(FieldKind::OutputDiscard(o), 1);
            self.push(FieldKind::OutputDisconnect(o), 1);
        }
        self.push(FieldKind::Payload, pe.fus.iter().map(|f| payload_bits(f, index_width)).max().unwrap_or(0));
        for i in 0..pe.immediates {
            self.push(FieldKind::Immediate(i), pe.immediate_width(index_width));
        }
    }
}

/// A part of an FU's payload region: what it configures, from bit `low` of the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadField {
    /// Index of the body op.
    pub op: usize,
    /// What it is.
    pub kind: PayloadKind,
    /// Lowest bit in the payload region.
    pub low: u32,
    /// Bits, at most 64.
    pub width: u32,
}

/// What a part of a payload holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadKind {
    /// `handshake.constant`: the literal.
    Literal,
    /// `handshake.join`: one bit per operand that takes part.
    JoinMask,
    /// `arith.cmpi`: the predicate's number.
    Predicate,
    /// `arith.cmpf`: the predicate's number; all sixteen are legal.
    FloatPredicate,
    /// `dataflow.stream`: `cont_cond`, one hot.
    ContCond,
    /// `dataflow.stream` built for it: index and bound are unsigned.
    Unsigned,
    /// `fabric.mux`: which operand it selects, of so many.
    Select(usize),
}

/// Parts of an FU's payload, in body order.
pub fn payload(fu: &FunctionUnit, index_width: u32) -> Vec<PayloadField> {
    let mut low = 0;
    let mut fields = Vec::new();
    for (op, body) in fu.body.iter().enumerate() {
        for (kind, width) in payload_parts(body, index_width) {
            fields.push(PayloadField { op, kind, low, width });
            low += width;
        }
    }
    fields
}

fn payload_parts(op: &BodyOp, index_width: u32) -> Vec<(PayloadKind, u32)> {
    let kind = match op.kind {
        BodyKind::Op(kind) => kind,
        BodyKind::Mux => {
            let operands = op.operands.len();
            return vec![(PayloadKind::Select(operands), choice_bits(operands))];
        }
    };
    match kind {
        OpKind::Constant => vec![(PayloadKind::Literal, op.results[0].width(index_width))],
        OpKind::Join(n) => vec![(PayloadKind::JoinMask, u32::from(n))],
        OpKind::Cmpi => vec![(PayloadKind::Predicate, Predicate::BITS)],
        OpKind::Cmpf => vec![(PayloadKind::FloatPredicate, FloatPredicate::BITS)],
        OpKind::Stream(counter) if counter.is_unsigned() => {
            vec![(PayloadKind::ContCond, ContCond::BITS), (PayloadKind::Unsigned, 1)]
        }
        OpKind::Stream(_) => vec![(PayloadKind::ContCond, ContCond::BITS)],
        _ => Vec::new(),
    }
}

fn payload_bits(fu: &FunctionUnit, index_width: u32) -> u32 {
    payload(fu, index_width).last().map_or(0, |f| f.low + f.width)
}

/// One component's part of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Whose.
    pub component: ComponentId,
    /// First word.
    pub word_offset: usize,
    /// Words.
    pub word_count: usize,
}

/// The layout of a fabric's whole image.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Slice layouts by definition index.
    pub definitions: Vec<SliceLayout>,
    /// Slices in image order.
    pub slices: Vec<Slice>,
    /// Words of the image.
    pub words: usize,
    definition_of: Vec<usize>,
    slice_of: Vec<Option<usize>>,
}

impl Layout {
    /// Lays the image of a flattened fabric out; [`crate::Fabric`] keeps it.
    pub(crate) fn new(adg: &Adg, flat: &Flat) -> Layout {
        let definitions: Vec<SliceLayout> =
            adg.definitions.iter().map(|d| SliceLayout::new(&d.component, adg.index_width)).collect();
        let mut layout = Layout {
            definitions,
            slices: Vec::new(),
            words: 0,
            definition_of: flat.components.iter().map(|c| c.definition).collect(),
            slice_of: vec![None; flat.components.len()],
        };
        for pes in [false, true] {
            for id in flat.ids() {
                let word_count = layout.of(id).words();
                if flat.component(adg, id).is_pe() == pes && word_count > 0 {
                    layout.slice_of[id.0 as usize] = Some(layout.slices.len());
                    layout.slices.push(Slice { component: id, word_offset: layout.words, word_count });
                    layout.words += word_count;
                }
            }
        }
        layout
    }

    /// The slice layout of a component.
    pub fn of(&self, id: ComponentId) -> &SliceLayout {
        &self.definitions[self.definition_of[id.0 as usize]]
    }

    /// The component's slice, `None` when it has no configuration.
    pub fn slice(&self, id: ComponentId) -> Option<Slice> {
        self.slice_of[id.0 as usize].map(|i| self.slices[i])
    }
}
