//! What a case speaks of: the streams and memories of a graph, or of a configured fabric's boundary.

use super::argument_memories;
use loom_dfg::{Graph, Type};

/// What has to be given to run something, and what comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Whose it is: a kernel or a fabric.
    pub name: String,
    /// Streams in.
    pub inputs: Vec<SignatureStream>,
    /// Streams out.
    pub outputs: Vec<SignatureStream>,
    /// Memories that the host fills.
    pub memories: Vec<SignatureMemory>,
    /// Whether a case may say which output holds back which input; of a graph that is known.
    pub has_gate: bool,
}

/// A stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureStream {
    /// What cases call it.
    pub name: String,
    /// Of its tokens.
    pub ty: Type,
    /// What it means when a case does not name it.
    pub absent: Absent,
}

/// What an input without an entry means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// The case is not complete.
    Refused,
    /// A token for each activation.
    Activations,
    /// No tokens.
    Empty,
}

/// A memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureMemory {
    /// What cases call it.
    pub name: String,
    /// Of its words.
    pub element: Type,
    /// How many words it takes; `None` when the case says it.
    pub words: Option<u64>,
    /// Whether a case has to give its words.
    pub required: bool,
}

impl Signature {
    /// That of a graph.
    pub fn of_graph(graph: &Graph) -> Signature {
        let input = |&a: &loom_dfg::ValueId| {
            let value = graph.value(a);
            let absent = if value.ty == Type::None { Absent::Activations } else { Absent::Refused };
            SignatureStream { name: value.name.clone(), ty: value.ty, absent }
        };
        let output = |o: &loom_dfg::graph::Output| {
            let ty = graph.value(o.value).ty;
            SignatureStream { name: o.name.clone(), ty, absent: Absent::Empty }
        };
        let memories = argument_memories(graph).map(|(_, m)| SignatureMemory {
            name: m.name.clone(),
            element: m.element,
            words: m.words,
            required: true,
        });
        Signature {
            name: graph.name.to_string(),
            inputs: graph.arguments.iter().map(input).collect(),
            outputs: graph.outputs.iter().map(output).collect(),
            memories: memories.collect(),
            has_gate: false,
        }
    }
}

/// The first and the last of some ports, for a message.
pub(super) fn range(ports: &[SignatureStream]) -> String {
    match ports {
        [] => "none".into(),
        [one] => format!("`{}`", one.name),
        [first, .., last] => format!("`{}` to `{}`", first.name, last.name),
    }
}
