//! Memory that is a few words at known places becomes values: what C keeps in a local struct is a register of the loops around.
//!
//! A word that all of a function's accesses name by literals need not be memory: each load takes what the store before it stored, and
//! ifs and loops that store to it carry it, as they do the variables that C's own `sroa` finds. LLVM leaves those beside an
//! array that is indexed, since there they are one object; here they are memories of their own (`loom_llvm`'s words).
//! What is read before it is written is any value, as memory's is.
//!
//! [`Carrier`] is the step itself, for [`super::promote`] too: it takes one word through ifs and loops in a single walk.

use crate::edit::{self, Changes, Parents};
use crate::ir::{Func, Kind, OpId, ValueId, ValueType};
use std::collections::{BTreeMap, BTreeSet};

/// Most words of an allocation that become values; a table that is larger costs less in memory.
const MOST_WORDS: usize = 16;

/// The accesses of each word of an allocation.
type Words = BTreeMap<Vec<i64>, Vec<OpId>>;

/// Makes values of all words of such allocations.
pub fn run(func: &mut Func) {
    let found = found(func);
    if found.is_empty() {
        return;
    }
    let parents = Parents::new(func);
    for (alloc, words) in found {
        let block = parents.block(alloc).expect("it is in a block");
        let element = func.ty(func.result(alloc, 0)).memref().map(|m| ValueType::Scalar(m.element));
        let element = element.expect("it is an allocation");
        for accesses in words.into_values() {
            let first = func.create_op(Kind::Poison, &[], std::slice::from_ref(&element));
            edit::insert_before(func, block, alloc, first);
            let now = func.result(first, 0);
            let ops = func.block(block).ops.clone();
            let mut carrier = Carrier::new(func, &parents, &accesses, element.clone());
            carrier.through(func, &ops, now);
            carrier.finish(func);
        }
    }
}

/// Whether there is none left.
pub fn holds(func: &Func) -> bool {
    found(func).is_empty()
}

/// The allocations of which all words can be values.
fn found(func: &Func) -> Vec<(OpId, Words)> {
    let mut words: BTreeMap<OpId, Option<Words>> = BTreeMap::new();
    let walked = edit::walk(func);
    let mut of: BTreeMap<ValueId, OpId> = BTreeMap::new();
    let is_alloc = |op: OpId| matches!(func.op(op).kind, Kind::Alloc { .. });
    for &op in walked.iter().filter(|&&op| is_alloc(op) && func.op(op).operands.is_empty()) {
        of.insert(func.result(op, 0), op);
        words.insert(op, Some(Words::new()));
    }
    for &op in walked.iter().filter(|_| !of.is_empty()) {
        let record = func.op(op);
        let at = match record.address() {
            [memref, subscripts @ ..] => {
                let shape = func.ty(*memref).memref().map_or(&[][..], |m| &m.shape[..]);
                let known = subscripts.iter().zip(shape).map(|(&s, extent)| {
                    edit::constant_int(func, s).filter(|n| extent.is_some_and(|words| (0..words).contains(n)))
                });
                of.get(memref).copied().zip(Some(known.collect::<Option<Vec<_>>>()))
            }
            [] => None,
        };
        if let Some((alloc, known)) = at.clone() {
            let entry = words.get_mut(&alloc).expect("it is listed");
            match (entry.as_mut(), known) {
                (Some(words), Some(subscripts)) => words.entry(subscripts).or_default().push(op),
                _ => *entry = None,
            }
        }
        // Whatever else takes it, but what ends its life, may look at all of it.
        let others = record.operands.iter().filter(|v| at.is_none() || Some(*v) != record.address().first());
        for alloc in others.filter_map(|v| of.get(v)).filter(|_| record.kind != Kind::Dealloc) {
            words.insert(*alloc, None);
        }
    }
    let few = |words: Words| Some(words).filter(|w| (1..=MOST_WORDS).contains(&w.len()));
    words.into_iter().filter_map(|(alloc, words)| Some((alloc, few(words?)?))).collect()
}

/// Takes one word through a function: of its accesses none is left where it has been.
pub(super) struct Carrier {
    accesses: BTreeSet<OpId>,
    /// What has one inside.
    touches: BTreeSet<OpId>,
    /// What has a store inside.
    stores: BTreeSet<OpId>,
    ty: ValueType,
    changes: Changes,
}

impl Carrier {
    /// For the accesses of a word, which are of a type; all that touch it where it goes.
    pub fn new(func: &Func, parents: &Parents, accesses: &[OpId], ty: ValueType) -> Carrier {
        let around = |&op: &OpId| parents.around(op);
        let stored = accesses.iter().filter(|&&op| func.op(op).kind == Kind::Store);
        Carrier {
            accesses: accesses.iter().copied().collect(),
            touches: accesses.iter().flat_map(around).collect(),
            stores: stored.flat_map(around).collect(),
            ty,
            changes: Changes::default(),
        }
    }

    /// Whether it can go through an operation: an if, a loop or what has no access inside.
    pub fn passes(&self, func: &Func, op: OpId) -> bool {
        !self.touches.contains(&op) || matches!(func.op(op).kind, Kind::If | Kind::For { .. } | Kind::While)
    }

    /// Through operations of one block; `now` is the word before them. Gives the word behind them.
    pub fn through(&mut self, func: &mut Func, ops: &[OpId], mut now: ValueId) -> ValueId {
        for &op in ops {
            if self.accesses.contains(&op) {
                match func.op(op).kind {
                    Kind::Load => self.changes.replace(func.result(op, 0), now),
                    _ => now = func.op(op).operands[0],
                }
                self.changes.erase(op);
            } else if self.touches.contains(&op) {
                now = self.inside(func, op, now);
            }
        }
        now
    }

    /// Makes the changes.
    pub fn finish(self, func: &mut Func) {
        self.changes.apply(func);
    }

    /// Through an if or a loop, which carries the word where it is stored to.
    fn inside(&mut self, func: &mut Func, op: OpId, now: ValueId) -> ValueId {
        let is_stored = self.stores.contains(&op);
        let is_loop = func.op(op).kind != Kind::If;
        if is_stored && is_loop {
            func.op_mut(op).operands.push(now);
        }
        for region in func.op(op).regions.clone() {
            let block = match func.entry(region) {
                Some(block) => block,
                None if is_stored => edit::idle_block(func, region),
                None => continue,
            };
            let begins = match is_stored && is_loop {
                true => func.add_argument(block, "", self.ty.clone()),
                false => now,
            };
            let ops = func.block(block).ops.clone();
            let ends = self.through(func, &ops, begins);
            if is_stored {
                let last = func.terminator(block).expect("a region ends with a terminator");
                func.op_mut(last).operands.push(ends);
            }
        }
        match is_stored {
            true => func.add_result(op, self.ty.clone()),
            false => now,
        }
    }
}
