//! The configuration layout: which bit of config.bin means what (`reference/bitstream.md`).
//!
//! The one source for the mapper's fields, the packer, the decoder, the native model and the Verilog's
//! configuration registers. A slice is one component's part; it starts on a word, its fields are packed from bit 0
//! up and may cross words. Slices stand in this order: routing, tag and buffer components in flattened order (those
//! that have bits), then PEs in flattened order.

use crate::flat::{ComponentId, Flat};
use crate::model::{Adg, BodyOp, Component, FunctionUnit, SpatialPe, SpatialSw};
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
            Component::Fifo(fifo) if fifo.bypassable => layout.push(FieldKind::Bypass, 1),
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
            self.push(FieldKind::InputSelect(i), choice_bits(pe.inputs.len()));
            self.push(FieldKind::InputDiscard(i), 1);
            self.push(FieldKind::InputDisconnect(i), 1);
        }
        for o in 0..pe.output_demuxes() {
            self.push(FieldKind::OutputSelect(o), choice_bits(pe.outputs.len()));
            self.push(FieldKind::OutputDiscard(o), 1);
            self.push(FieldKind::OutputDisconnect(o), 1);
        }
        self.push(FieldKind::Payload, pe.fus.iter().map(|f| payload_bits(f, index_width)).max().unwrap_or(0));
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
}

/// Parts of an FU's payload, in body order.
pub fn payload(fu: &FunctionUnit, index_width: u32) -> Vec<PayloadField> {
    let mut low = 0;
    let mut fields = Vec::new();
    for (op, body) in fu.body.iter().enumerate() {
        if let Some((kind, width)) = payload_part(body, index_width) {
            fields.push(PayloadField { op, kind, low, width });
            low += width;
        }
    }
    fields
}

fn payload_part(op: &BodyOp, index_width: u32) -> Option<(PayloadKind, u32)> {
    match op.kind {
        OpKind::Constant => Some((PayloadKind::Literal, op.results[0].width(index_width))),
        OpKind::Join(n) => Some((PayloadKind::JoinMask, u32::from(n))),
        OpKind::Cmpi => Some((PayloadKind::Predicate, Predicate::BITS)),
        OpKind::Cmpf => Some((PayloadKind::FloatPredicate, FloatPredicate::BITS)),
        OpKind::Stream(_) => Some((PayloadKind::ContCond, ContCond::BITS)),
        _ => None,
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
    /// Lays the image of a flattened fabric out.
    pub fn new(adg: &Adg, flat: &Flat) -> Layout {
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

/// A configuration image: the words of config.bin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// 32-bit words.
    pub words: Vec<u32>,
}

impl Image {
    /// The image of an unused fabric: every bit 0 but the PEs' `disconnect` bits.
    pub fn unused(layout: &Layout) -> Image {
        let mut image = Image { words: vec![0; layout.words] };
        for slice in &layout.slices {
            for field in &layout.of(slice.component).fields {
                if matches!(field.kind, FieldKind::InputDisconnect(_) | FieldKind::OutputDisconnect(_)) {
                    image.set(layout, slice.component, field.kind, 1);
                }
            }
        }
        image
    }

    /// Reads a field; 0 when it has no bits. A payload wider than 64 bits is read by [`Image::bits`].
    pub fn get(&self, layout: &Layout, id: ComponentId, kind: FieldKind) -> u64 {
        let (Some(slice), Some(field)) = (layout.slice(id), layout.of(id).field(kind)) else {
            return 0;
        };
        self.bits(slice, field.low, field.width.min(64))
    }

    /// Writes a field. A value that does not fit, or a non-zero value where there are no bits, panics: C6 is the
    /// mapper's to keep.
    pub fn set(&mut self, layout: &Layout, id: ComponentId, kind: FieldKind, value: u64) {
        match (layout.slice(id), layout.of(id).field(kind)) {
            (Some(slice), Some(field)) => self.set_bits(slice, field.low, field.width.min(64), value),
            _ => assert_eq!(value, 0, "{kind} has no bits"),
        }
    }

    /// Reads `width` (at most 64) bits from bit `low` of a slice.
    pub fn bits(&self, slice: Slice, low: u32, width: u32) -> u64 {
        (0..width).fold(0, |value, i| {
            let at = low + i;
            let word = self.words[slice.word_offset + (at / 32) as usize];
            value | u64::from(word >> (at % 32) & 1) << i
        })
    }

    /// Writes `width` (at most 64) bits from bit `low` of a slice.
    pub fn set_bits(&mut self, slice: Slice, low: u32, width: u32, value: u64) {
        assert_eq!(loom_base::truncate(value, width), value, "{value} does not fit {width} bits");
        for i in 0..width {
            let at = low + i;
            let word = &mut self.words[slice.word_offset + (at / 32) as usize];
            *word = *word & !(1 << (at % 32)) | ((value >> i & 1) as u32) << (at % 32);
        }
    }

    /// The bytes of config.bin.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    /// Reads config.bin; `None` when its size is not a number of whole words.
    pub fn from_bytes(bytes: &[u8]) -> Option<Image> {
        let chunks = bytes.chunks_exact(4);
        if !chunks.remainder().is_empty() {
            return None;
        }
        Some(Image { words: chunks.map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect() })
    }
}

/// A PE's configuration, read from or written to an image in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeConfig {
    /// Active FU.
    pub opcode: usize,
    /// By FU input: what its mux does. Muxes beyond the active FU's inputs are `Disconnect`.
    pub inputs: Vec<Mux>,
    /// By FU output: what its demux does.
    pub outputs: Vec<Mux>,
    /// Payload values in [`payload`]'s order for the active FU.
    pub payload: Vec<u64>,
}

/// A PE mux or demux setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mux {
    /// Connected to this PE port.
    Port(usize),
    /// Tokens are taken and dropped: an input mux takes those of this PE port, an output demux those of the FU
    /// (its port is 0).
    Discard(usize),
    /// Not connected.
    Disconnect,
}

