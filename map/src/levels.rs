//! Slack across loop levels: values of an outer loop that wait while an inner loop runs.
//!
//! [`crate::timing`] looks at each rate alone. A value of an outer loop that one consumer takes when the inner loop begins
//! and another when it ends (a store's address, the condition of the carry that waits for an iteration's last done token)
//! has to be held by the way to the second one, or the fork holds the outer loop back: then a bubble follows each
//! activation of the inner loop. Here every value gets the time of its first token with loops cut open, an inner loop
//! taking a short activation, and every use that waits for more tokens than its way holds asks for slack.

use crate::resources::SLACK_UNIT;
use crate::route::{End, Tree};
use crate::timing::{domains, loop_conditions, registers, steady, Place2, Routed};
use crate::{recurrence, Step};
use loom_adg::{ChannelId, Component, Fabric};
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::op::Class;
use loom_dfg::{Graph, OpKind};
use std::collections::BTreeMap;
use std::iter::successors;

/// Pairs of an inner activation that is taken as short: fewer make more outer tokens wait at once.
const SHORT: u64 = 8;
/// Levels beyond this make no difference.
const MOST_LEVELS: u32 = 4;

/// Height of every value's domain: loops inside it, one inside the other.
pub(crate) fn heights(graph: &Graph) -> (Vec<usize>, Vec<u32>) {
    let values = graph.values.len();
    let mut d = domains(graph);
    let of: Vec<usize> = (0..values + graph.nodes.len()).map(|x| d.find(x)).collect();
    let mut height = vec![0u32; of.len()];
    let loops = loop_conditions(graph);
    for _ in 0..MOST_LEVELS {
        for (n, node) in graph.nodes.iter().enumerate() {
            let kind = node.op.kind();
            let inner = height[of[values + n]];
            let mut raise = |v: usize| {
                if of[v] != of[values + n] {
                    height[of[v]] = height[of[v]].max(inner + 1).min(MOST_LEVELS);
                }
            };
            for (operand, v) in node.operands.iter().enumerate() {
                if !steady(kind, operand) {
                    raise(v.0 as usize);
                }
            }
            if kind == OpKind::CondBr && loops[node.operands[0].0 as usize] {
                raise(node.results[1].0 as usize);
            }
        }
    }
    (of, height)
}

