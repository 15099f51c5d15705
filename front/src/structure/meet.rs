//! Where sides meet that parted: the operation they become, its results, and the selector that says in which label each ended.
//!
//! The results are the variables that a side changed and that are live at its labels, in as few values as there can be.

use super::emit::{Choice, Emitted, Emitter, State};
use super::graph::FlowNodeId;
use crate::bits::Bits;
use crate::ir::{BlockId, Kind, RegionId, ValueId, ValueType};
use loom_dfg::{Op, OpKind, Type};
use std::collections::{BTreeMap, BTreeSet};

/// A side that was written.
pub struct Ended {
    pub region: RegionId,
    pub block: BlockId,
    pub state: State,
    /// The variables that it changed, and what they are at its end.
    pub changed: BTreeMap<ValueId, ValueId>,
}

/// One result of sides that meet: the variables it stands for, and what each side gives.
struct Meeting {
    variables: Vec<ValueId>,
    values: Vec<Option<ValueId>>,
}

impl Emitter<'_, '_> {
    /// The operation that ends sides: `scf.if`, `scf.index_switch`, or a select for each value when no side does
    /// anything.
    pub fn meet(&mut self, choice: Choice, sides: Vec<Ended>, first: usize) -> Emitted<State> {
        let mut labels: Vec<FlowNodeId> = sides.iter().flat_map(|s| s.state.labels()).collect();
        labels.sort();
        labels.dedup();
        let differ = self.differences(&sides, first);
        let flat = sides.iter().all(|s| self.out.block(s.block).ops.is_empty());
        let scalars = differ.iter().all(|d| self.graph.ty(d.variables[0]).scalar().is_some());
        match (&choice, &sides[..]) {
            (&Choice::Test(test), [a, b]) if flat && scalars => {
                let (a, b) = (a.state.clone(), b.state.clone());
                for Meeting { variables, values } in differ {
                    let (Some(yes), Some(no)) = (values[0], values[1]) else { continue };
                    let value = self.select(test, yes, no);
                    variables.into_iter().for_each(|v| self.set(v, value));
                }
                if let Some(state) = self.decided(&a, &b, test) {
                    return Ok(state);
                }
                let [a, b] = [a, b].map(|s| self.selector(&s, &labels));
                let which = self.select(test, a, b);
                Ok(self.state(which, labels))
            }
            _ => self.structured(choice, sides, differ, labels),
        }
    }

    /// What sides give that differs, in as few results as there can be: where no label of a side reads a variable, it may be
    /// anything, and variables that are never wanted together share one result.
    fn differences(&mut self, sides: &[Ended], first: usize) -> Vec<Meeting> {
        let live: Vec<Bits> = sides.iter().map(|s| self.live_at(&s.state.labels())).collect();
        let changed: BTreeSet<ValueId> = sides.iter().flat_map(|s| s.changed.keys().copied()).collect();
        let mut differ: Vec<Meeting> = Vec::new();
        for v in changed {
            let old = self.env[v.0 as usize];
            let values: Vec<Option<ValueId>> = (sides.iter().zip(&live))
                .map(|(s, live)| s.changed.get(&v).copied().or(old).filter(|_| live.has(v.0)))
                .collect();
            let mut known = values.iter().flatten();
            let Some(&one) = known.next() else { continue };
            if known.all(|&x| x == one) && self.is_from_before(one, first) {
                self.set(v, one);
                continue;
            }
            let fits = |r: &&mut Meeting| {
                self.graph.ty(r.variables[0]) == self.graph.ty(v)
                    && r.values.iter().zip(&values).all(|(a, b)| a.is_none() || b.is_none() || a == b)
            };
            match differ.iter_mut().find(fits) {
                Some(result) => {
                    result.variables.push(v);
                    result.values.iter_mut().zip(values).for_each(|(a, b)| *a = a.or(b));
                }
                None => differ.push(Meeting { variables: vec![v], values }),
            }
        }
        differ
    }

    /// The variables that are live at any of some nodes.
    pub fn live_at(&self, nodes: &[FlowNodeId]) -> Bits {
        let mut live = Bits::new(self.graph.variables());
        nodes.iter().for_each(|n| live.add_all(&self.live[n.0 as usize]));
        live
    }