impl PeConfig {
    /// Reads a PE's slice: `None` when the PE is not enabled. An opcode beyond the FU list is reported as it stands
    /// with an empty payload.
    pub fn read(
        image: &Image,
        layout: &Layout,
        id: ComponentId,
        pe: &SpatialPe,
        index_width: u32,
    ) -> Option<Self> {
        if image.get(layout, id, FieldKind::Enable) == 0 {
            return None;
        }
        let opcode = image.get(layout, id, FieldKind::Opcode) as usize;
        let mux = |select, discard, disconnect| {
            let port = image.get(layout, id, select) as usize;
            match (image.get(layout, id, disconnect), image.get(layout, id, discard)) {
                (1, _) => Mux::Disconnect,
                (_, 1) => Mux::Discard(port),
                _ => Mux::Port(port),
            }
        };
        let inputs = (0..pe.input_muxes())
            .map(|i| {
                mux(FieldKind::InputSelect(i), FieldKind::InputDiscard(i), FieldKind::InputDisconnect(i))
            })
            .collect();
        let outputs = (0..pe.output_demuxes())
            .map(|o| {
                mux(FieldKind::OutputSelect(o), FieldKind::OutputDiscard(o), FieldKind::OutputDisconnect(o))
            })
            .collect();
        let region = layout.slice(id).zip(layout.of(id).field(FieldKind::Payload));
        let parts = pe.fus.get(opcode).map(|fu| payload(fu, index_width)).unwrap_or_default();
        let payload = parts
            .iter()
            .map(|p| region.map_or(0, |(slice, field)| image.bits(slice, field.low + p.low, p.width)))
            .collect();
        Some(PeConfig { opcode, inputs, outputs, payload })
    }

    /// Writes a PE's slice and enables the PE.
    pub fn write(
        &self,
        image: &mut Image,
        layout: &Layout,
        id: ComponentId,
        pe: &SpatialPe,
        index_width: u32,
    ) {
        image.set(layout, id, FieldKind::Enable, 1);
        image.set(layout, id, FieldKind::Opcode, self.opcode as u64);
        for (i, mux) in self.inputs.iter().enumerate() {
            let (port, discard, disconnect) = mux.bits();
            image.set(layout, id, FieldKind::InputSelect(i), port);
            image.set(layout, id, FieldKind::InputDiscard(i), discard);
            image.set(layout, id, FieldKind::InputDisconnect(i), disconnect);
        }
        for (o, mux) in self.outputs.iter().enumerate() {
            let (port, discard, disconnect) = mux.bits();
            image.set(layout, id, FieldKind::OutputSelect(o), port);
            image.set(layout, id, FieldKind::OutputDiscard(o), discard);
            image.set(layout, id, FieldKind::OutputDisconnect(o), disconnect);
        }
        if let (Some(slice), Some(field)) = (layout.slice(id), layout.of(id).field(FieldKind::Payload)) {
            for (part, value) in payload(&pe.fus[self.opcode], index_width).iter().zip(&self.payload) {
                image.set_bits(slice, field.low + part.low, part.width, *value);
            }
        }
    }
}

impl Mux {
    fn bits(self) -> (u64, u64, u64) {
        match self {
            Mux::Port(port) => (port as u64, 0, 0),
            Mux::Discard(port) => (port as u64, 1, 0),
            Mux::Disconnect => (0, 0, 1),
        }
    }
}

#[cfg(test)]
mod tests;
