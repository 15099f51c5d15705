//! Which way tokens go in a dry run: turns of loops, and what conditions say.
//!
//! A function of the graph alone, so that dry runs of all its mappings fire the same ops as often. Loops turn as often as [`Nest`] takes them to,
//! but no more often than a run can afford. Any other condition is drawn for each token, by what it is computed from: two
//! ops on the same operands draw alike. Where the graph has a profile it is true as often as it was. Logic of conditions is computed.

use crate::timing::nest::Nest;
use loom_base::rng::mix;
use loom_dfg::graph::ValueDef;
use loom_dfg::op::Class;
use loom_dfg::phases::Takes;
use loom_dfg::{Graph, Node, NodeId, OpKind, ValueId};

/// Turns of all loops together that a run is cut to. How many ops turn makes no difference: graphs with the same loops are comparable.
const TURNS: f64 = 600.0;
/// Most turns of an activation of an innermost loop, and of one around others: with few turns more activations are under way at once.
const MOST_TURNS: (f64, f64) = (8.0, 16.0);
/// And as few as they are cut to: two activations show what one leaves behind.
const LEAST_TURNS: f64 = 2.0;

/// How one value decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    /// It is handed on, or computed from what is known.
    Known,
    /// The condition of a loop: true so many times, then false.
    Turns(u64),
    /// Always this: that is the way into a loop.
    Always(u8),
    /// By chance, from this key: one or the other alike.
    Chance(u64),
    /// True so often, of 256.
    Likely(u64, u64),
}

/// Tokens of each argument of a graph without loops.
const ACTIVATIONS: usize = 16;

/// Where the tokens of a graph go.
pub struct Control {
    /// Tokens of each argument.
    activations: usize,
    /// Turns of a run over those of a dry run.
    scale: f64,
    /// By node: turns of an activation, of a stream.
    turns: Vec<u64>,
    /// By value.
    drawn: Vec<Drawn>,
}

impl Control {
    /// Of a graph with these loops.
    pub(crate) fn new(graph: &Graph, nest: &Nest) -> Control {
        let (by_loop, in_dry_run) = affordable(nest);
        let turns: Vec<u64> = (0..graph.nodes.len()).map(|n| by_loop[nest.node(n).0] as u64).collect();
        let mut drawn: Vec<Drawn> =
            (0..graph.values.len()).map(|v| drawn(graph, ValueId(v as u32))).collect();
        for (v, [in_true, in_false]) in ways_into_loops(graph).into_iter().enumerate() {
            let computed = match graph.value(ValueId(v as u32)).def {
                ValueDef::Result { node, .. } => is_logic(graph, node),
                _ => false,
            };
            if in_true != in_false && (computed || matches!(drawn[v], Drawn::Chance(_))) {
                drawn[v] = Drawn::Always(in_true.into());
            }
        }
        for (n, node) in graph.nodes.iter().enumerate() {
            let Some(operand) = node.op.kind().loop_condition() else { continue };
            let condition = node.operands[operand];
            // A stream counts itself, and a gate passes on what it is told.
            let counts = match graph.value(condition).def {
                ValueDef::Result { node, .. } => graph.kind(node).gives_condition().is_some(),
                _ => false,
            };
            if !counts {
                drawn[condition.0 as usize] = Drawn::Turns(turns[n]);
            }
        }
        for (value, drawn) in graph.values.iter().zip(&mut drawn) {
            if let (&mut Drawn::Chance(key), Some(said)) = (&mut *drawn, graph.profile.of(&value.name)) {
                *drawn = Drawn::Likely(key, said.yes * 256 / said.tokens());
            }
        }
        let is_machine = |node: &Node| node.op.kind().class() == Class::State;
        let activations = if graph.nodes.iter().any(is_machine) { 1 } else { ACTIVATIONS };
        let scale = nest.cycles(|_| 1.0) / (in_dry_run * activations as f64);
        Control { activations, scale, turns, drawn }
    }

