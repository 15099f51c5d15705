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
use crate::timing::nest::Nest;
use crate::timing::recurrence;
use crate::timing::routed::{registers, Routed, UseId};
use loom_adg::ChannelId;
use loom_dfg::graph::{Use, ValueDef};
use loom_dfg::op::Class;
use loom_dfg::phases::Takes;
use loom_dfg::{NodeId, Rates, ValueId};
use std::collections::BTreeMap;
use std::iter::successors;

/// Pairs of an inner activation that is taken as short: fewer make more outer tokens wait at once.
const SHORT: u64 = 8;

/// How fast tokens come, in cycles.
pub struct TokenPace<'a> {
    /// By rate: between two of them.
    pub between: &'a dyn Fn(usize) -> u64,
    /// By the rate of a loop and that of a value that leaves it: from the first turn of an activation to its last.
    pub until_exit: &'a dyn Fn(usize, usize) -> u64,
}

/// A use that waits for more tokens than its way holds.
pub struct Lack {
    /// Which.
    pub of: UseId,
    /// Cycles that a token waits.
    pub cycles: u64,
    /// Tokens that wait at once, where nothing holds them back.
    pub tokens: u64,
    /// Tokens that its way holds.
    pub holds: u64,
}

/// Uses that lack room, with the units of slack that are wanted, where inner activations are short. Values of innermost loops
/// are left to [`crate::timing`], unless `innermost` gives the cycles between their tokens.
pub fn wanted(routed: &Routed, nest: &Nest, innermost: Option<f64>) -> Vec<(UseId, u32)> {
    let interval = |rate: usize| SHORT.pow(nest.height(rate));
    let between = |rate: usize| match (nest.height(rate), innermost) {
        (0, Some(interval)) => interval as u64,
        _ => interval(rate),
    };
    let until_exit = |inner: usize, outer: usize| interval(outer).saturating_sub(interval(inner));
    let pace = TokenPace { between: &between, until_exit: &until_exit };
    let lacks = lacks(routed, nest, &pace, innermost.is_some());
    let units = |lack: &Lack| (lack.tokens - lack.holds).div_ceil(SLACK_UNIT as u64) as u32;
    lacks.iter().map(|lack| (lack.of, units(lack))).collect()
}

/// When things happen for the first time, in cycles.
struct Times {
    /// By net and use: registers on the way.
    way: Vec<Vec<u64>>,
    /// By value: at its producer.
    made: Vec<u64>,
    /// By node: it takes the operands that no loop closes.
    fires: Vec<u64>,
    /// By node: it takes the operands of its own rate, with the latest of them.
    together: Vec<u64>,
}

impl Times {
    fn new(routed: &Routed, rates: &Rates, pace: &TokenPace) -> Times {
        let &Routed { graph, units, nets, trees, .. } = routed;
        let ways =
            nets.iter().zip(trees).map(|(_, tree)| tree.ends.iter().map(|&c| registers(tree, c)).collect());
        let (made, fires) = (vec![0; graph.values.len()], vec![0; graph.nodes.len()]);
        let mut times = Times { way: ways.collect(), made, fires, together: Vec::new() };
        let recurrences = recurrence::recurrences(graph);
        // Times only grow, and without cycles they stand still after as many rounds as there are nodes; a cycle that the cuts
        // left open ends with what it has by then.
        for _ in 0..=graph.nodes.len() {
            let mut changed = times.arrive(routed, &recurrences);
            for (n, node) in graph.nodes.iter().enumerate() {
                let t = units[n];
                let start = u64::from(node.op.kind().start_cycles());
                for &v in &node.results {
                    // What leaves a loop comes when its activation ends.
                    let (own, outer) = (rates.node(NodeId(n as u32)), rates.value(v));
                    let waits = if own == outer { 0 } else { (pace.until_exit)(own, outer) };
                    let time = times.fires[n] + u64::from(t.latency) + u64::from(t.buffered) + start + waits;
                    let made = &mut times.made[v.0 as usize];
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
        times.together = times.fires.clone();
        for (at, net) in nets.iter().enumerate() {
            for (e, end) in net.ends.iter().enumerate() {
                let Use::Operand { node, .. } = end.use_ else { continue };
                if rates.node(node) == rates.value(net.value) {
                    let n = node.0 as usize;
                    times.together[n] = times.together[n].max(times.arrives(at, net.value, e));
                }
            }
        }
        times
    }

    fn arrives(&self, at: usize, value: ValueId, e: usize) -> u64 {
        self.made[value.0 as usize] + self.way[at][e]
    }

    /// Nodes take what comes, but for operands that close loops; whether anything is later than it was.
    fn arrive(&mut self, routed: &Routed, recurrences: &[Option<usize>]) -> bool {
        let &Routed { graph, nets, .. } = routed;
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
                let arrives = self.arrives(at, net.value, e);
                if !cut && arrives > self.fires[node.0 as usize] {
                    self.fires[node.0 as usize] = arrives;
                    changed = true;
                }
            }
        }
        changed
    }
}

/// Uses that lack room; those of values of innermost loops only where they are asked for.
pub fn lacks(routed: &Routed, nest: &Nest, pace: &TokenPace, with_innermost: bool) -> Vec<Lack> {
    let &Routed { graph, resources, nets, trees, .. } = routed;
    let rates = &nest.rates;
    let times = Times::new(routed, rates, pace);
    let mut lacks = Vec::new();
    for (at, net) in nets.iter().enumerate() {
        let rate = rates.value(net.value);
        if nest.height(rate) == 0 && !with_innermost {
            continue;
        }
        let between = (pace.between)(rate);
        let buffered = match graph.value(net.value).def {
            ValueDef::Result { node, .. } => graph.kind(node).class() == Class::State,
            ValueDef::Argument(_) | ValueDef::Literal(_) => false,
        };
        // Cycles that pass before each use takes its first.
        let waiting = |(e, end): (usize, &RouteEnd)| {
            let Use::Operand { node, operand } = end.use_ else { return 0 };
            let n = node.0 as usize;
            let steady = graph.kind(node).takes(operand).is_steady();
            let takes = match rates.node(node) == rate && steady {
                true => times.together[n],
                false => times.fires[n],
            };
            takes.saturating_sub(times.arrives(at, net.value, e))
        };
        let cycles: Vec<u64> = net.ends.iter().enumerate().map(waiting).collect();
        let tokens: Vec<u64> = cycles.iter().map(|cycles| cycles.div_ceil(between)).collect();
        let holds = entries(resources, &trees[at], &tokens);
        for (e, (&tokens, holds)) in tokens.iter().zip(holds).enumerate() {
            // One place is the token on its way to the other consumers.
            let holds = holds + u64::from(buffered);
            if tokens > holds {
                lacks.push(Lack { of: (at, e), cycles: cycles[e], tokens, holds });
            }
        }
    }
    lacks
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
