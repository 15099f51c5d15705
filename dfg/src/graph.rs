//! The graph: an arena of nodes and values in normal form.

pub use crate::ids::{MemoryId, NodeId, ValueId};
use crate::op::Ports;
use crate::profile::Profile;
use crate::{Op, OpKind, Type};
use loom_base::Name;
use std::ops::Range;

/// Where a memory's words live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryPlace {
    /// `extmemory`: a memref argument of the function; the host gives the words.
    Argument {
        /// Its place in the function's list of arguments as text has it, value arguments counted.
        position: usize,
    },
    /// `memory`: on chip, words keep their values from one activation to the next.
    Private {
        /// What it holds before the first activation: all words, or empty when nothing is known of them.
        init: Vec<u64>,
    },
}

/// An array of words behind one memory node: a root memref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Port name of an argument; unique among ports and memories.
    pub name: String,
    /// Type of a word.
    pub element: Type,
    /// Number of words; `None` when the argument's type leaves it open.
    pub words: Option<u64>,
    /// Where it lives.
    pub place: MemoryPlace,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueDef {
    /// Argument `k` of the function.
    Argument(usize),
    /// Result `result` of a node.
    Result {
        /// The node.
        node: NodeId,
        /// Which of its results.
        result: usize,
    },
    /// An immediate: these bits, always there, never used up. Only operands that [`crate::OpKind::takes_immediate`] have such.
    Literal(u64),
}

/// One use of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Use {
    /// Operand `operand` of a node.
    Operand {
        /// The node.
        node: NodeId,
        /// Which of its operands.
        operand: usize,
    },
    /// Output `k` of the function.
    Output(usize),
}

/// A stream of tokens: one producer, any number of uses.
#[derive(Clone, Debug)]
pub struct Value {
    /// SSA name without `%`; unique in the graph.
    pub name: String,
    /// Token type.
    pub ty: Type,
    /// Producer.
    pub def: ValueDef,
}

/// An op of a compound node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredOp {
    /// What it does.
    pub op: Op,
    /// Where its operands come from, and the types that it reads them as.
    pub operands: Vec<(CoveredSource, Type)>,
    /// Type of its only result.
    pub result: Type,
    /// Name of that result, which nobody else sees but for the last op's.
    pub name: String,
}

/// Where an operand of an op of a compound node comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoveredSource {
    /// It is this operand of the node.
    Operand(usize),
    /// An op before it gives it.
    Op(usize),
}

/// One op.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does; of a compound node its last op.
    pub op: Op,
    /// Values it consumes, in the op table's order.
    pub operands: Vec<ValueId>,
    /// Values it produces.
    pub results: Vec<ValueId>,
    /// Operands that are read as another type than their value has, by its low bits. No graph has such but netlists, where
    /// casts are gone that change no bits.
    pub read_as: Vec<(usize, Type)>,
    /// The ops that it covers, where these are several: it is a compound node. No graph has such but netlists.
    pub covers: Vec<CoveredOp>,
    /// Where it stands in the source, if it was read from text.
    pub span: Option<Range<usize>>,
}

impl Node {
    /// Its ops, in the order in which they are evaluated: one, or those that it covers.
    pub fn kinds(&self) -> Vec<OpKind> {
        match self.covers.is_empty() {
            true => vec![self.op.kind()],
            false => self.covers.iter().map(|c| c.op.kind()).collect(),
        }
    }

    /// Its ops in words, `arith.muli+arith.addi`.
    pub fn what(&self) -> String {
        self.kinds().iter().map(OpKind::to_string).collect::<Vec<_>>().join("+")
    }
}

/// A result port of the function.
#[derive(Clone, Debug)]
pub struct Output {
    /// From `resNames`.
    pub name: String,
    /// What is returned.
    pub value: ValueId,
}

/// A dataflow function in normal form.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Function name.
    pub name: Name,
    /// Argument values, in order; their names are the port names.
    pub arguments: Vec<ValueId>,
    /// Result ports, in order.
    pub outputs: Vec<Output>,
    /// Ops.
    pub nodes: Vec<Node>,
    /// Values.
    pub values: Vec<Value>,
    /// Memories; each has exactly one node of class `Memory`.
    pub memories: Vec<Memory>,
    /// `loom.adg_max_join_fanin` of the function, when given.
    pub max_join_fanin: Option<u32>,
    /// What its conditions said in a run, where somebody looked.
    pub profile: Profile,
}

impl Graph {
    /// An empty function.
    pub fn new(name: Name) -> Self {
        Graph {
            name,
            arguments: Vec::new(),
            outputs: Vec::new(),
            nodes: Vec::new(),
            values: Vec::new(),
            memories: Vec::new(),
            max_join_fanin: None,
            profile: Profile::default(),
        }
    }

