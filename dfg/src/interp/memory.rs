//! Memories of a run: the words behind them, and the memory node's step.
//!
//! Guarantees: an access reads or writes at the one moment its step happens; the k-th response of a port answers
//! its k-th request. An access outside the bound words is a run-time error and touches nothing.

use super::{Machine, ADDRESS_OUT_OF_RANGE};
use crate::graph::{Graph, MemoryId, MemoryPlace, NodeId};
use crate::op::Ports;
use std::collections::VecDeque;

/// Responses a port may owe before it takes no more requests.
const MAX_PENDING: usize = 4;

/// Which words of which buffer a memory stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Binding {
    /// Index in [`Memories::buffers`].
    pub buffer: usize,
    /// First word.
    pub offset: usize,
    /// Number of words.
    pub words: usize,
}

/// The words of all memories. Two argument memories may be bound to words of one buffer, overlapping or not:
/// that is how aliasing pointers reach a graph.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Memories {
    /// Words, low bits first.
    pub buffers: Vec<Vec<u64>>,
    /// One for each memory of the graph, by [`MemoryId`].
    pub bindings: Vec<Binding>,
}

impl Memories {
    /// One buffer for each memory. Argument memories take `argument_words` in the order of `graph.memories` (none
    /// when the list ends early), private ones what they start with.
    pub fn new(graph: &Graph, argument_words: Vec<Vec<u64>>) -> Memories {
        let mut given = argument_words.into_iter();
        let mut memories = Memories::default();
        for memory in &graph.memories {
            let words = match &memory.place {
                MemoryPlace::Argument { .. } => given.next().unwrap_or_default(),
                MemoryPlace::Private { init } if init.is_empty() => {
                    vec![0; usize::try_from(memory.words.unwrap_or(0)).unwrap_or(0)]
                }
                MemoryPlace::Private { init } => init.clone(),
            };
            let binding = Binding { buffer: memories.buffers.len(), offset: 0, words: words.len() };
            memories.bindings.push(binding);
            memories.buffers.push(words);
        }
        memories
    }

    /// The words bound to a memory now; empty when the binding points outside its buffer.
    pub fn words(&self, id: MemoryId) -> &[u64] {
        let b = self.binding(id);
        let end = b.offset.saturating_add(b.words);
        self.buffers.get(b.buffer).and_then(|words| words.get(b.offset..end)).unwrap_or_default()
    }

    fn binding(&self, id: MemoryId) -> Binding {
        self.bindings.get(id.0 as usize).copied().unwrap_or_default()
    }

    fn word(&mut self, id: MemoryId, address: u64) -> Option<&mut u64> {
        let binding = self.binding(id);
        let address = usize::try_from(address).ok().filter(|&a| a < binding.words)?;
        self.buffers.get_mut(binding.buffer)?.get_mut(binding.offset.checked_add(address)?)
    }
}

/// What lies behind the memory nodes. A step asks once, at the moment the access happens. Ports are counted among the
/// loads and among the stores of a memory.
pub trait Storage {
    /// The word at an address; `None` where there is none.
    fn load(&mut self, memory: MemoryId, port: usize, address: u64) -> Option<u64>;
    /// Sets a word; whether there is one.
    fn store(&mut self, memory: MemoryId, port: usize, address: u64, word: u64) -> bool;
}

impl Storage for Memories {
    fn load(&mut self, memory: MemoryId, _: usize, address: u64) -> Option<u64> {
        self.word(memory, address).copied()
    }

    fn store(&mut self, memory: MemoryId, _: usize, address: u64, word: u64) -> bool {
        self.word(memory, address).map(|old| *old = word).is_some()
    }
}

/// What a memory node is busy with.
pub(super) struct Unit {
    memory: MemoryId,
    ports: Ports,
    /// Responses each port owes, store ports first: the data of a load, nothing for a store.
    pending: Vec<VecDeque<u64>>,
}

impl Unit {
    pub fn new(memory: MemoryId, ports: Ports) -> Unit {
        Unit { memory, ports, pending: vec![VecDeque::new(); ports.stores as usize + ports.loads as usize] }
    }

    /// Responses owed.
    pub fn pending(&self) -> usize {
        self.pending.iter().map(VecDeque::len).sum()
    }

    pub fn can_step(&self, queues: &[VecDeque<u64>]) -> bool {
        (0..self.pending.len()).any(|p| !self.pending[p].is_empty() || self.can_access(p, queues))
    }

