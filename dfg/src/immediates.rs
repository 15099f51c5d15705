//! Constants into immediates: an operand whose token always has the same bits becomes a literal of its op.
//!
//! For graphs in token balance (D1) only: at the end nothing is left, so an op took as many tokens of each operand, and
//! a constant's tokens say nothing that those of another operand do not. Then the op may take the bits without waiting for
//! them: it fires as often, on the same values. What only brought constants to it goes: the `constant`, and the
//! `invariant`s and branches on its way, with their uses of conditions and control tokens.
//!
//! Guarantees: results and memory are the same, nothing is left, and every op that remains was there before. Who calls says how many
//! literals an op may have; an op keeps at least one operand that is a token ([`mod@crate::verify`] asks for the same).

use crate::graph::{Graph, NodeId, Output, ValueDef, ValueId};
use crate::op::{Form, StateOp, SteerOp};
use crate::{Op, OpKind};
use std::collections::HashMap;

/// The graph with immediates; `None` when it gets none. `room` gives the literals that a node's op may have; the first of its
/// operands that are constant get them.
pub fn fold(graph: &Graph, room: &dyn Fn(NodeId) -> usize) -> Option<Graph> {
    let known = known(graph);
    let mut folded = graph.clone();
    let mut literals: HashMap<ValueId, ValueId> = HashMap::new();
    for node in graph.node_ids() {
        let (kind, operands) = (graph.kind(node), &graph.node(node).operands);
        let constant = |i: &usize| kind.takes_immediate(*i) && known[operands[*i].0 as usize].is_some();
        let mut at: Vec<usize> = (0..operands.len()).filter(constant).collect();
        // One token at least says when to fire.
        at.truncate(room(node).min(operands.len() - 1));
        for i in at {
            let (value, bits) = (operands[i], known[operands[i].0 as usize].unwrap_or(0));
            let literal = *literals.entry(value).or_insert_with(|| {
                let (name, ty) = (format!("literal_{}", graph.value(value).name), graph.value(value).ty);
                folded.add_literal(fresh(&folded, name), bits, ty)
            });
            folded.set_operand(node, i, literal);
        }
    }
    (!literals.is_empty()).then(|| without_unused(&folded))
}

/// A value's name that the graph does not have.
fn fresh(graph: &Graph, mut name: String) -> String {
    while graph.values.iter().any(|v| v.name == name) {
        name.push('_');
    }
    name
}

/// By value: the bits that all its tokens have, where they come from constants by ops that only pass on.
fn known(graph: &Graph) -> Vec<Option<u64>> {
    let mut known: Vec<Option<u64>> = vec![None; graph.values.len()];
    for (value, bits) in graph.values.iter().zip(&mut known) {
        if let ValueDef::Literal(literal) = value.def {
            *bits = Some(literal);
        }
    }
    // A value becomes known once, and then what it feeds may.
    let uses = graph.uses();
    let mut work: Vec<NodeId> = graph.node_ids().collect();
    while let Some(node) = work.pop() {
        let n = graph.node(node);
        let operand = |i: usize| known[n.operands[i].0 as usize];
        let (result, bits) = match (n.op, n.op.kind().form()) {
            (Op::Constant(bits), _) => (0..1, Some(bits)),
            (_, Form::State(StateOp::Invariant)) => (0..1, operand(1)),
            (_, Form::State(StateOp::Gate)) => (0..1, operand(0)),
            (_, Form::Steer(SteerOp::CondBr) | Form::State(StateOp::InvariantBr)) => (0..2, operand(1)),
            _ => continue,
        };
        for &v in &n.results[result] {
            if bits.is_some() && known[v.0 as usize].is_none() {
                known[v.0 as usize] = bits;
                work.extend(uses[v.0 as usize].iter().filter_map(|u| match *u {
                    crate::graph::Use::Operand { node, .. } => Some(node),
                    crate::graph::Use::Output(_) => None,
                }));
            }
        }
    }
    known
}

/// Whether an op does nothing but give its results, so that it may go when nobody uses them. A `stream` may fail, and accesses
/// and memories are seen by others.
fn is_pure(kind: OpKind) -> bool {
    !matches!(kind.form(), Form::State(StateOp::Stream(_)) | Form::Access(_) | Form::Memory(_))
}

/// The graph without the ops whose results nobody uses, and without the values that went with them.
pub(crate) fn without_unused(graph: &Graph) -> Graph {
    let mut uses: Vec<usize> = graph.uses().iter().map(Vec::len).collect();
    let mut kept = vec![true; graph.nodes.len()];
    let mut work: Vec<usize> = (0..graph.nodes.len()).collect();
    while let Some(n) = work.pop() {
        let node = &graph.nodes[n];
        if !kept[n] || !is_pure(node.op.kind()) || node.results.iter().any(|r| uses[r.0 as usize] > 0) {
            continue;
        }
        kept[n] = false;
        for v in &node.operands {
            uses[v.0 as usize] -= 1;
            if let ValueDef::Result { node, .. } = graph.value(*v).def {
                work.push(node.0 as usize);
            }
        }
    }
    let mut out = Graph {
        memories: graph.memories.clone(),
        max_join_fanin: graph.max_join_fanin,
        profile: graph.profile.clone(),
        ..Graph::new(graph.name.clone())
    };
    let mut new: Vec<Option<ValueId>> = vec![None; graph.values.len()];
    for v in &graph.arguments {
        let value = graph.value(*v);
        new[v.0 as usize] = Some(out.add_argument(value.name.clone(), value.ty));
    }
    for (v, value) in graph.values.iter().enumerate().filter(|(v, _)| uses[*v] > 0) {
        if let ValueDef::Literal(bits) = value.def {
            new[v] = Some(out.add_literal(value.name.clone(), bits, value.ty));
        }
    }
    let nodes = || graph.nodes.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(node, _)| node);
    for node in nodes() {
        let types: Vec<_> = node.results.iter().map(|&r| graph.value(r).ty).collect();
        let id = out.add_node(node.op, &[], &types);
        out.nodes[id.0 as usize].span = node.span.clone();
        for (i, old) in node.results.iter().enumerate() {
            let result = out.result(id, i);
            out.values[result.0 as usize].name = graph.value(*old).name.clone();
            new[old.0 as usize] = Some(result);
        }
    }
    let at = |v: &ValueId| new[v.0 as usize].expect("what is used has a producer that is kept");
    for (to, from) in out.nodes.iter_mut().zip(nodes()) {
        to.operands = from.operands.iter().map(at).collect();
    }
    out.outputs =
        graph.outputs.iter().map(|o| Output { name: o.name.clone(), value: at(&o.value) }).collect();
    out
}
