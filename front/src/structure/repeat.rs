//! Writes a loop as `scf.while`.
//!
//! The before-region holds what decides about going on: the nodes from which the loop can be left without another
//! round. The after-region holds the rest, which has one start: where several ways lead on, what stands before they
//! meet goes to the before-region too. For a loop whose header tests, that is the header and the body; a loop that tests at its end has an
//! empty after-region; a loop with several exits passes a selector on.

use super::emit::{Emitted, Emitter, State};
use super::graph::FlowNodeId;
use super::loops::LoopId;
use crate::codes;
use crate::hints::Hints;
use crate::ir::{BlockId, Kind, RegionId, ValueId, ValueType};
use loom_base::Diagnostic;
use loom_dfg::Type;
use std::collections::BTreeSet;

/// What decides, and where the rest begins: the header when there is none.
struct Parts {
    deciding: BTreeSet<FlowNodeId>,
    rest: BTreeSet<FlowNodeId>,
    start: FlowNodeId,
}

impl Emitter<'_, '_> {
    /// Writes a loop; its labels are those it is left to.
    pub fn repeat(&mut self, l: LoopId) -> Emitted<State> {
        let header = self.loops[l].header;
        let span = self.graph[header].span.clone();
        self.span.clone_from(&span);
        self.deeper()?;
        let parts = self.parts(l)?;
        let written = self.graph.written(self.loops[l].nodes.iter().copied());
        let carried: Vec<ValueId> =
            written.into_iter().filter(|&v| self.live[header.0 as usize].has(v.0)).collect();
        let mut inits = Vec::new();
        for &v in &carried {
            inits.push(self.get(v)?);
        }
        let (outer, mark, first) = (self.at, self.mark(), self.out.values.len());
        let (before, _) = self.open(&carried);
        let context = self.enter(parts.deciding);
        let state = self.region(header, context, Some(l))?;
        let (go_on, which, exits) = self.decision(state, parts.start);
        let mut live = self.live_at(&[parts.start]);
        live.add_all(&self.live_at(&exits));
        let changed: Vec<(ValueId, ValueId)> =
            self.changed(mark).into_iter().filter(|c| live.has(c.0 .0)).collect();
        let mut values = vec![go_on];
        let mut passed: Vec<ValueId> = Vec::new();
        for &(v, value) in &changed {
            if !self.is_from_before(value, first) && !values[1..].contains(&value) {
                values.push(value);
                passed.push(v);
            }
        }
        values.extend(which);
        self.out.push_op(self.at, Kind::Condition, &values, &[]);
        self.take_back(mark);

        let (after, block) = self.open(&passed);
        if which.is_some() {
            self.out.add_argument(block, "", ValueType::Scalar(Type::Index));
        }
        let arguments = self.out.block(block).arguments.clone();
        // A variable is what was passed for its value, or the value itself where that comes from outside.
        let bind = |e: &mut Self, given: &[ValueId]| {
            for &(v, value) in &changed {
                let at = values[1..].iter().position(|&x| x == value);
                e.set(v, at.map_or(value, |k| given[k]));
            }
        };
        bind(self, &arguments);
        if parts.start != header {
            let context = self.enter(parts.rest);
            self.region(parts.start, context, Some(l))?;
        }
        let mut values = Vec::new();
        for &v in &carried {
            values.push(self.get(v)?);
        }
        self.out.push_op(self.at, Kind::Yield, &values, &[]);
        self.take_back(mark);
        self.at = outer;
        self.span.clone_from(&span);
        self.shallower();

        let mut types: Vec<ValueType> = passed.iter().map(|&v| self.graph.ty(v).clone()).collect();
        types.extend(which.map(|_| ValueType::Scalar(Type::Index)));
        let op = self.out.push_op(outer, Kind::While, &inits, &types);
        self.out.op_mut(op).regions = vec![before, after];
        self.out.op_mut(op).span = span;
        self.out.op_mut(op).hints = self.hints(l);
        let results = self.out.op(op).results.clone();
        passed.iter().zip(&results).for_each(|(&v, &value)| self.name(value, v));
        bind(self, &results);
        let which = which.and(results.last().copied());
        Ok(match which {
            Some(which) => State::Many { which, labels: exits },
            None => State::One(exits[0]),
        })
    }

