//! When an op fires in a dry run, what it takes and what it gives: docs/hardware.md, section 5.

use super::control::{is_logic, Control};
use loom_dfg::{Graph, NodeId, Op, OpKind};

/// What a firing takes and gives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Firing {
    /// Operands, a bit for each.
    pub takes: u64,
    /// Results, a bit for each.
    pub gives: u64,
    /// What each of the first two says; further ones say nothing.
    pub says: [u8; 2],
    /// Whether the next activation may begin in the same cycle.
    pub is_end: bool,
}

/// A state machine between firings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Phase {
    /// Out of its first phase.
    pub running: bool,
    /// What an invariant holds; firings of an activation, of a stream.
    held: u64,
}

/// The next token of each operand: what it says, if it is there.
pub(super) trait Operands {
    /// Of this one.
    fn token(&self, operand: usize) -> Option<u8>;
}

/// What a literal says.
pub(super) fn says(literal: u64) -> u8 {
    literal.min(u8::MAX.into()) as u8
}

/// The firing for which all tokens are there, and the phase behind it.
pub(super) fn firing(
    graph: &Graph,
    control: &Control,
    n: usize,
    phase: Phase,
    operands: &dyn Operands,
) -> Option<(Firing, Phase)> {
    let node = &graph.nodes[n];
    let token = |i: usize| operands.token(i);
    let is = |i: usize| token(i).map(|value| value & 1 == 1);
    let (go, stop) = (Phase { running: true, ..phase }, Phase::default());
    let fires = |takes: u64, gives: u64, says: u8| Firing { takes, gives, says: [says; 2], is_end: false };
    let end = Firing { takes: 1, is_end: true, ..Firing::default() };
    Some(match node.op.kind() {
        _ if !node.covers.is_empty() => together(graph, n, phase, operands)?,
        OpKind::CondBr => (fires(3, if is(0)? { 1 } else { 2 }, token(1)?), phase),
        OpKind::Mux(inputs) => {
            let chosen = 1 + usize::from(token(0)? % inputs);
            (fires(1 | 1 << chosen, 1, token(chosen)?), phase)
        }
        OpKind::Stream(_) if phase.running => {
            let goes_on = phase.held < control.turns(n);
            let next = if goes_on { Phase { held: phase.held + 1, ..phase } } else { stop };
            let says = [0, u8::from(goes_on)];
            (Firing { gives: 3, says, is_end: !goes_on, ..Firing::default() }, next)
        }
        OpKind::Stream(_) => {
            for operand in 0..3 {
                token(operand)?;
            }
            (fires(7, 0, 0), go)
        }
        OpKind::Gate => match (phase.running, token(0)?, is(1)?) {
            (false, value, true) => (fires(3, 1, value), go),
            (false, _, false) => (fires(3, 0, 0), phase),
            (true, value, true) => (Firing { says: [value, 1], ..fires(3, 3, 0) }, phase),
            (true, _, false) => (fires(3, 2, 0), stop),
        },
        OpKind::Carry | OpKind::Invariant if !phase.running => {
            let value = token(1)?;
            (fires(2, 1, value), Phase { running: true, held: value.into() })
        }
        OpKind::Carry | OpKind::Invariant if !is(0)? => (end, stop),
        OpKind::Carry => (fires(5, 1, token(2)?), phase),
        OpKind::Invariant => (fires(1, 1, phase.held as u8), phase),
        OpKind::CarryBr => {
            let from = if phase.running { 2 } else { 1 };
            let goes_on = is(0)?;
            (fires(1 | 1 << from, if goes_on { 1 } else { 2 }, token(from)?), if goes_on { go } else { stop })
        }
        OpKind::InvariantBr => {
            let (takes, value) = if phase.running { (1, phase.held as u8) } else { (3, token(1)?) };
            let goes_on = is(0)?;
            let next = if goes_on { Phase { running: true, held: value.into() } } else { stop };
            (fires(takes, if goes_on { 1 } else { 2 }, value), next)
        }
        _ => together(graph, n, phase, operands)?,
    })
}

/// What takes a token of each operand and gives one of each result.
fn together(graph: &Graph, n: usize, phase: Phase, operands: &dyn Operands) -> Option<(Firing, Phase)> {
    let node = &graph.nodes[n];
    let mut bits = [0; 2];
    for operand in 0..node.operands.len() {
        let value = operands.token(operand)?;
        if let Some(bits) = bits.get_mut(operand) {
            *bits = value;
        }
    }
    let told = match (node.op, node.op.kind()) {
        (Op::Constant(bits), _) => says(bits),
        _ if !is_logic(graph, NodeId(n as u32)) => 0,
        (_, OpKind::Andi) => bits[0] & bits[1],
        (_, OpKind::Ori) => bits[0] | bits[1],
        _ => bits[0] ^ bits[1],
    };
    let all = |count: usize| (0..count.min(64)).fold(0, |mask, i| mask | 1 << i);
    let firing = Firing {
        takes: all(node.operands.len()),
        gives: all(node.results.len()),
        says: [told; 2],
        is_end: false,
    };
    Some((firing, phase))
}
