//! The part of a run's length that no interval accounts for.

use crate::timing::routed::{registers, Routed};
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::{NodeId, OpKind, Rates};

/// Cycles that a run takes beyond `(pairs - 1) * mii`, pairs those of the innermost loops: the longest way from an
/// input to an output in registers.
///
/// The k-th firing of a node of an innermost loop comes at its time plus `k * mii`, so an operand that closes such a loop
/// (`carry` a and d, `invariant` a) counts with one interval less: the last iteration has to drain through it. A
/// `carry` further out has two times: its own is that of the firings that begin iterations, which know nothing of the
/// last one; the other that of its last firing, which waits for what the last iteration hands back, and which leaves by
/// the exit side of a `cond_br`.
pub fn fill(routed: &Routed, mii: f64) -> u64 {
    struct Way {
        from: Option<(NodeId, usize)>,
        /// Whether it leaves from the last firing.
        last: bool,
        to: Option<usize>,
        cycles: f64,
    }
    let &Routed { graph, units, .. } = routed;
    let nodes = graph.nodes.len();
    let rates = Rates::new(graph);
    let height = rates.heights(graph);
    let outer = |n: NodeId| height[rates.node(n)] > 0;
    let is_exit = |n: NodeId, result: usize| {
        let kind = graph.kind(n);
        kind == OpKind::CondBr && result == 1 || kind.is_exit(result)
    };
    let mut ways = Vec::new();
    for (net, tree) in routed.nets.iter().zip(routed.trees) {
        let from = match graph.value(net.value).def {
            ValueDef::Result { node, result } => Some((node, result)),
            ValueDef::Argument(_) | ValueDef::Literal(_) => None,
        };
        // The exit side belongs to the last firing.
        let exit = from.is_some_and(|(n, result)| is_exit(n, result));
        let carried = from.is_some_and(|(n, _)| graph.kind(n) == OpKind::Carry && outer(n));
        for (end, &c) in net.ends.iter().zip(&tree.ends) {
            let cycles = registers(tree, c) as f64;
            let Use::Operand { node, operand } = end.use_ else {
                ways.push(Way { from, last: false, to: None, cycles });
                if exit {
                    ways.push(Way { from, last: true, to: None, cycles });
                }
                continue;
            };
            let closes = graph.kind(node).takes(operand).lag() > 0;
            let n = node.0 as usize;
            let (to, cycles) = match (closes, outer(node)) {
                (true, true) => (n + nodes, cycles),
                (true, false) => (n, cycles - mii),
                (false, _) => (n, cycles),
            };
            ways.push(Way { from, last: false, to: Some(to), cycles });
            if exit {
                ways.push(Way { from, last: true, to: Some(to), cycles });
            }
            if carried && graph.kind(node) == OpKind::CondBr {
                ways.push(Way { from, last: true, to: Some(n + nodes), cycles });
            }
        }
    }
    // From a firing of a node to its result.
    let own = |(node, result): (NodeId, usize)| -> f64 {
        let unit = &units[node.0 as usize];
        let stages = f64::from(unit.latency + u32::from(unit.buffered));
        let condition = graph.node(node).operands.first().map(|&v| graph.value(v).def);
        let kind = graph.kind(node);
        let lag = |node: NodeId, result: usize| match graph.kind(node).result_lag(result) {
            0 => 0.0,
            pairs => f64::from(pairs) * mii,
        };
        match condition {
            // The last condition of N that comes after a gate comes with pair N + 1: the exit side has waited for it.
            Some(ValueDef::Result { node: gate, result: late }) if is_exit(node, result) => {
                stages - lag(gate, late)
            }
            _ => stages + f64::from(kind.start_cycles()) + lag(node, result),
        }
    };
    let mut at = vec![0.0f64; 2 * nodes];
    let mut longest = 0.0f64;
    // Relaxation; no circle of the innermost loops takes longer than `mii`, so it settles in as many rounds as there
    // are nodes.
    for _ in 0..=2 * nodes {
        let mut changed = false;
        for way in &ways {
            let start = way.from.map_or(0.0, |f| {
                let n = f.0 .0 as usize;
                at[if way.last { n + nodes } else { n }] + own(f)
            });
            let reach = start + way.cycles;
            match way.to {
                None => longest = longest.max(reach),
                Some(n) if reach > at[n] + 1e-6 => {
                    at[n] = reach;
                    changed = true;
                }
                Some(_) => {}
            }
        }
        if !changed {
            break;
        }
    }
    (longest - 1e-6).ceil() as u64 + 1
}