    /// What the jumps in a loop, and in no loop of it, say.
    fn hints(&self, l: LoopId) -> Hints {
        let mut hints = Hints::default();
        let own = self.loops[l].nodes.iter().filter(|n| self.loops.of[n.0 as usize] == Some(l));
        own.for_each(|&n| hints.add(self.graph[n].hints));
        hints
    }

    /// A region whose block has variables as arguments; writing goes on in it.
    fn open(&mut self, variables: &[ValueId]) -> (RegionId, BlockId) {
        let region = self.out.add_region();
        self.at = self.out.add_block(region);
        for &v in variables {
            let value = self.out.add_argument(self.at, "", self.graph.ty(v).clone());
            self.name(value, v);
            self.set(v, value);
        }
        (region, self.at)
    }

    /// The condition for another round, the selector where the loop has several exits, and the exits.
    fn decision(&mut self, state: State, start: FlowNodeId) -> (ValueId, Option<ValueId>, Vec<FlowNodeId>) {
        match state {
            State::Two { test, yes, no } if yes == start => (test, None, vec![no]),
            State::Two { test, yes, .. } => (self.negate(test), None, vec![yes]),
            State::Many { which, mut labels } => {
                labels.retain(|&n| n != start);
                (self.is_label(which, start), Some(which), labels)
            }
            // Every loop here has an exit and a way on.
            State::One(_) => unreachable!("a loop ends in its exits and its start"),
        }
    }

    fn parts(&self, l: LoopId) -> Emitted<Parts> {
        let header = self.loops[l].header;
        let exits = &self.exits[l.0 as usize];
        if exits.is_empty() {
            let span = self.loops[l].nodes.iter().find_map(|&n| self.graph[n].span.clone());
            let d = Diagnostic::error(codes::JUMPS, "a loop without an exit")
                .at_opt(span, "it goes on from here");
            return Err(vec![d.help("leave it under some condition: a call of the function must return")]);
        }
        let mut deciding: BTreeSet<FlowNodeId> = exits.iter().map(|e| e.0).collect();
        let mut work: Vec<FlowNodeId> = deciding.iter().copied().collect();
        while let Some(n) = work.pop() {
            let before = self.before[n.0 as usize].iter().filter(|_| n != header);
            work.extend(before.filter(|&&p| deciding.insert(p)));
        }
        let goes_on = |e: &Self, n: FlowNodeId, deciding: &BTreeSet<FlowNodeId>| -> Vec<FlowNodeId> {
            let next = e.next(n, Some(l)).into_iter().filter(|&to| e.loops.is_in(to, Some(l)));
            next.filter(|to| *to == header || !deciding.contains(to)).collect()
        };
        let rank = |n: FlowNodeId| if n == header { usize::MAX } else { self.rank[n.0 as usize] };
        let mut starts: BTreeSet<(usize, FlowNodeId)> =
            (deciding.iter()).flat_map(|&n| goes_on(self, n, &deciding)).map(|n| (rank(n), n)).collect();
        while starts.len() > 1 {
            let (_, first) = starts.pop_first().expect("several");
            deciding.insert(first);
            starts.extend(goes_on(self, first, &deciding).into_iter().map(|n| (rank(n), n)));
        }
        let &(_, start) = starts.first().expect("a loop goes on");
        let rest = (self.loops[l].nodes.iter().copied())
            .filter(|&n| self.stands_in(n, Some(l)) && !deciding.contains(&n))
            .collect();
        Ok(Parts { deciding, rest, start })
    }
}