    /// Whether a value can be used in front of the values from `first` on.
    pub fn is_from_before(&self, value: ValueId, first: usize) -> bool {
        (value.0 as usize) < first || crate::edit::constant(&self.out, value).is_some()
    }

    /// Where two sides without selectors lead.
    fn decided(&self, a: &State, b: &State, test: ValueId) -> Option<State> {
        match (a, b) {
            (State::One(yes), State::One(no)) if yes == no => Some(State::One(*yes)),
            (&State::One(yes), &State::One(no)) => Some(State::Two { test, yes, no }),
            _ => None,
        }
    }

    fn structured(
        &mut self,
        choice: Choice,
        sides: Vec<Ended>,
        differ: Vec<Meeting>,
        labels: Vec<FlowNodeId>,
    ) -> Emitted<State> {
        let known = match (&choice, &sides[..]) {
            (&Choice::Test(test), [a, b]) => self.decided(&a.state, &b.state, test),
            _ => labels.iter().map(|&n| State::One(n)).next().filter(|_| labels.len() == 1),
        };
        let mut types: Vec<ValueType> =
            differ.iter().map(|d| self.graph.ty(d.variables[0]).clone()).collect();
        if known.is_none() {
            types.push(ValueType::Scalar(if labels.len() == 2 { Type::I1 } else { Type::Index }));
        }
        let outer = self.at;
        let mut regions = Vec::new();
        for (k, side) in sides.iter().enumerate() {
            regions.push(side.region);
            self.at = side.block;
            let mut values = Vec::new();
            for result in &differ {
                values.push(match result.values[k] {
                    Some(value) => value,
                    None => self.nothing(result.variables[0])?,
                });
            }
            if known.is_none() {
                values.push(self.selector(&side.state, &labels));
            }
            self.out.push_op(side.block, Kind::Yield, &values, &[]);
        }
        self.at = outer;
        let op = match choice {
            Choice::Test(test) => {
                let otherwise = &mut self.out.regions[regions[1].0 as usize].blocks;
                if types.is_empty() && self.out.blocks[otherwise[0].0 as usize].ops.len() == 1 {
                    otherwise.clear();
                }
                self.out.push_op(outer, Kind::If, &[test], &types)
            }
            Choice::Cases(index, cases) => {
                self.out.push_op(outer, Kind::IndexSwitch { cases }, &[index], &types)
            }
        };
        self.out.op_mut(op).regions = regions;
        self.out.op_mut(op).span.clone_from(&self.span);
        for (k, result) in differ.iter().enumerate() {
            let value = self.out.result(op, k);
            self.name(value, result.variables[0]);
            result.variables.iter().for_each(|&v| self.set(v, value));
        }
        let which = self.out.op(op).results.last().copied();
        Ok(match (known, which) {
            (Some(state), _) => state,
            (None, which) => self.state(which.expect("a selector is the last result"), labels),
        })
    }

    /// The state of a selector: true for the first of two labels, else a label's number.
    fn state(&self, which: ValueId, labels: Vec<FlowNodeId>) -> State {
        match labels[..] {
            [yes, no] => State::Two { test: which, yes, no },
            _ => State::Many { which, labels },
        }
    }

    /// The selector that says about some labels what a state says about its own.
    fn selector(&mut self, state: &State, labels: &[FlowNodeId]) -> ValueId {
        match (state, labels) {
            (State::One(n), [first, _]) => self.literal(u64::from(n == first), Type::I1),
            (&State::Two { test, yes, .. }, [first, _]) if yes == *first => test,
            (&State::Two { test, .. }, [_, _]) => self.negate(test),
            (&State::Many { which, .. }, [first, _]) => self.is_label(which, *first),
            (State::One(n), _) => self.literal(n.0.into(), Type::Index),
            (&State::Two { test, yes, no }, _) => {
                let [yes, no] = [yes, no].map(|n| self.literal(n.0.into(), Type::Index));
                self.scalar(Op::Plain(OpKind::Select), &[test, yes, no], Type::Index)
            }
            (&State::Many { which, .. }, _) => which,
        }
    }
}
