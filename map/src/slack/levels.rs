//! Slack across loop levels: values of an outer loop that wait while an inner loop runs.
//!
//! [`crate::timing`] looks at each rate alone. A value of an outer loop that one consumer takes when the inner loop begins
//! and another when it ends (a store's address, the condition of the carry that waits for an iteration's last done token)
//! has to be held by the way to the second one, or the fork holds the outer loop back: then a bubble follows each
//! activation of the inner loop. Here every value gets the time of its first token with loops cut open, an inner loop
//! taking a short activation, and every use that waits for more tokens than its way holds asks for slack.

use crate::model::hops::SLACK_UNIT;
use crate::model::resources::Resources;
use crate::route::{RouteEnd, RouteTree};
use crate::timing::recurrence;
use crate::timing::routed::{registers, Routed, UseId};
use loom_adg::ChannelId;
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::op::Class;
use loom_dfg::phases::Takes;
use loom_dfg::{NodeId, Rates};
use std::collections::BTreeMap;
use std::iter::successors;

/// Pairs of an inner activation that is taken as short: fewer make more outer tokens wait at once.
const SHORT: u64 = 8;
/// Uses that wait for more tokens than their way holds, with the units of slack they lack. Values of innermost loops
/// are left to [`crate::timing`], unless `innermost` gives the cycles between their tokens.
pub fn wanted(routed: &Routed, innermost: Option<f64>) -> Vec<(UseId, u32)> {
    let &Routed { graph, resources, units, nets, trees, .. } = routed;
    let rates = Rates::new(graph);
    let height = rates.heights(graph);
    let interval = |rate: usize| SHORT.pow(height[rate]);
    let way: Vec<Vec<u64>> = nets
        .iter()
        .zip(trees)
        .map(|(_, tree)| tree.ends.iter().map(|&c| registers(tree, c)).collect())
        .collect();
    let recurrences = recurrence::recurrences(graph);
    // Time of the first token of each value at its producer; operands that close loops are cut.
    let mut made = vec![0u64; graph.values.len()];
    let mut fires = vec![0u64; graph.nodes.len()];
    // Times only grow, and without cycles they stand still after as many rounds as there are nodes; a cycle that the cuts
    // left open ends with what it has by then.
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
                let cut = match graph.kind(node).takes(operand) {
                    Takes::NextValue => true,
                    Takes::NextCondition => own(),
                    Takes::Each | Takes::First => false,
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
            let start = u64::from(node.op.kind().start_cycles());
            for &v in &node.results {
                // What leaves a loop comes when its activation ends.
                let own = interval(rates.node(NodeId(n as u32)));
                let waits = interval(rates.value(v)).saturating_sub(own);
                let time = fires[n] + u64::from(t.latency) + u64::from(t.buffered) + start + waits;
                let made = &mut made[v.0 as usize];
                if time > *made {
                    *made = time;
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
            if rates.node(node) == rates.value(net.value) {
                together[n] = together[n].max(made[net.value.0 as usize] + way[at][e]);
            }
        }
    }
    let mut wanted = Vec::new();
    for (at, net) in nets.iter().enumerate() {
        let v = net.value.0 as usize;
        let rate = rates.value(net.value);
        if height[rate] == 0 && innermost.is_none() {
            continue;
        }
        let between = match height[rate] {
            0 => innermost.unwrap_or(1.0) as u64,
            _ => interval(rate),
        };
        let buffered = match graph.value(net.value).def {
            ValueDef::Result { node, .. } => graph.kind(node).class() == Class::State,
            ValueDef::Argument(_) | ValueDef::Literal(_) => false,
        };
        // Tokens that pass before each use takes its first.
        let waiting = |(e, end): (usize, &RouteEnd)| {
            let Use::Operand { node, operand } = end.use_ else { return 0 };
            let n = node.0 as usize;
            let steady = graph.kind(node).takes(operand).is_steady();
            let takes = match rates.node(node) == rate && steady {
                true => together[n],
                false => fires[n],
            };
            takes.saturating_sub(made[v] + way[at][e]).div_ceil(between)
        };
        let tokens: Vec<u64> = net.ends.iter().enumerate().map(waiting).collect();
        let holds = entries(resources, &trees[at], &tokens);
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
fn entries(resources: &Resources, tree: &RouteTree, tokens: &[u64]) -> Vec<u64> {
    // From a use back to the source; what each channel on it passes on is limited by its least patient use.
    let way = |end: ChannelId| successors(Some(end), |at| Some(tree.channels.get(at)?.0?.0));
    let mut least: BTreeMap<ChannelId, u64> = BTreeMap::new();
    for (&end, &tokens) in tree.ends.iter().zip(tokens) {
        for c in way(end) {
            let least = least.entry(c).or_insert(tokens);
            *least = tokens.min(*least);
        }
    }
    let step = |c: ChannelId| Some(tree.channels.get(&c)?.0?.1);
    let depth = |c: ChannelId| step(c).and_then(|step| resources.depth(step)).unwrap_or(0) as u64;
    let held = |(&end, &tokens): (&ChannelId, &u64)| way(end).filter(|c| least[c] >= tokens).map(depth).sum();
    tree.ends.iter().zip(tokens).map(held).collect()
}
