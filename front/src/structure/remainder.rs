//! What is left of a number that a loop counts, divided by a small one: a part of the loop's state ([`super::states`]).

use super::graph::{Edge, FlowGraph};
use super::loops::Loop;
use crate::edit;
use crate::ir::{Kind, OpId, ValueDef, ValueId};
use loom_dfg::OpKind;
use std::collections::{BTreeMap, BTreeSet};

/// States of a loop.
pub(super) const MOST_STATES: usize = 3;
/// Sums that are looked through.
const DEPTH: usize = 8;

/// What is written to each variable that edges write.
pub(super) struct Writes(BTreeMap<ValueId, Vec<ValueId>>);

impl Writes {
    pub fn new(graph: &FlowGraph) -> Writes {
        let mut writes: BTreeMap<ValueId, Vec<ValueId>> = BTreeMap::new();
        for &(to, from) in graph.order().iter().flat_map(|&n| &graph[n].edges).flat_map(|e| &e.writes) {
            writes.entry(to).or_default().push(from);
        }
        Writes(writes)
    }

    pub fn to(&self, variable: ValueId) -> Option<&[ValueId]> {
        self.0.get(&variable).map(|all| &all[..])
    }

    /// What is added to one variable to get another, and whether without overflow.
    pub fn moved(&self, graph: &FlowGraph, mut to: ValueId, from: ValueId) -> Option<(i64, bool)> {
        let (mut plus, mut nsw) = (0i64, true);
        for _ in 0..DEPTH {
            if to == from {
                return Some((plus, nsw));
            }
            let op = match graph.func.values.get(to.0 as usize)?.def {
                ValueDef::Result { op, .. } => op,
                ValueDef::Argument { .. } => {
                    let (&first, rest) = self.to(to)?.split_first()?;
                    to = rest.iter().all(|&v| v == first).then_some(first)?;
                    continue;
                }
            };
            let record = graph.func.op(op);
            let (Kind::Scalar(scalar), &[a, b]) = (&record.kind, &record.operands[..]) else { return None };
            let by = edit::constant_int(graph.func, b)?;
            let by = match scalar.kind() {
                OpKind::Addi => by,
                OpKind::Subi => by.checked_neg()?,
                _ => return None,
            };
            (plus, nsw, to) = (plus.checked_add(by)?, nsw && record.nsw, a);
        }
        None
    }
}

/// A number that rises, divided.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Remainder {
    by: u64,
    /// Its first number, which is the least unless it overflows.
    pub first: i64,
    /// Whether it does not.
    nsw: bool,
}

impl Remainder {
    /// Those that a loop asks for of an argument of its header, which begins with a literal.
    pub fn asked(
        graph: &FlowGraph,
        writes: &Writes,
        l: &Loop,
        (argument, from): (ValueId, ValueId),
        back: &[&Edge],
    ) -> Vec<Remainder> {
        let steps = back.iter().map(|edge| {
            let (_, next) = edge.writes.iter().find(|w| w.0 == argument)?;
            writes.moved(graph, *next, argument)
        });
        let steps: Option<Vec<(i64, bool)>> = steps.collect();
        let rises = steps.filter(|steps| steps.iter().all(|step| step.0 > 0));
        let Some((steps, first)) = rises.zip(edit::constant_int(graph.func, from)) else { return Vec::new() };
        let nsw = steps.iter().all(|step| step.1);
        let ops = l.nodes.iter().flat_map(|&n| &graph[n].ops);
        let asked = ops.filter_map(|&op| Asked::new(graph, op)).filter(|asked| {
            writes.moved(graph, asked.of, argument).is_some() && (nsw || asked.by.is_power_of_two())
        });
        let by: BTreeSet<u64> = asked.map(|asked| asked.by).collect();
        let few = by.into_iter().filter(|&by| (2..=MOST_STATES as u64).contains(&by));
        few.map(|by| Remainder { by, first, nsw }).collect()
    }

    /// How much is added to what counts before an op asks for this remainder.
    pub fn asked_by(&self, graph: &FlowGraph, writes: &Writes, op: OpId, counts: ValueId) -> Option<i64> {
        let asked = Asked::new(graph, op).filter(|asked| asked.by == self.by)?;
        let (plus, stays) = writes.moved(graph, asked.of, counts)?;
        // Below zero the remainder is another one.
        let is_natural = self.nsw && stays && self.first.checked_add(plus).is_some_and(|least| least >= 0);
        (is_natural || asked.of_any).then_some(plus)
    }

    /// The remainder of so much more.
    pub fn plus(&self, remainder: u64, more: i64) -> u64 {
        (remainder + more.rem_euclid(self.by as i64) as u64) % self.by
    }
}

/// What an op gives the remainder of.
struct Asked {
    of: ValueId,
    by: u64,
    /// Whether it is the one that is not negative whatever is divided, overflown or not.
    of_any: bool,
}

impl Asked {
    fn new(graph: &FlowGraph, op: OpId) -> Option<Asked> {
        let record = graph.func.op(op);
        let (Kind::Scalar(scalar), &[of, by]) = (&record.kind, &record.operands[..]) else { return None };
        let by = literal(graph, by)?;
        match scalar.kind() {
            OpKind::Andi if by < MOST_STATES as u64 && (by + 1).is_power_of_two() => {
                Some(Asked { of, by: by + 1, of_any: true })
            }
            OpKind::Remsi => Some(Asked { of, by, of_any: false }),
            OpKind::Remui => Some(Asked { of, by, of_any: by.is_power_of_two() }),
            _ => None,
        }
    }
}

/// The bits of a variable that is a literal.
pub(super) fn literal(graph: &FlowGraph, variable: ValueId) -> Option<u64> {
    ((variable.0 as usize) < graph.func.values.len()).then(|| edit::constant(graph.func, variable)).flatten()
}