    fn can_access(&self, port: usize, queues: &[VecDeque<u64>]) -> bool {
        let stores = self.ports.stores as usize;
        let has = |i: usize| queues.get(i).is_some_and(|q| !q.is_empty());
        self.pending[port].len() < MAX_PENDING
            && match port < stores {
                true => has(self.ports.store_data(port)) && has(self.ports.store_address(port)),
                false => has(self.ports.load_address(port - stores)),
            }
    }
}

/// Operands that store ports need because they hold the other of the two.
pub(super) fn half_stores(ports: Ports, queues: &[VecDeque<u64>]) -> Vec<usize> {
    let has = |i: usize| queues.get(i).is_some_and(|q| !q.is_empty());
    let pairs = (0..ports.stores as usize).map(|i| (ports.store_data(i), ports.store_address(i)));
    pairs.filter(|&(d, a)| has(d) != has(a)).map(|(d, a)| if has(d) { a } else { d }).collect()
}

impl Machine<'_> {
    /// One half of a load: a request to the memory, or data from it.
    pub(super) fn step_load(&mut self, node: NodeId) {
        let n = node.0 as usize;
        let has = |i: usize| !self.queues[n][i].is_empty();
        let (request, data) = (has(0) && has(2), has(1));
        if request && (!data || self.rng.below(2) == 0) {
            let address = self.take(node, 0);
            self.take(node, 2);
            self.firings[n] += 1;
            self.emit(self.graph.result(node, 1), address);
        } else {
            let data = self.take(node, 1);
            self.emit(self.graph.result(node, 0), data);
        }
    }

    /// Address and data to the memory. They wait for each other here, where time does not count; in hardware data pass beside the unit.
    pub(super) fn step_store(&mut self, node: NodeId) {
        self.firings[node.0 as usize] += 1;
        let data = self.take(node, 1);
        self.emit(self.graph.result(node, 0), data);
        for clock in &mut self.clocks {
            clock.begin(None);
        }
        let address = self.take(node, 0);
        self.take(node, 2);
        self.emit(self.graph.result(node, 1), address);
    }

    /// One access or one response of a memory node, chosen at random; or nothing, to be late.
    pub(super) fn step_memory(&mut self, node: NodeId) {
        if self.rng.below(100) < self.memory_delay {
            return;
        }
        let n = node.0 as usize;
        let at = self.unit_of[n];
        let unit = &self.units[at];
        let mut choices = Vec::new();
        for port in 0..unit.pending.len() {
            if !unit.pending[port].is_empty() {
                choices.push((port, false));
            }
            if unit.can_access(port, &self.queues[n]) {
                choices.push((port, true));
            }
        }
        if choices.is_empty() {
            return;
        }
        let (port, access) = choices[self.rng.below(choices.len())];
        if !access {
            return self.respond(node, port);
        }
        let (ports, memory) = (unit.ports, unit.memory);
        let stores = ports.stores as usize;
        let address_at = match port < stores {
            true => ports.store_address(port),
            false => ports.load_address(port - stores),
        };
        let front = |operand: usize| self.queues[n][operand].front().copied().unwrap_or(0);
        let address = front(address_at);
        let response = match port < stores {
            true => {
                let word = front(ports.store_data(port));
                self.memories.store(memory, port, address, word).then_some(0)
            }
            false => self.memories.load(memory, port - stores, address),
        };
        let Some(response) = response else {
            return self.fail(n, ADDRESS_OUT_OF_RANGE);
        };
        if port < stores {
            self.take(node, ports.store_data(port));
        }
        self.take(node, address_at);
        self.firings[n] += 1;
        self.units[at].pending[port].push_back(response);
        for clock in &mut self.clocks {
            clock.ask(at, port);
        }
        // Half of the time at once, so that both orders of done tokens and further accesses are seen often.
        if self.rng.below(2) == 0 {
            self.respond(node, port);
        }
    }

    /// The oldest response of a port.
    fn respond(&mut self, node: NodeId, port: usize) {
        let at = self.unit_of[node.0 as usize];
        for clock in &mut self.clocks {
            clock.answer(at, port);
        }
        let unit = &mut self.units[at];
        let (ports, response) = (unit.ports, unit.pending[port].pop_front());
        let Some(data) = response else { return };
        let stores = ports.stores as usize;
        let result = |r: usize| self.graph.result(node, r);
        if port < stores {
            self.emit(result(ports.store_done(port)), 0);
        } else {
            let load = port - stores;
            self.emit(result(ports.load_data(load)), data);
            self.emit(result(ports.load_done(load)), 0);
        }
    }
}
