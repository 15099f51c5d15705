//! Rules of memories: one node each, of the right kind and types, and at every port exactly one load or store.

use super::MAX_PRIVATE_WORDS;
use crate::codes;
use crate::graph::{Graph, MemoryPlace, NodeId, Use, ValueDef, ValueId};
use crate::op::{Class, Ports};
use crate::{Op, OpKind, Type};
use loom_base::{truncate, Diagnostic, Diagnostics};
use std::collections::BTreeSet;

/// The operands that the response `result` of a memory node answers.
pub(super) fn request(ports: Ports, result: usize) -> Vec<usize> {
    let (loads, stores) = (ports.loads as usize, ports.stores as usize);
    match result {
        _ if result < loads => vec![ports.load_address(result)],
        _ if result < loads + stores => {
            vec![ports.store_data(result - loads), ports.store_address(result - loads)]
        }
        _ => vec![ports.load_address(result - loads - stores)],
    }
}

pub(super) fn check(graph: &Graph, out: &mut Diagnostics) {
    places(graph, out);
    let mut nodes = vec![Vec::new(); graph.memories.len()];
    for node in graph.node_ids() {
        let record = graph.node(node);
        let error =
            |message: String| Diagnostic::error(codes::MEMORY, message).at_opt(record.span.clone(), "");
        match (record.op, record.op.kind().class()) {
            (Op::Memory(id, OpKind::Memory(ports) | OpKind::Extmemory(ports)), _) => {
                nodes[id.0 as usize].push(node);
                check_node(graph, node, ports, out);
            }
            (Op::Memory(..), _) => {
                out.push(error(format!("`{}` is not the node of a memory", record.op.kind().mnemonic())))
            }
            (_, Class::Memory) => out.push(error("a memory node that names no memory".to_string())),
            _ => {}
        }
    }
    for (memory, nodes) in graph.memories.iter().zip(&nodes) {
        if nodes.len() != 1 {
            let message = format!("the memory `{}` has {} nodes, it needs one", memory.name, nodes.len());
            let mut d = Diagnostic::error(codes::MEMORY, message);
            for &node in nodes {
                d = d.at_opt(graph.node(node).span.clone(), "");
            }
            out.push(d.help("make all its accesses ports of one node"));
        }
    }
    access_ends(graph, out);
}

/// What the memories say of themselves.
fn places(graph: &Graph, out: &mut Diagnostics) {
    let mut positions = BTreeSet::new();
    let external = graph.memories.iter().filter(|m| matches!(m.place, MemoryPlace::Argument { .. })).count();
    for (index, memory) in graph.memories.iter().enumerate() {
        // The node is where the text says all this.
        let node = graph.nodes.iter().find(|n| matches!(n.op, Op::Memory(id, _) if id.0 as usize == index));
        let mut wrong = |message: String, help: &str| {
            let d = Diagnostic::error(codes::MEMORY, format!("the memory `{}` {message}", memory.name));
            out.push(d.at_opt(node.and_then(|n| n.span.clone()), "").help(help));
        };
        if memory.element == Type::None {
            wrong("has words of type `none`".to_string(), "words have bits");
            continue;
        }
        match &memory.place {
            MemoryPlace::Argument { position } => {
                if !positions.insert(*position) || *position >= external + graph.arguments.len() {
                    wrong(
                        format!("stands at position {position} of the arguments, where it cannot"),
                        "positions count values and memories, each has its own",
                    );
                }
            }
            MemoryPlace::Private { init } => {
                let words = memory.words.unwrap_or(0);
                if words == 0 || words > MAX_PRIVATE_WORDS {
                    let found = memory.words.map_or("any number of".to_string(), |w| w.to_string());
                    wrong(
                        format!("has {found} words, a `memory` has 1 to {MAX_PRIVATE_WORDS}"),
                        "give it a size, or make it an argument of the function",
                    );
                } else if !init.is_empty() && init.len() as u64 != words {
                    wrong(
                        format!("has {words} words and starts with {}", init.len()),
                        "`loom.init` gives all words, or is left out",
                    );
                }
                let width = memory.element.width(64);
                if init.iter().any(|&w| truncate(w, width) != w) {
                    wrong(format!("starts with a word wider than `{}`", memory.element), "use a wider type");
                }
            }
        }
    }
}

