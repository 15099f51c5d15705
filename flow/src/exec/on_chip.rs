//! Arrays on chip while a graph runs in software: an access outside of its array is the fault of the program, and is told by the
//! array's name. A fabric notices it only where the array fills its scratchpad.

use super::fault::Fault;
use super::function::Function;
use loom_base::sign_extend;
use loom_dfg::graph::MemoryId;
use loom_dfg::interp::{Memories, Storage};

/// The memories on chip of a function, with bounds that are looked at.
pub(super) struct OnChip<'a> {
    function: &'a Function,
    memories: &'a mut Memories,
    index_width: u32,
    /// The first access outside of its array.
    pub outside: Option<Fault>,
}

impl<'a> OnChip<'a> {
    pub fn new(function: &'a Function, memories: &'a mut Memories, index_width: u32) -> OnChip<'a> {
        OnChip { function, memories, index_width, outside: None }
    }

    fn note(&mut self, memory: MemoryId, store: bool, port: usize, index: u64) {
        let span = self.function.access_span(memory, store, port);
        let word = sign_extend(index, self.index_width);
        self.outside.get_or_insert(Fault::Outside { memory, store, word, span });
    }
}

impl Storage for OnChip<'_> {
    fn load(&mut self, memory: MemoryId, port: usize, index: u64) -> Option<u64> {
        let word = self.memories.load(memory, port, index);
        if word.is_none() {
            self.note(memory, false, port, index);
        }
        word
    }

    fn store(&mut self, memory: MemoryId, port: usize, index: u64, word: u64) -> bool {
        let done = self.memories.store(memory, port, index, word);
        if !done {
            self.note(memory, true, port, index);
        }
        done
    }
}
