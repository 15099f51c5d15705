//! What lies in memory before or after a run: behind the AXI ports and in the scratchpads.
//!
//! Guarantees: both timed models start from the same bytes at the same places, and what is read back afterwards has the
//! shape of what was there before, so that two runs compare.

use crate::codes;
use loom_adg::{ComponentId, Fabric, Image};
use loom_base::{Diagnostic, Diagnostics};
use loom_cosim::{FabricModel, Loaded};
use loom_sim::axi::{AxiOptions, HostMemory};
use loom_sim::native::Refusal;
use loom_sim::NativeModel;

/// Bytes by place.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Behind the AXI ports.
    pub memory: HostMemory,
    /// Of scratchpads, from their beginning as far as somebody cares.
    pub pads: Vec<(ComponentId, Vec<u8>)>,
}

impl Contents {
    /// Puts bytes into a scratchpad.
    pub fn fill(&mut self, pad: ComponentId, at: usize, bytes: &[u8]) {
        let k = self.pads.iter().position(|p| p.0 == pad).unwrap_or_else(|| {
            self.pads.push((pad, Vec::new()));
            self.pads.len() - 1
        });
        let contents = &mut self.pads[k].1;
        let end = at + bytes.len();
        contents.resize(contents.len().max(end), 0);
        contents[at..end].copy_from_slice(bytes);
    }

    /// What is known of a scratchpad.
    pub fn pad(&self, pad: ComponentId) -> &[u8] {
        self.pads.iter().find(|p| p.0 == pad).map_or(&[], |p| &p.1)
    }

    /// The native model of a configured fabric, whose runs begin with these contents.
    pub fn native(
        &self,
        fabric: &Fabric,
        image: &Image,
        axi: &AxiOptions,
    ) -> Result<NativeModel, Diagnostics> {
        let mut model = NativeModel::new(fabric, image).map_err(refused)?;
        model.attach(self.memory.clone(), axi);
        for (id, bytes) in &self.pads {
            model.set_scratchpad(*id, bytes);
        }
        Ok(model)
    }

    /// What a run of the native model left of these contents; a scratchpad that no token reaches stays as it was.
    pub fn after_native(&self, model: &NativeModel) -> Contents {
        let pad = |(id, before): &(ComponentId, Vec<u8>)| {
            let bytes = model.scratchpad(*id).map_or(before.clone(), |b| b[..before.len()].to_vec());
            (*id, bytes)
        };
        Contents { memory: model.memory().clone(), pads: self.pads.iter().map(pad).collect() }
    }

    /// Gives the contents to the Verilog of a fabric, then loads an image.
    pub fn verilog(
        &self,
        fabric: &Fabric,
        image: &Image,
        axi: &AxiOptions,
        model: &mut FabricModel,
    ) -> Result<(), Diagnostics> {
        model.attach(self.memory.clone(), axi);
        for (id, bytes) in &self.pads {
            if let Some(k) = host_port(fabric, *id) {
                model.write_scratchpad(k, bytes);
            }
        }
        let refused = |text: String| Err(vec![Diagnostic::error(codes::HARDWARE_ERROR, text)]);
        match model.load(image) {
            Loaded::Done => Ok(()),
            Loaded::Error(code, unit) => {
                refused(format!("the Verilog refused the image: error {code} at unit {unit}"))
            }
            Loaded::Hung => refused("the Verilog neither took nor refused the image".into()),
        }
    }

    /// What a run of the Verilog left of these contents.
    pub fn after_verilog(&self, fabric: &Fabric, model: &mut FabricModel) -> Contents {
        let pad = |(id, before): &(ComponentId, Vec<u8>)| {
            let bytes = match host_port(fabric, *id) {
                Some(k) => model.read_scratchpad(k, before.len()),
                None => before.clone(),
            };
            (*id, bytes)
        };
        let pads = self.pads.iter().map(pad).collect();
        Contents { memory: model.memory().clone(), pads }
    }
}

/// What the native model does not begin with.
fn refused(refusal: Refusal) -> Diagnostics {
    match refusal {
        Refusal::Hardware(error, unit) => vec![Diagnostic::error(
            codes::HARDWARE_ERROR,
            format!("the image is refused: {} at unit {}", error.name(), unit.0),
        )],
        Refusal::Unsupported(diagnostic) => vec![*diagnostic],
    }
}

/// The number of a scratchpad's port for the host.
fn host_port(fabric: &Fabric, pad: ComponentId) -> Option<usize> {
    fabric.ports().hosts.iter().position(|p| p.component == pad)
}

/// Words of that many bytes as they lie in memory: the lowest byte first.
pub fn to_bytes(words: &[u64], word_bytes: usize) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes().into_iter().take(word_bytes)).collect()
}

/// The words of that many bytes that lie there.
pub fn to_words(bytes: &[u8], word_bytes: usize) -> Vec<u64> {
    bytes.chunks(word_bytes).map(|c| c.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b))).collect()
}