fn check_node(graph: &Graph, node: NodeId, ports: Ports, out: &mut Diagnostics) {
    let record = graph.node(node);
    let kind = record.op.kind();
    let Op::Memory(id, _) = record.op else { return };
    let memory = graph.memory(id);
    let mut wrong = |message: String, help: &str| {
        out.push(Diagnostic::error(codes::MEMORY, message).at_opt(record.span.clone(), "").help(help));
    };
    let external = matches!(memory.place, MemoryPlace::Argument { .. });
    if external != matches!(kind, OpKind::Extmemory(_)) {
        wrong(
            format!("`{}` as the node of `{}`", kind.mnemonic(), memory.name),
            "`extmemory` is for memory arguments, `memory` for private ones",
        );
    }
    if ports.loads == 0 && ports.stores == 0 {
        wrong(format!("the memory `{}` has no ports", memory.name), "remove it");
    }
    if (record.operands.len(), record.results.len()) != (ports.operands(), ports.results()) {
        return;
    }
    let ty = |v: ValueId| graph.value(v).ty;
    let stored = (0..ports.stores as usize).map(|i| ty(record.operands[ports.store_data(i)]));
    let loaded = (0..ports.loads as usize).map(|i| ty(record.results[ports.load_data(i)]));
    if let Some(found) = stored.chain(loaded).find(|&t| t != memory.element) {
        wrong(
            format!("a port of `{}` is `{found}`, its words are `{}`", memory.name, memory.element),
            "all ports of a memory have the type of its words",
        );
    }
    // What comes to the ports: results of loads and stores, both of a store at one port.
    for (operand, &v) in record.operands.iter().enumerate() {
        let stores = 2 * ports.stores as usize;
        let from = match graph.value(v).def {
            ValueDef::Result { node, result } => Some((node, graph.kind(node), result)),
            ValueDef::Argument(_) | ValueDef::Literal(_) => None,
        };
        let good = match from {
            Some((_, OpKind::Load, 1)) => operand >= stores,
            Some((store, OpKind::Store, result)) if operand < stores => {
                let other = record.operands[operand ^ 1];
                operand % 2 == result && graph.node(store).results.get(1 - result) == Some(&other)
            }
            _ => false,
        };
        if !good {
            let want = if operand >= stores {
                "the address of a load is the second result of a `load`"
            } else {
                "the data and the address of a store are the first and the second result of one `store`"
            };
            wrong(
                format!("`%{}` at {} of `{}`", graph.value(v).name, kind.operand_name(operand), memory.name),
                want,
            );
        }
    }
}

/// Loads and stores: each hangs on one port, with both its ends.
fn access_ends(graph: &Graph, out: &mut Diagnostics) {
    let uses = graph.uses();
    let at_port = |u: &Use| match *u {
        Use::Operand { node, operand } => match graph.node(node).op {
            Op::Memory(_, OpKind::Memory(ports) | OpKind::Extmemory(ports)) => Some((node, ports, operand)),
            _ => None,
        },
        Use::Output(_) => None,
    };
    for node in graph.node_ids() {
        let record = graph.node(node);
        let kind = record.op.kind();
        if (record.operands.len(), record.results.len()) != (kind.operand_count(), kind.result_count()) {
            continue;
        }
        let mut wrong = |message: String, help: &str| {
            out.push(Diagnostic::error(codes::MEMORY, message).at_opt(record.span.clone(), "").help(help));
        };
        let name = |i: usize| graph.value(record.results[i]).name.as_str();
        // The one port a result goes to, and nowhere else.
        let end = |i: usize| match &uses[record.results[i].0 as usize][..] {
            [one] => at_port(one),
            _ => None,
        };
        match kind {
            OpKind::Load => {
                let Some((memory, ports, operand)) = end(1) else {
                    wrong(
                        format!("the address `%{}` does not go to exactly one port of a memory", name(1)),
                        "each load has a port of its own",
                    );
                    continue;
                };
                let port = operand.wrapping_sub(2 * ports.stores as usize);
                let data = graph.value(record.operands[1]);
                let good = match data.def {
                    ValueDef::Result { node, result } => node == memory && result == port,
                    ValueDef::Argument(_) | ValueDef::Literal(_) => false,
                };
                if !good {
                    wrong(
                        format!("`%{}` is not the data of the port the load sends its address to", data.name),
                        "the data from memory is the result of the load's own port",
                    );
                } else if uses[record.operands[1].0 as usize].len() != 1 {
                    wrong(
                        format!("the data `%{}` from memory goes to others too", data.name),
                        "use the load's own result `data`",
                    );
                }
            }
            OpKind::Store => {
                for i in 0..2 {
                    if end(i).is_none() {
                        wrong(
                            format!("the result `%{}` does not go to exactly one port of a memory", name(i)),
                            "each store has a port of its own",
                        );
                    }
                }
            }
            OpKind::Memory(ports) | OpKind::Extmemory(ports) => {
                for i in 0..ports.loads as usize {
                    let ends = &uses[record.results[i].0 as usize];
                    let is_load = |u: &Use| match *u {
                        Use::Operand { node, operand } => operand == 1 && graph.kind(node) == OpKind::Load,
                        Use::Output(_) => false,
                    };
                    if !ends.iter().any(is_load) {
                        wrong(
                            format!("the data `%{}` does not go to a load", name(i)),
                            "the data of a port goes to the load that sends its address there",
                        );
                    }
                }
            }
            _ => {}
        }
    }
}
