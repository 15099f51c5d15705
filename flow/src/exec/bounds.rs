//! What bounds a call: the graph is run in software before it, with the process's memory as it is then and without a trace in it.
//!
//! Guarantees: the process does not notice; memories on chip are as the calls before left them. A call that does not come to its end in
//! software has no bound, and neither has one that touches what the process does not have: the fabric's run says what is wrong with it.

use super::function::{Activation, Function};
use super::process::ProcessMemory;
use crate::bounds::{CycleBounds, LeastCycles};
use crate::configured::Configured;
use loom_base::truncate;
use loom_dfg::graph::{Graph, MemoryId, MemoryPlace};
use loom_dfg::interp::{InterpOptions, Memories, Outcome, Storage};
use std::collections::HashMap;

/// The bounds of a function's calls.
pub(super) struct CallBounds {
    /// As it is on the fabric.
    graph: Graph,
    bounds: CycleBounds,
    on_chip: Memories,
    index_width: u32,
}

impl CallBounds {
    /// On a fabric whose memory answers after so many cycles.
    pub fn new(configured: &Configured, latency: u32) -> CallBounds {
        CallBounds {
            graph: configured.graph().clone(),
            bounds: CycleBounds::new(configured, latency),
            on_chip: Memories::new(configured.graph(), Vec::new()),
            index_width: configured.fabric.index_width(),
        }
    }

    /// Those of the next call, and what the graph does in it.
    pub fn of_call(
        &mut self,
        function: &Function,
        activation: &Activation,
        memory: &mut ProcessMemory,
        max_steps: u64,
    ) -> (Outcome, LeastCycles) {
        let index_width = self.index_width;
        let options = InterpOptions { index_width, max_steps, ..InterpOptions::default() };
        let written = HashMap::new();
        let on_chip = &mut self.on_chip;
        let mut storage = Foreseen { function, activation, memory, on_chip, index_width, written };
        self.bounds.of_run(&self.graph, &activation.inputs, &mut storage, &options)
    }
}

/// The process's memory as the call will leave it.
struct Foreseen<'a> {
    function: &'a Function,
    activation: &'a Activation,
    memory: &'a mut ProcessMemory,
    on_chip: &'a mut Memories,
    index_width: u32,
    /// By address: bytes that the call writes.
    written: HashMap<u64, u8>,
}

impl Foreseen<'_> {
    fn is_on_chip(&self, id: MemoryId) -> bool {
        matches!(self.function.graph().memory(id).place, MemoryPlace::Private { .. })
    }

    /// Address and bytes of a word, where the fabric's bus reaches it.
    fn at(&self, id: MemoryId, index: u64) -> Option<(u64, usize)> {
        let size = self.function.word_log2(id, self.index_width);
        let offset = u32::try_from(u128::from(index) << size).ok()?;
        Some((self.activation.origins[id.0 as usize].wrapping_add(offset.into()), 1 << size))
    }
}

impl Storage for Foreseen<'_> {
    fn load(&mut self, id: MemoryId, port: usize, index: u64) -> Option<u64> {
        if self.is_on_chip(id) {
            return self.on_chip.load(id, port, index);
        }
        let (address, count) = self.at(id, index)?;
        let mut bytes = self.memory.read(address, count)?.to_le_bytes();
        for (k, byte) in bytes.iter_mut().take(count).enumerate() {
            *byte = self.written.get(&address.wrapping_add(k as u64)).copied().unwrap_or(*byte);
        }
        let width = self.function.graph().memory(id).element.width(self.index_width);
        Some(truncate(u64::from_le_bytes(bytes), width))
    }

    fn store(&mut self, id: MemoryId, port: usize, index: u64, word: u64) -> bool {
        if self.is_on_chip(id) {
            return self.on_chip.store(id, port, index, word);
        }
        let Some((address, count)) = self.at(id, index) else { return false };
        let bytes = word.to_le_bytes();
        self.written.extend((0..count).map(|k| (address.wrapping_add(k as u64), bytes[k])));
        true
    }
}
