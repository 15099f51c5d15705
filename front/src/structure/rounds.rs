//! Every loop gets one node that all its jumps back go through.
//!
//! What a jump back writes, the arguments of the header, often has another value where the loop is left: `i + 1` for the next
//! round, `i` as the result. The jumps write variables of their own, and the node writes the arguments from them: so
//! neither value has to be chosen over the other.

use super::graph::{Edge, FlowGraph, FlowNode, Terminator};
use super::loops::{LoopId, Loops};
use crate::hints::Hints;
use crate::ir::ValueId;

/// Works on every loop.
pub fn run(graph: &mut FlowGraph, loops: &mut Loops) {
    for l in (0..loops.list.len() as u32).map(LoopId) {
        let header = loops[l].header;
        let mut back = Vec::new();
        for &n in &loops[l].nodes {
            let edges = graph[n].edges.iter().enumerate().filter(|(_, e)| e.to == header);
            back.extend(edges.map(|(k, _)| (n, k)));
        }
        let writes = |graph: &FlowGraph, at: &(_, usize), v: ValueId| {
            graph[at.0].edges[at.1].writes.iter().any(|w| w.0 == v)
        };
        let (first, k) = back[0];
        let arguments: Vec<ValueId> = (graph[first].edges[k].writes.iter().map(|w| w.0))
            .filter(|&v| back.iter().all(|at| writes(graph, at, v)))
            .collect();
        let next: Vec<(ValueId, ValueId)> =
            (arguments.into_iter()).map(|v| (v, graph.new_variable(graph.ty(v).clone(), Some(v)))).collect();
        let span = graph[first].span.clone();
        let edges = vec![Edge { to: header, writes: next.clone() }];
        let (ops, hints) = (Vec::new(), Hints::default());
        let node = graph.add(FlowNode { ops, end: Terminator::Jump, edges, hints, span });
        loops.add(node, Some(l));
        for (n, k) in back {
            let edge = &mut graph.nodes[n.0 as usize].edges[k];
            edge.to = node;
            for write in &mut edge.writes {
                write.0 = next.iter().find(|p| p.0 == write.0).map_or(write.0, |p| p.1);
            }
        }
    }
}