/// Uses that wait for more tokens than their way holds, with the units of slack they lack. Values of innermost loops
/// are left to [`crate::timing`], unless `innermost` gives the cycles between their tokens.
pub fn wanted(routed: &Routed, innermost: Option<f64>) -> Vec<(Place2, u32)> {
    let &Routed { graph, fabric, units, nets, trees, .. } = routed;
    let values = graph.values.len();
    let (of, height) = heights(graph);
    let interval = |x: usize| SHORT.pow(height[of[x]]);
    let way: Vec<Vec<u64>> = nets
        .iter()
        .zip(trees)
        .map(|(_, tree)| tree.ends.iter().map(|&c| registers(fabric, tree, c)).collect())
        .collect();
    let recurrences = recurrence::recurrences(graph);
    // Time of the first token of each value at its producer; operands that close loops are cut.
    let mut made = vec![0u64; values];
    let mut fires = vec![0u64; graph.nodes.len()];
    for _ in 0..=graph.nodes.len() {
        let mut changed = false;
        for (at, net) in nets.iter().enumerate() {
            for (e, end) in net.ends.iter().enumerate() {
                let Use::Operand { node, operand } = end.use_ else { continue };
                // With activations back to back a seed is taken when the conditions of the last activation have come: a
                // condition is cut only where the loop itself computes it.
                let own = || {
                    let ValueDef::Result { node: from, .. } = graph.value(net.value).def else {
                        return false;
                    };
                    let within = recurrences[node.0 as usize];
                    within.is_some() && recurrences[from.0 as usize] == within
                };
                let cut = match (graph.kind(node), operand) {
                    (OpKind::Carry, 2) => true,
                    (OpKind::Carry | OpKind::Invariant, 0) => own(),
                    _ => false,
                };
                let arrives = made[net.value.0 as usize] + way[at][e];
                if !cut && arrives > fires[node.0 as usize] {
                    fires[node.0 as usize] = arrives;
                    changed = true;
                }
            }
        }
        for (n, node) in graph.nodes.iter().enumerate() {
            let t = units[n];
            let start = u64::from(matches!(node.op.kind(), OpKind::Stream(_)));
            for &v in &node.results {
                let v = v.0 as usize;
                // What leaves a loop comes when its activation ends.
                let waits = interval(v).saturating_sub(interval(values + n));
                let time = fires[n] + u64::from(t.latency) + u64::from(t.buffered) + start + waits;
                if time > made[v] {
                    made[v] = time;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    // When a node takes an operand that the cut left out: with the latest of those it takes together.
    let mut together = fires.clone();
    for (at, net) in nets.iter().enumerate() {
        for (e, end) in net.ends.iter().enumerate() {
            let Use::Operand { node, .. } = end.use_ else { continue };
            let n = node.0 as usize;
            if of[values + n] == of[net.value.0 as usize] {
                together[n] = together[n].max(made[net.value.0 as usize] + way[at][e]);
            }
        }
    }
    let mut wanted = Vec::new();
    for (at, net) in nets.iter().enumerate() {
        let v = net.value.0 as usize;
        if height[of[v]] == 0 && innermost.is_none() {
            continue;
        }
        let between = match height[of[v]] {
            0 => innermost.unwrap_or(1.0) as u64,
            _ => interval(v),
        };
        let buffered = match graph.value(net.value).def {
            ValueDef::Result { node, .. } => graph.kind(node).class() == Class::State,
            ValueDef::Argument(_) => false,
        };
        // Tokens that pass before each use takes its first.
        let waiting = |(e, end): (usize, &End)| {
            let Use::Operand { node, operand } = end.use_ else { return 0 };
            let n = node.0 as usize;
            let takes = match of[values + n] == of[v] && steady(graph.kind(node), operand) {
                true => together[n],
                false => fires[n],
            };
            takes.saturating_sub(made[v] + way[at][e]).div_ceil(between)
        };
        let tokens: Vec<u64> = net.ends.iter().enumerate().map(waiting).collect();
        let holds = entries(fabric, &trees[at], &tokens);
        for (e, (&tokens, holds)) in tokens.iter().zip(holds).enumerate() {
            // One place is the token on its way to the other consumers.
            let holds = holds + u64::from(buffered);
            if tokens > holds {
                wanted.push(((at, e), (tokens - holds).div_ceil(SLACK_UNIT as u64) as u32));
            }
        }
    }
    wanted
}

/// By use: entries of the FIFOs on its way that hold what it does not take yet. A FIFO before a branch to a use that
/// waits for less passes on no more than the branch takes, so it holds nothing back for the others.
fn entries(fabric: &Fabric, tree: &Tree, tokens: &[u64]) -> Vec<u64> {
    let way = |end: ChannelId| successors(Some(end), |at| Some(tree.channels.get(at)?.0?.0));
    let mut least: BTreeMap<ChannelId, u64> = BTreeMap::new();
    for (&end, &tokens) in tree.ends.iter().zip(tokens) {
        for c in way(end) {
            let least = least.entry(c).or_insert(tokens);
            *least = tokens.min(*least);
        }
    }
    let depth = |c: ChannelId| match tree.channels.get(&c).and_then(|c| c.0) {
        Some((_, Step::Fifo { component, bypass: false })) => match fabric.component(component) {
            Component::Fifo(f) => f.depth as u64,
            _ => 0,
        },
        _ => 0,
    };
    let held = |(&end, &tokens): (&ChannelId, &u64)| way(end).filter(|c| least[c] >= tokens).map(depth).sum();
    tree.ends.iter().zip(tokens).map(held).collect()
}