    /// Turns of all loops in a run over those in a dry run.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    pub(super) fn activations(&self) -> usize {
        self.activations
    }

    pub(super) fn turns(&self, n: usize) -> u64 {
        self.turns[n]
    }

    /// What the k-th token of a value says; `known` where it is no chance.
    pub(super) fn value(&self, v: ValueId, k: usize, known: u8) -> u8 {
        match self.drawn[v.0 as usize] {
            Drawn::Known => known,
            Drawn::Always(value) => value,
            Drawn::Turns(turns) => u8::from(k as u64 % (turns + 1) != turns),
            Drawn::Chance(key) => (mix(key ^ mix(k as u64)) >> 56) as u8,
            Drawn::Likely(key, part) => u8::from(mix(key ^ mix(k as u64)) >> 56 < part),
        }
    }
}

/// By loop: the turns of an activation that a run can afford; and turns of all loops in that run.
fn affordable(nest: &Nest) -> (Vec<f64>, f64) {
    let mut order = nest.innermost_first();
    order.reverse();
    let (mut inner, mut outer) = MOST_TURNS;
    loop {
        let (mut each, mut in_run) = (vec![1.0f64; order.len()], vec![1.0f64; order.len()]);
        for &l in &order {
            each[l.0] = nest.each(l).min(if nest.is_outer(l) { outer } else { inner }).max(1.0);
            in_run[l.0] = each[l.0] * nest.around(l).map(|o| in_run[o.0]).fold(1.0, f64::max);
        }
        let turns: f64 = in_run.iter().sum();
        if turns <= TURNS || (inner, outer) == (LEAST_TURNS, LEAST_TURNS) {
            return (each, turns);
        }
        let less = |turns: f64| (turns / 2.0).floor().max(LEAST_TURNS);
        (inner, outer) = if inner > outer { (less(inner), outer) } else { (inner, less(outer)) };
    }
}

/// By condition: whether what goes the true way, and what goes the other one, begins a loop before the ways meet again.
fn ways_into_loops(graph: &Graph) -> Vec<[bool; 2]> {
    // By value: whether an activation begins with what is made of it.
    let mut begins = vec![false; graph.values.len()];
    // Chains are as long as there are nodes, at most; most of them run forwards.
    for _ in 0..graph.nodes.len() {
        let mut changed = false;
        for node in graph.nodes.iter().rev() {
            let kind = node.op.kind();
            let goes_on = !matches!(kind, OpKind::Mux(_)) && kind.class() != Class::State;
            let begun = goes_on && node.results.iter().any(|v| begins[v.0 as usize]);
            for (operand, v) in node.operands.iter().enumerate() {
                if (begun || kind.takes(operand) == Takes::First) && !begins[v.0 as usize] {
                    begins[v.0 as usize] = true;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let mut into = vec![[false; 2]; graph.values.len()];
    for node in graph.nodes.iter().filter(|node| node.op.kind() == OpKind::CondBr) {
        for (side, v) in node.results.iter().enumerate() {
            into[node.operands[0].0 as usize][side] |= begins[v.0 as usize];
        }
    }
    into
}

fn drawn(graph: &Graph, v: ValueId) -> Drawn {
    let ValueDef::Result { node, .. } = graph.value(v).def else {
        return Drawn::Chance(mix(u64::from(v.0)));
    };
    match graph.kind(node) {
        OpKind::Join(_) | OpKind::Constant | OpKind::CondBr | OpKind::Mux(_) => Drawn::Known,
        OpKind::Stream(_) | OpKind::Gate | OpKind::Carry | OpKind::Invariant => Drawn::Known,
        OpKind::CarryBr | OpKind::InvariantBr => Drawn::Known,
        _ if is_logic(graph, node) => Drawn::Known,
        _ => {
            let operands = graph.node(node).operands.iter();
            Drawn::Chance(operands.fold(0, |key, operand| mix(key ^ u64::from(operand.0))))
        }
    }
}

/// Whether a node computes a condition from conditions.
pub(super) fn is_logic(graph: &Graph, node: NodeId) -> bool {
    let is_bit = |v: &ValueId| graph.value(*v).ty == loom_dfg::Type::I1;
    matches!(graph.kind(node), OpKind::Andi | OpKind::Ori | OpKind::Xori)
        && graph.node(node).covers.is_empty()
        && graph.node(node).operands.iter().all(is_bit)
}
