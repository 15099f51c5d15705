//! How the values of an iteration follow from what a loop carries round, and when they are there.
//!
//! When a value is there is counted in ops from the start of an iteration, along what the loop carries: from those iteration arguments
//! that it comes back to. What else is in the loop waits for no iteration, words of arrays among it: which iteration stored them is not
//! looked at. Ops count as their units take cycles, roughly; an inner loop is one op of all that it uses.

use crate::edit;
use crate::ir::{BlockId, Func, Kind, OpId, ValueId};
use loom_dfg::OpKind;
use std::collections::BTreeMap;

/// Ops that a multiplication, a load and a whole loop count for.
const PRODUCT: u32 = 2;
const LOAD: u32 = 3;
const LOOP: u32 = 16;

/// When a value is there, in ops from the start of an iteration; what waits for none comes before all that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrival {
    /// Whether it waits for what is carried.
    waits: bool,
    ops: u32,
}

impl Arrival {
    pub const EARLY: Arrival = Arrival { waits: false, ops: 0 };

    /// That of a value among those that wait; any other is early.
    pub fn of(value: ValueId, arrivals: &BTreeMap<ValueId, Arrival>) -> Arrival {
        arrivals.get(&value).copied().unwrap_or(Arrival::EARLY)
    }

    /// When the result of an op is there.
    pub fn then(self, other: Arrival, ops: u32) -> Arrival {
        let last = self.max(other);
        Arrival { ops: last.ops + ops, ..last }
    }
}

/// A set of iteration arguments of a loop.
pub(super) type Arguments = u128;

/// A value that is made of others.
struct Way {
    from: Vec<ValueId>,
    to: ValueId,
    ops: u32,
}

/// How values of one iteration follow from those that it begins with.
pub(super) struct Round {
    /// The loop's own ops, those of inner loops left out.
    pub ops: Vec<OpId>,
    /// In the order of the program.
    ways: Vec<Way>,
    /// Its iteration arguments.
    begins: Vec<ValueId>,
    /// From which arguments a value follows, and which of the next iteration follow from it.
    before: BTreeMap<ValueId, Arguments>,
    after: BTreeMap<ValueId, Arguments>,
}

impl Round {
    /// That of a loop which carries something.
    pub fn new(func: &Func, of: OpId) -> Option<Round> {
        let record = func.op(of);
        let blocks: Vec<BlockId> = record.regions.iter().filter_map(|&r| func.entry(r)).collect();
        let (begins, ends) = match (&record.kind, &blocks[..]) {
            (Kind::For { .. }, &[body]) => (&func.block(body).arguments[1..], body),
            (Kind::While, &[first, body]) => (&func.block(first).arguments[..], body),
            _ => return None,
        };
        if begins.is_empty() || begins.len() > Arguments::BITS as usize {
            return None;
        }
        let next = func.op(func.terminator(ends)?).operands.clone();
        let mut round = Round {
            ops: Vec::new(),
            ways: Vec::new(),
            begins: begins.to_vec(),
            before: BTreeMap::new(),
            after: BTreeMap::new(),
        };
        let mut decides = None;
        for &block in &blocks {
            round.add(func, block);
            let end = func.op(func.terminator(block)?);
            if end.kind == Kind::Condition {
                decides = end.operands.first().copied();
                let given = end.operands[1..].iter().zip(&func.block(blocks[1]).arguments);
                round.ways.extend(given.map(|(&from, &to)| Way { from: vec![from], to, ops: 0 }));
            }
        }
        round.close(&next, decides);
        Some(round)
    }

    fn add(&mut self, func: &Func, block: BlockId) {
        for &op in &func.block(block).ops {
            let record = func.op(op);
            let (mut from, ops) = match &record.kind {
                kind if kind.is_loop() => {
                    let used = edit::used_from_outside(func, &record.regions);
                    (record.operands.iter().copied().chain(used).collect(), LOOP)
                }
                Kind::Load => (record.operands.clone(), LOAD),
                Kind::Scalar(scalar) => (record.operands.clone(), ops_of(scalar.kind())),
                _ => (record.operands.clone(), 1),
            };
            if record.kind == Kind::If {
                let sides: Vec<BlockId> = record.regions.iter().filter_map(|&r| func.entry(r)).collect();
                sides.iter().for_each(|&side| self.add(func, side));
                from.extend(
                    sides.iter().filter_map(|&s| func.terminator(s)).flat_map(|end| &func.op(end).operands),
                );
            }
            self.ops.push(op);
            self.ways.extend(record.results.iter().map(|&to| Way { from: from.clone(), to, ops }));
        }
    }

    /// Follows all values forwards and backwards.
    fn close(&mut self, next: &[ValueId], decides: Option<ValueId>) {
        for (k, &argument) in self.begins.iter().enumerate() {
            *self.before.entry(argument).or_default() |= 1 << k;
        }
        for way in &self.ways {
            let all = way.from.iter().filter_map(|v| self.before.get(v)).fold(0, |all, of| all | of);
            *self.before.entry(way.to).or_default() |= all;
        }
        for (k, &value) in next.iter().enumerate() {
            *self.after.entry(value).or_default() |= 1 << k;
        }
        // Whether there is a next iteration, all of its arguments wait for.
        if let Some(decides) = decides {
            *self.after.entry(decides).or_default() = Arguments::MAX;
        }
        for way in self.ways.iter().rev() {
            let all = self.after.get(&way.to).copied().unwrap_or(0);
            for &from in &way.from {
                *self.after.entry(from).or_default() |= all;
            }
        }
    }

    /// The arguments that a value follows from and, in however many iterations, comes back to.
    pub fn leads_back(&self, value: ValueId) -> Option<Arguments> {
        let (before, after) = (self.before.get(&value)?, self.after.get(&value)?);
        let each = |of: Arguments| (0..self.begins.len()).filter(move |k| of >> k & 1 == 1);
        let mut reached = *after;
        loop {
            let more = each(reached).filter_map(|k| self.after.get(&self.begins[k]));
            let all = more.fold(reached, |all, of| all | of);
            if all == reached {
                break;
            }
            reached = all;
        }
        Some(before & reached).filter(|&of| of != 0)
    }

    /// When values are there that follow from some arguments.
    pub fn arrivals(&self, of: Arguments) -> BTreeMap<ValueId, Arrival> {
        let begins = self.begins.iter().enumerate().filter(|(k, _)| of >> k & 1 == 1);
        let mut arrivals: BTreeMap<ValueId, Arrival> =
            begins.map(|(_, &v)| (v, Arrival { waits: true, ops: 0 })).collect();
        for way in &self.ways {
            let last = way.from.iter().filter_map(|v| arrivals.get(v)).max().copied();
            if let Some(last) = last {
                arrivals.insert(way.to, last.then(Arrival::EARLY, way.ops));
            }
        }
        arrivals
    }
}

/// How many ops an op counts for.
pub(super) fn ops_of(kind: OpKind) -> u32 {
    match kind {
        OpKind::Muli => PRODUCT,
        OpKind::Extsi | OpKind::Extui | OpKind::Trunci | OpKind::IndexCast | OpKind::IndexCastui => 0,
        _ => 1,
    }
}
