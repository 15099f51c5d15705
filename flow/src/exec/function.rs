//! A function that calls go to: which slot of a call is which argument of its graph, and where an access stands in the
//! source.

use super::apart::{Apart, Touched};
use crate::load::Kernel;
use loom_dfg::graph::{MemoryId, MemoryPlace, NodeId, ValueDef};
use loom_dfg::op::Ports;
use loom_dfg::Graph;
use loom_front::ir::ValueType;
use loom_llvm::{ArrayEnd, IndexCount, Passed, MOST_COUNTED};
use loom_map::memory::element_size_log2;
use loom_sim::case::argument_memories;
use std::collections::BTreeSet;
use std::ops::Range;

/// What a slot of a call holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// The bits of an argument of the graph.
    Token(usize),
    /// The address of a memory of the graph.
    Address(MemoryId),
    /// An address that nobody uses.
    Unused,
}

/// A function of a program, compiled.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its symbol.
    pub symbol: String,
    /// What it was compiled to.
    pub kernel: Kernel,
    slots: Vec<Slot>,
    /// By memory: its root; `None` on chip.
    roots: Vec<Option<usize>>,
    apart: Apart,
}

/// What a graph cannot be called with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BadSlot {
    /// Two pointers into one array are so many bytes apart, which is no number of words, or of more than an array has.
    End { bytes: i64, word_bytes: u64 },
    /// An argument that bounds a loop, and is index.
    Count { name: String, value: i64, signed: bool },
}

/// A call as a graph sees it.
pub(super) struct Activation {
    /// Tokens of each argument.
    pub inputs: Vec<Vec<u64>>,
    /// By memory: the address of its first word; 0 for memories on chip.
    pub origins: Vec<u64>,
}

impl Function {
    /// A function that was compiled whole from C or C++.
    pub fn new(symbol: String, kernel: Kernel) -> Function {
        let (slots, roots) = slots(&kernel);
        let domains = &kernel.compiled.as_deref().expect("C is compiled").plain.domains;
        let are_apart = |a: usize, b: usize| match (roots[a], roots[b]) {
            (Some(a), Some(b)) => {
                domains.roots[a].domain != domains.roots[b].domain || domains.are_views(a, b)
            }
            _ => false,
        };
        let apart = Apart::new(roots.len(), are_apart);
        Function { symbol, kernel, slots, roots, apart }
    }

    /// Where an access of a memory, through one of its ports, stands in the source.
    pub(super) fn access_span(&self, memory: MemoryId, store: bool, port: usize) -> Option<Range<usize>> {
        let graph = self.graph();
        let (_, node, ports) = graph.memory_nodes().find(|(m, _, _)| *m == memory)?;
        place(graph, node, ports, store, port)
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.kernel.graph
    }

    /// Whether a memory is on chip.
    pub(super) fn is_on_chip(&self, id: MemoryId) -> bool {
        matches!(self.graph().memory(id).place, MemoryPlace::Private { .. })
    }

    /// Address and bytes of a word of a call's memory, where the fabric's bus reaches it.
    pub(super) fn word_at(
        &self,
        activation: &Activation,
        id: MemoryId,
        index: u64,
        index_width: u32,
    ) -> Option<(u64, usize)> {
        let size = self.word_log2(id, index_width);
        let offset = u32::try_from(u128::from(index) << size).ok()?;
        Some((activation.origins[id.0 as usize].wrapping_add(offset.into()), 1 << size))
    }

    /// How many of its local arrays live in the process's memory.
    pub fn locals_in_memory(&self) -> usize {
        let passed = self.kernel.imported.iter().flat_map(|i| &i.passed);
        let numbers = passed.filter_map(|p| match p {
            Passed::Local { number, .. } => Some(number),
            _ => None,
        });
        numbers.collect::<BTreeSet<_>>().len()
    }

