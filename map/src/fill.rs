//! The part of a run's length that no interval accounts for.

use crate::timing::{registers, Routed};
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::{NodeId, OpKind};

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
    let &Routed { graph, fabric, units, .. } = routed;
    let (values, nodes) = (graph.values.len(), graph.nodes.len());
    let (of, height) = crate::levels::heights(graph);
    let outer = |n: NodeId| height[of[values + n.0 as usize]] > 0;
    let mut ways = Vec::new();
    for (net, tree) in routed.nets.iter().zip(routed.trees) {
        let from = match graph.value(net.value).def {
            ValueDef::Result { node, result } => Some((node, result)),
            ValueDef::Argument(_) => None,
        };
        // The exit side belongs to the last firing.
        let exit = from.is_some_and(|(n, result)| graph.kind(n) == OpKind::CondBr && result == 1);
        let carried = from.is_some_and(|(n, _)| graph.kind(n) == OpKind::Carry && outer(n));
        for (end, &c) in net.ends.iter().zip(&tree.ends) {
            let cycles = registers(fabric, tree, c) as f64;
            let Use::Operand { node, operand } = end.use_ else {
                ways.push(Way { from, last: false, to: None, cycles });
                if exit {
                    ways.push(Way { from, last: true, to: None, cycles });
                }
                continue;
            };
            let closes = match graph.kind(node) {
                OpKind::Carry => operand != 1,
                OpKind::Invariant => operand == 0,
                _ => false,
            };
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
        match graph.kind(node) {
            // A stream pushes its first pair in the cycle after it took its operands.
            OpKind::Stream(_) => stages + 1.0,
            // The k-th condition after a gate is pushed with its k+1st pair; the last of N comes with pair N + 1.
            OpKind::Gate if result == 1 => stages + mii,
            OpKind::CondBr if result == 1 => match condition {
                Some(ValueDef::Result { node: gate, result: 1 }) if graph.kind(gate) == OpKind::Gate => {
                    stages - mii
                }
                _ => stages,
            },
            _ => stages,
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