    /// Adds an argument.
    pub fn add_argument(&mut self, name: impl Into<String>, ty: Type) -> ValueId {
        let def = ValueDef::Argument(self.arguments.len());
        let id = self.add_value(name.into(), ty, def);
        self.arguments.push(id);
        id
    }

    /// Adds an immediate.
    pub fn add_literal(&mut self, name: impl Into<String>, bits: u64, ty: Type) -> ValueId {
        self.add_value(name.into(), ty, ValueDef::Literal(bits))
    }

    /// The bits of a value that is an immediate.
    pub fn literal(&self, id: ValueId) -> Option<u64> {
        match self.value(id).def {
            ValueDef::Literal(bits) => Some(bits),
            ValueDef::Argument(_) | ValueDef::Result { .. } => None,
        }
    }

    /// The immediates among a node's operands: operand and bits, in order.
    pub fn immediates(&self, node: &Node) -> impl Iterator<Item = (usize, u64)> + '_ {
        let operands: Vec<ValueId> = node.operands.clone();
        operands.into_iter().enumerate().filter_map(|(i, v)| self.literal(v).map(|bits| (i, bits)))
    }

    /// The type that a node reads an operand as.
    pub fn operand_type(&self, node: &Node, operand: usize) -> Type {
        let read_as = node.read_as.iter().find(|r| r.0 == operand);
        read_as.map_or(self.value(node.operands[operand]).ty, |r| r.1)
    }

    /// Adds a memory; its node comes by [`Graph::add_node`] with [`Op::Memory`].
    pub fn add_memory(&mut self, memory: Memory) -> MemoryId {
        self.memories.push(memory);
        MemoryId(self.memories.len() as u32 - 1)
    }

    /// Adds a node; operands may be patched later by [`Graph::set_operand`] (loops).
    pub fn add_node(&mut self, op: Op, operands: &[ValueId], result_types: &[Type]) -> NodeId {
        let node = NodeId(self.nodes.len() as u32);
        let results = result_types
            .iter()
            .enumerate()
            .map(|(result, &ty)| {
                let name = self.values.len().to_string();
                self.add_value(name, ty, ValueDef::Result { node, result })
            })
            .collect();
        let (read_as, covers) = (Vec::new(), Vec::new());
        self.nodes.push(Node { op, operands: operands.to_vec(), results, read_as, covers, span: None });
        node
    }

    /// Changes one operand.
    pub fn set_operand(&mut self, node: NodeId, operand: usize, value: ValueId) {
        self.nodes[node.0 as usize].operands[operand] = value;
    }

    /// Adds a result port.
    pub fn add_output(&mut self, name: impl Into<String>, value: ValueId) {
        self.outputs.push(Output { name: name.into(), value });
    }

    /// The value's record.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.0 as usize]
    }

    /// The memory's record.
    pub fn memory(&self, id: MemoryId) -> &Memory {
        &self.memories[id.0 as usize]
    }

    /// The memories and their nodes, in node order.
    pub fn memory_nodes(&self) -> impl Iterator<Item = (MemoryId, NodeId, Ports)> + '_ {
        self.node_ids().filter_map(|node| match self.node(node).op {
            Op::Memory(id, OpKind::Memory(ports) | OpKind::Extmemory(ports)) => Some((id, node, ports)),
            _ => None,
        })
    }

    /// The entry control argument and the return control output (indices of argument and output) of a graph whose
    /// activations must not overlap, because it stores: the last `none` argument and the last `none` output. The
    /// next entry token may be offered only after the return token of the one before (D3).
    pub fn activation_gate(&self) -> Option<(usize, usize)> {
        self.memory_nodes().find(|(_, _, ports)| ports.stores > 0)?;
        let entry = self.arguments.iter().rposition(|&a| self.value(a).ty == Type::None)?;
        let done = self.outputs.iter().rposition(|o| self.value(o.value).ty == Type::None)?;
        Some((entry, done))
    }

    /// The node's record.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The node's op kind.
    pub fn kind(&self, id: NodeId) -> OpKind {
        self.node(id).op.kind()
    }

    /// Result `result` of a node.
    pub fn result(&self, node: NodeId, result: usize) -> ValueId {
        self.node(node).results[result]
    }

    /// All node ids, in order.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The uses of every value, indexed by value id; operands in node order, outputs last.
    pub fn uses(&self) -> Vec<Vec<Use>> {
        let mut uses = vec![Vec::new(); self.values.len()];
        for node in self.node_ids() {
            for (operand, value) in self.node(node).operands.iter().enumerate() {
                uses[value.0 as usize].push(Use::Operand { node, operand });
            }
        }
        for (k, output) in self.outputs.iter().enumerate() {
            uses[output.value.0 as usize].push(Use::Output(k));
        }
        uses
    }

    fn add_value(&mut self, name: String, ty: Type, def: ValueDef) -> ValueId {
        let id = ValueId(self.values.len() as u32);
        self.values.push(Value { name, ty, def });
        id
    }
}
