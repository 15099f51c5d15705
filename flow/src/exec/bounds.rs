//! What bounds a call: the graph is run in software before it, with the process's memory as it is then and without a trace in it.
//!
//! Guarantees: the process does not notice; memories on chip are as the calls before left them. A call that does not come to its end in
//! software has no bound, and neither has one that touches what the process does not have: the fabric's run says what is wrong with it.
//! One that leaves an array on chip is refused here, since a fabric need not notice.

use super::fault::Fault;
use super::foreseen::ForeseenMemory;
use super::function::{Activation, Function};
use super::on_chip::OnChip;
use super::process::ProcessMemory;
use crate::bounds::{CycleBounds, LeastCycles};
use crate::configured::Configured;
use loom_base::truncate;
use loom_dfg::graph::{Graph, MemoryId};
use loom_dfg::interp::{self, InterpOptions, Memories, Outcome, RunEnd, Storage};

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

    /// Those of the next call, and what the graph does in it. A fault is an access outside of an array on chip.
    pub fn of_call(
        &mut self,
        function: &Function,
        activation: &Activation,
        memory: &mut ProcessMemory,
        max_steps: u64,
    ) -> Result<(Outcome, LeastCycles), Fault> {
        let index_width = self.index_width;
        let options = InterpOptions { index_width, max_steps, ..InterpOptions::default() };
        let mut storage = Foreseen::new(function, activation, memory, &mut self.on_chip, index_width);
        let bounds = self.bounds.of_run(&self.graph, &activation.inputs, &mut storage, &options);
        storage.on_chip.outside.map_or(Ok(bounds), Err)
    }

    /// What the graph would do in the next call, as far as a look at it goes; none where it goes wrong.
    pub fn foreseen(
        &self,
        function: &Function,
        activation: &Activation,
        memory: &mut ProcessMemory,
    ) -> Option<Outcome> {
        let index_width = self.index_width;
        let options = InterpOptions { index_width, max_steps: FORESEEN_STEPS, ..InterpOptions::default() };
        let mut on_chip = self.on_chip.clone();
        let mut storage = Foreseen::new(function, activation, memory, &mut on_chip, index_width);
        let run = interp::run_with_memories(&self.graph, &activation.inputs, &mut storage, &options);
        let is_sound = storage.on_chip.outside.is_none() && !matches!(run.stop, RunEnd::RuntimeError { .. });
        is_sound.then_some(run)
    }
}

/// Steps of a call after which it is known well enough what it does.
const FORESEEN_STEPS: u64 = 4_000_000;

/// Memories as the call will leave them.
struct Foreseen<'a> {
    function: &'a Function,
    activation: &'a Activation,
    memory: ForeseenMemory<'a>,
    on_chip: OnChip<'a>,
    index_width: u32,
}

impl<'a> Foreseen<'a> {
    fn new(
        function: &'a Function,
        activation: &'a Activation,
        memory: &'a mut ProcessMemory,
        on_chip: &'a mut Memories,
        index_width: u32,
    ) -> Foreseen<'a> {
        let on_chip = OnChip::new(function, on_chip, index_width);
        Foreseen { function, activation, memory: ForeseenMemory::new(memory), on_chip, index_width }
    }
}

impl Storage for Foreseen<'_> {
    fn load(&mut self, id: MemoryId, port: usize, index: u64) -> Option<u64> {
        if self.function.is_on_chip(id) {
            return self.on_chip.load(id, port, index);
        }
        let (address, count) = self.function.word_at(self.activation, id, index, self.index_width)?;
        let width = self.function.graph().memory(id).element.width(self.index_width);
        self.memory.read(address, count).map(|word| truncate(word, width))
    }

    fn store(&mut self, id: MemoryId, port: usize, index: u64, word: u64) -> bool {
        if self.function.is_on_chip(id) {
            return self.on_chip.store(id, port, index, word);
        }
        let at = self.function.word_at(self.activation, id, index, self.index_width);
        at.map(|(address, count)| self.memory.write(address, count, word)).is_some()
    }
}
