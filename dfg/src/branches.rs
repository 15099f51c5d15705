//! Loops' branches into their state machines: a `carry` or `invariant` that only a `cond_br` on the same condition takes becomes one op.
//!
//! What a loop carries or repeats is mostly wanted on one side of its condition: in the body, or behind the loop. The branch that parts
//! them takes the k-th condition with the k-th token, and the machine before it the k-th condition for its next token; one
//! machine does both with one condition. That is an op less to place for each value of each loop.
//!
//! For graphs in token balance (D1) only, as [`crate::immediates`]: every token has its condition there. Guarantees: results and memory are the
//! same, nothing is left, and every value that remains has its name and its tokens. Who calls says which pairs are wanted.

use crate::graph::{Graph, NodeId, Use, ValueDef};
use crate::{Op, OpKind};

/// The graph with pairs fused; `None` where there are none. `wanted` sees the graph with one more pair fused, and the node that is.
pub fn fuse(graph: &Graph, wanted: &dyn Fn(&Graph, NodeId) -> bool) -> Option<Graph> {
    let uses = graph.uses();
    let mut fused = graph.clone();
    let mut any = false;
    for node in graph.node_ids() {
        let kind = match graph.kind(node) {
            OpKind::Carry => OpKind::CarryBr,
            OpKind::Invariant => OpKind::InvariantBr,
            _ => continue,
        };
        let &[Use::Operand { node: branch, operand: 1 }] = &uses[graph.result(node, 0).0 as usize][..] else {
            continue;
        };
        let same = graph.node(branch).operands[0] == graph.node(node).operands[0];
        if graph.kind(branch) != OpKind::CondBr || !same {
            continue;
        }
        let before = fused.node(node).clone();
        let machine = &mut fused.nodes[node.0 as usize];
        machine.op = Op::Plain(kind);
        machine.results = graph.node(branch).results.clone();
        if !wanted(&fused, node) {
            fused.nodes[node.0 as usize] = before;
            continue;
        }
        for (result, &v) in graph.node(branch).results.iter().enumerate() {
            fused.values[v.0 as usize].def = ValueDef::Result { node, result };
        }
        // Gives nothing any more, and so goes.
        fused.nodes[branch.0 as usize].results.clear();
        any = true;
    }
    any.then(|| crate::immediates::without_unused(&fused))
}
