//! Whether a call's addresses are what the program means.
//!
//! A graph counts addresses in words modulo the width of `index`, and so an access far behind the start of its array would become one
//! near it. Where the front end does not prove that there is none ([`loom_llvm::Converted::may_wrap`]), the function is compiled once more with an
//! index of 64 bits, and each call runs so in the golden model first. That run reads the process's memory and keeps to itself what it writes.
//! It speaks of such accesses alone: all else that is wrong with a call the call itself says.

use super::engine::golden_options;
use super::fault::Fault;
use super::foreseen::ForeseenMemory;
use super::function::{place, Function};
use super::process::ProcessMemory;
use crate::load::Kernel;
use loom_base::{truncate, Diagnostics};
use loom_dfg::graph::MemoryId;
use loom_dfg::interp::{self, Memories, Storage};
use loom_front::compile::CompileOptions;
use std::ops::Range;

/// As wide as addresses of the process.
const WIDTH: u32 = 64;

/// A function with an index of 64 bits.
pub(super) struct AddressCheck {
    function: Function,
    on_chip: Memories,
}

/// An access that an index of 32 bits would take elsewhere.
struct Wrapped {
    memory: MemoryId,
    store: bool,
    /// Behind the start of the memory.
    bytes: i128,
    span: Option<Range<usize>>,
}

impl AddressCheck {
    /// Compiles it, where that is needed.
    pub fn of(function: &Function) -> Result<Option<AddressCheck>, Diagnostics> {
        let Some(imported) = function.kernel.imported.as_ref().filter(|i| i.may_wrap) else {
            return Ok(None);
        };
        let domain = function.kernel.compiled.as_ref().map(|c| c.domain.clone());
        let options = CompileOptions { index_width: WIDTH, domain, ..CompileOptions::default() };
        let kernel = Kernel::compile((**imported).clone(), &options)?;
        let function = Function::new(function.symbol.clone(), kernel);
        let on_chip = Memories::new(function.graph(), Vec::new());
        Ok(Some(AddressCheck { function, on_chip }))
    }

    /// Looks at a call before it is performed, for so many steps of each op. One that takes longer ends itself.
    pub fn look(&mut self, values: &[u64], memory: &mut ProcessMemory, max_cycles: u64) -> Result<(), Fault> {
        let function = &self.function;
        let graph = function.graph();
        let activation = function.activation(values).map_err(Fault::Argument)?;
        let mut storage = CopiedStorage {
            function,
            origins: &activation.origins,
            memory: ForeseenMemory::new(memory),
            on_chip: &mut self.on_chip,
            wrapped: None,
        };
        let options = golden_options(WIDTH, max_cycles.saturating_mul(graph.nodes.len() as u64));
        interp::run_with_memories(graph, &activation.inputs, &mut storage, &options);
        match storage.wrapped {
            Some(Wrapped { memory, store, bytes, span }) => {
                Err(Fault::Wrapped { memory: graph.memory(memory).name.clone(), store, bytes, span })
            }
            None => Ok(()),
        }
    }
}

/// Memories as the call would leave them.
struct CopiedStorage<'a> {
    function: &'a Function,
    origins: &'a [u64],
    memory: ForeseenMemory<'a>,
    on_chip: &'a mut Memories,
    wrapped: Option<Wrapped>,
}

impl CopiedStorage<'_> {
    /// Address and bytes of a word. The run ends where there is none.
    fn at(&mut self, id: MemoryId, store: bool, port: usize, index: u64) -> Option<(u64, usize)> {
        let size = self.function.word_log2(id, WIDTH);
        let bytes = i128::from(index as i64) << size;
        match u32::try_from(bytes) {
            Ok(offset) => Some((self.origins[id.0 as usize].wrapping_add(offset.into()), 1 << size)),
            Err(_) => {
                // Else the call ends there by itself.
                let seems_near = u32::try_from(truncate(index, 32) << size).is_ok();
                if seems_near && self.wrapped.is_none() {
                    let graph = self.function.graph();
                    let node = graph.memory_nodes().find(|(m, _, _)| *m == id);
                    let span = node.and_then(|(_, node, ports)| place(graph, node, ports, store, port));
                    self.wrapped = Some(Wrapped { memory: id, store, bytes, span });
                }
                None
            }
        }
    }
}

impl Storage for CopiedStorage<'_> {
    fn load(&mut self, id: MemoryId, port: usize, index: u64) -> Option<u64> {
        if self.function.is_on_chip(id) {
            return self.on_chip.load(id, port, index);
        }
        let (address, count) = self.at(id, false, port, index)?;
        let width = self.function.graph().memory(id).element.width(WIDTH);
        self.memory.read(address, count).map(|word| truncate(word, width))
    }

    fn store(&mut self, id: MemoryId, port: usize, index: u64, word: u64) -> bool {
        if self.function.is_on_chip(id) {
            return self.on_chip.store(id, port, index, word);
        }
        let Some((address, count)) = self.at(id, true, port, index) else { return false };
        self.memory.write(address, count, word);
        true
    }
}