    /// What a call gives to the graph: pointers and 64-bit counts that are numbers in index as such. Behind the arguments stand which of them are null, where
    /// the function asks, and the control token: arrays of one dimension have no extents to pass.
    pub(super) fn activation(&self, values: &[u64]) -> Result<Activation, BadSlot> {
        let imported = self.kernel.imported.as_ref();
        let (ends, nulls) = imported.map_or((&[][..], &[][..]), |i| (&i.ends[..], &i.nulls[..]));
        for &IndexCount { slot, signed } in imported.map_or(&[][..], |i| &i.counts[..]) {
            let value = values[slot] as i64;
            let least = if signed { -MOST_COUNTED } else { 0 };
            if !(least..=MOST_COUNTED).contains(&value) {
                return Err(BadSlot::Count { name: self.argument_name(slot), value, signed });
            }
        }
        let nulls = nulls.iter().map(|&argument| u64::from(values[argument] == 0));
        let mut values = values.to_vec();
        for &ArrayEnd { slot, first, word_bytes } in ends {
            let bytes = values[slot].wrapping_sub(values[first]) as i64;
            let words = bytes / word_bytes as i64;
            if bytes % word_bytes as i64 != 0 || !(-MOST_COUNTED..=MOST_COUNTED).contains(&words) {
                return Err(BadSlot::End { bytes, word_bytes });
            }
            values[slot] = words as u64;
        }
        let graph = self.graph();
        let mut inputs = vec![vec![0]; graph.arguments.len()];
        let mut origins = vec![0; graph.memories.len()];
        for (slot, value) in self.slots.iter().zip(values.into_iter().chain(nulls)) {
            match *slot {
                Slot::Token(argument) => inputs[argument] = vec![value],
                Slot::Address(memory) => origins[memory.0 as usize] = value,
                Slot::Unused => {}
            }
        }
        Ok(Activation { inputs, origins })
    }

    /// What a call touches, before it begins.
    pub(super) fn touched(&self) -> Touched<'_> {
        Touched::new(&self.apart)
    }

    /// Whether two memories are views of one array.
    pub(super) fn are_views(&self, a: MemoryId, b: MemoryId) -> bool {
        let domains = &self.kernel.compiled.as_deref().expect("C is compiled").plain.domains;
        let roots = [a, b].map(|m| self.roots[m.0 as usize]);
        matches!(roots, [Some(a), Some(b)] if domains.are_views(a, b))
    }

    fn argument_name(&self, slot: usize) -> String {
        let compiled = self.kernel.compiled.as_deref().expect("C is compiled");
        let func = &compiled.plain.func;
        func.arguments().get(slot).map_or(String::new(), |&a| func.value(a).name.clone())
    }

    /// The results among the first token of each output, the last of which is control.
    pub(super) fn results(&self, outputs: &[Option<u64>]) -> Vec<u64> {
        let results = outputs.split_last().map_or(&[][..], |(_done, results)| results);
        results.iter().map(|first| first.unwrap_or(0)).collect()
    }

    /// Bytes of a memory's word, as a power of two.
    pub(super) fn word_log2(&self, memory: MemoryId, index_width: u32) -> u32 {
        element_size_log2(self.graph().memory(memory).element, index_width)
    }
}

/// The arguments of the graph are those of the function in order, without memrefs that nobody accesses; and the roots of memories.
fn slots(kernel: &Kernel) -> (Vec<Slot>, Vec<Option<usize>>) {
    let compiled = kernel.compiled.as_deref().expect("C is compiled");
    let mut tokens = 0..;
    let mut memories = argument_memories(&kernel.graph).map(|(id, _)| id);
    let mut roots = vec![None; kernel.graph.memories.len()];
    let arguments = compiled.source.funcs[0].argument_types.iter().zip(compiled.plain.func.arguments());
    let slot = |(ty, &plain): (&ValueType, _)| match ty {
        ValueType::Scalar(_) => tokens.next().map_or(Slot::Unused, Slot::Token),
        ValueType::Memref(_) => {
            let root = compiled.plain.domains.root_of(plain);
            root.and_then(|root| memories.next().map(|m| (root, m))).map_or(Slot::Unused, |(root, memory)| {
                roots[memory.0 as usize] = Some(root);
                Slot::Address(memory)
            })
        }
    };
    let slots = arguments.map(slot).collect();
    (slots, roots)
}

/// Where an access stands in the source: its address comes from the load or store.
pub(super) fn place(
    graph: &Graph,
    node: NodeId,
    ports: Ports,
    store: bool,
    port: usize,
) -> Option<Range<usize>> {
    let operand = if store { ports.store_address(port) } else { ports.load_address(port) };
    match graph.value(*graph.node(node).operands.get(operand)?).def {
        ValueDef::Result { node, .. } => graph.node(node).span.clone(),
        ValueDef::Argument(_) | ValueDef::Literal(_) => None,
    }
}
