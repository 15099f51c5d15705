//! What the mapper wants of a graph: nothing dead, joins no wider than the fabric's (seed `compilation.txt`).
//!
//! Unused results need nothing: a value without a use is a discard of the graph's normal form, and an op none of
//! whose results reaches an output is dropped, which keeps the balance of everything else. Fan-out is a use list,
//! merges are `mux` only, and constants are triggered: the lowering makes no other shapes.

use crate::codes;
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::{Graph, NodeId, Op, OpKind, Type, ValueDef, ValueId};

/// The graph without the ops that no output depends on, and each old node's new id. Arguments and memories stay.
pub fn drop_dead(graph: &Graph) -> (Graph, Vec<Option<NodeId>>) {
    let mut live = vec![false; graph.nodes.len()];
    let mut work: Vec<ValueId> = graph.outputs.iter().map(|o| o.value).collect();
    while let Some(v) = work.pop() {
        if let ValueDef::Result { node, .. } = graph.value(v).def {
            if !std::mem::replace(&mut live[node.0 as usize], true) {
                work.extend(&graph.node(node).operands);
            }
        }
    }
    let mut out = Graph::new(graph.name.clone());
    out.max_join_fanin = graph.max_join_fanin;
    out.memories = graph.memories.clone();
    let mut ids = vec![None; graph.values.len()];
    for &a in &graph.arguments {
        ids[a.0 as usize] = Some(out.add_argument(graph.value(a).name.clone(), graph.value(a).ty));
    }
    let mut new_ids = vec![None; graph.nodes.len()];
    for (n, node) in graph.nodes.iter().enumerate().filter(|&(n, _)| live[n]) {
        let types: Vec<Type> = node.results.iter().map(|&r| graph.value(r).ty).collect();
        let new = out.add_node(node.op, &node.operands, &types);
        out.nodes[new.0 as usize].span = node.span.clone();
        for (r, &old) in node.results.iter().enumerate() {
            let id = out.result(new, r);
            let name = &graph.value(old).name;
            // Numbers are counted anew.
            if !name.starts_with(|c: char| c.is_ascii_digit()) {
                out.values[id.0 as usize].name = name.clone();
            }
            ids[old.0 as usize] = Some(id);
        }
        new_ids[n] = Some(new);
    }
    let id = |v: ValueId| ids[v.0 as usize].expect("what a live op uses is live");
    for node in &mut out.nodes {
        for v in &mut node.operands {
            *v = id(*v);
        }
    }
    for output in &graph.outputs {
        out.add_output(output.name.clone(), id(output.value));
    }
    (out, new_ids)
}

/// Makes every join wider than `limit` a tree of joins no wider, and writes the limit on the function. A limit
/// above 64 means 64; below 2 any join of more than one token is rejected.
pub fn limit_joins(graph: &mut Graph, limit: u32) -> Result<(), Diagnostics> {
    let limit = limit.min(loom_dfg::verify::MAX_FAN_IN);
    graph.max_join_fanin = Some(limit);
    for node in graph.node_ids().collect::<Vec<_>>() {
        let OpKind::Join(n) = graph.kind(node) else { continue };
        if u32::from(n) <= limit.max(1) {
            continue;
        }
        if limit < 2 {
            let name = &graph.value(graph.result(node, 0)).name;
            return Err(vec![Diagnostic::error(
                codes::JOIN_LIMIT,
                format!("the join `%{name}` waits for {n} tokens, the fabric's limit of {limit} allows 1"),
            )
            .at_opt(graph.node(node).span.clone(), "")
            .help("give the fabric a `handshake.join` of two or more inputs")]);
        }
        let mut operands = graph.node(node).operands.clone();
        while operands.len() > limit as usize {
            let span = graph.node(node).span.clone();
            let mut next = Vec::new();
            for chunk in operands.chunks(limit as usize) {
                if let [one] = chunk {
                    next.push(*one);
                    continue;
                }
                let join = Op::Plain(OpKind::Join(chunk.len() as u8));
                let new = graph.add_node(join, chunk, &[Type::None]);
                graph.nodes[new.0 as usize].span = span.clone();
                next.push(graph.result(new, 0));
            }
            operands = next;
        }
        let record = &mut graph.nodes[node.0 as usize];
        record.op = Op::Plain(OpKind::Join(operands.len() as u8));
        record.operands = operands;
    }
    Ok(())
}
