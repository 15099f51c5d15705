//! The configuration image, and a PE's part of it as one value.
//!
//! Guarantees: a field is read and written where [`crate::layout`] puts it; what is written is read. Refuses, by a panic,
//! values that do not fit their field: that they do is for who fills an image to prove.

use crate::fabric::Fabric;
use crate::flat::ComponentId;
use crate::layout::{payload, FieldKind, Slice};
use crate::model::Component;

/// A configuration image: the words of config.bin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// 32-bit words.
    pub words: Vec<u32>,
}

impl Image {
    /// The image of an unused fabric: every bit 0 but the PEs' `disconnect` bits.
    pub fn unused(fabric: &Fabric) -> Image {
        let layout = fabric.layout();
        let mut image = Image { words: vec![0; layout.words] };
        for slice in &layout.slices {
            for field in &layout.of(slice.component).fields {
                if matches!(field.kind, FieldKind::InputDisconnect(_) | FieldKind::OutputDisconnect(_)) {
                    image.set(fabric, slice.component, field.kind, 1);
                }
            }
        }
        image
    }

    /// Reads a field; 0 when it has no bits. A payload wider than 64 bits is read by [`Image::bits`].
    pub fn get(&self, fabric: &Fabric, id: ComponentId, kind: FieldKind) -> u64 {
        let (Some(slice), Some(field)) = (fabric.layout().slice(id), fabric.layout().of(id).field(kind))
        else {
            return 0;
        };
        self.bits(slice, field.low, field.width.min(64))
    }

    /// Writes a field. A value that does not fit, or a non-zero value where there are no bits, panics: C6 is the
    /// mapper's to keep.
    pub fn set(&mut self, fabric: &Fabric, id: ComponentId, kind: FieldKind, value: u64) {
        match (fabric.layout().slice(id), fabric.layout().of(id).field(kind)) {
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
    /// By FU input: what its mux does; ports behind the PE inputs are immediates. Muxes beyond the active FU's inputs are
    /// `Disconnect`.
    pub inputs: Vec<Mux>,
    /// By FU output: what its demux does.
    pub outputs: Vec<Mux>,
    /// Payload values in [`payload`]'s order for the active FU.
    pub payload: Vec<u64>,
    /// The bits of the immediates.
    pub immediates: Vec<u64>,
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
    /// Reads a PE's slice: `None` when it is none or not enabled. An opcode beyond the FU list is reported as it stands
    /// with an empty payload.
    pub fn read(image: &Image, fabric: &Fabric, id: ComponentId) -> Option<Self> {
        let Component::SpatialPe(pe) = fabric.component(id) else { return None };
        if image.get(fabric, id, FieldKind::Enable) == 0 {
            return None;
        }
        let opcode = image.get(fabric, id, FieldKind::Opcode) as usize;
        let mux = |select, discard, disconnect| {
            let port = image.get(fabric, id, select) as usize;
            match (image.get(fabric, id, disconnect), image.get(fabric, id, discard)) {
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
        let region = fabric.layout().slice(id).zip(fabric.layout().of(id).field(FieldKind::Payload));
        let parts = pe.fus.get(opcode).map(|fu| payload(fu, fabric.index_width())).unwrap_or_default();
        let payload = parts
            .iter()
            .map(|p| region.map_or(0, |(slice, field)| image.bits(slice, field.low + p.low, p.width)))
            .collect();
        let immediates = (0..pe.immediates).map(|i| image.get(fabric, id, FieldKind::Immediate(i))).collect();
        Some(PeConfig { opcode, inputs, outputs, payload, immediates })
    }

    /// Writes a PE's slice and enables the PE. A component that is no PE panics.
    pub fn write(&self, image: &mut Image, fabric: &Fabric, id: ComponentId) {
        let Component::SpatialPe(pe) = fabric.component(id) else { panic!("{} is no PE", fabric.path(id)) };
        image.set(fabric, id, FieldKind::Enable, 1);
        image.set(fabric, id, FieldKind::Opcode, self.opcode as u64);
        for (i, mux) in self.inputs.iter().enumerate() {
            let (port, discard, disconnect) = mux.bits();
            image.set(fabric, id, FieldKind::InputSelect(i), port);
            image.set(fabric, id, FieldKind::InputDiscard(i), discard);
            image.set(fabric, id, FieldKind::InputDisconnect(i), disconnect);
        }
        for (o, mux) in self.outputs.iter().enumerate() {
            let (port, discard, disconnect) = mux.bits();
            image.set(fabric, id, FieldKind::OutputSelect(o), port);
            image.set(fabric, id, FieldKind::OutputDiscard(o), discard);
            image.set(fabric, id, FieldKind::OutputDisconnect(o), disconnect);
        }
        if let (Some(slice), Some(field)) =
            (fabric.layout().slice(id), fabric.layout().of(id).field(FieldKind::Payload))
        {
            for (part, value) in payload(&pe.fus[self.opcode], fabric.index_width()).iter().zip(&self.payload)
            {
                image.set_bits(slice, field.low + part.low, part.width, *value);
            }
        }
        for (i, bits) in self.immediates.iter().enumerate() {
            image.set(fabric, id, FieldKind::Immediate(i), *bits);
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
