//! Memory that is a few words at known places becomes values: what C keeps in a local struct is a register of the loops around.
//!
//! A word that all of a function's accesses name by literals need not be memory: each load takes what the store before it stored, and
//! ifs and loops that store to it carry it, as they do the variables that C's own `sroa` finds. LLVM leaves those beside an
//! array that is indexed, since there they are one object; here they are memories of their own (`loom_llvm`'s words). Where loops go
//! through such an array, its words turn in them ([`super::turn`]).
//! What is read before it is written is any value, as memory's is.
//!
//! [`Carrier`] is the step itself, for [`super::promote`] too: it takes words through ifs and loops in a single walk.

use super::turn::{Places, Turning};
use crate::edit::{self, Changes, Parents};
use crate::ir::{Func, Kind, OpId, ValueId, ValueType};
use crate::passes::Aim;
use std::collections::{BTreeMap, BTreeSet};

/// Most words of an allocation that become values; a table that is larger costs less in memory.
pub(super) const MOST_WORDS: usize = 16;

/// Makes values of all words of such allocations.
pub fn run(func: &mut Func, aim: Aim, index_width: u32) {
    let found = found(func, aim, index_width);
    if found.is_empty() {
        return;
    }
    let parents = Parents::new(func);
    for (alloc, places) in found {
        let block = parents.block(alloc).expect("it is in a block");
        let element = func.ty(func.result(alloc, 0)).memref().map(|m| ValueType::Scalar(m.element));
        let element = element.expect("it is an allocation");
        let first = |_| {
            let first = func.create_op(Kind::Poison, &[], std::slice::from_ref(&element));
            edit::insert_before(func, block, alloc, first);
            func.result(first, 0)
        };
        let mut now: Vec<ValueId> = (0..places.count).map(first).collect();
        let ops = func.block(block).ops.clone();
        let mut carrier = Carrier::new(func, &parents, places, element);
        carrier.through(func, &ops, &mut now);
        carrier.finish(func);
    }
}

/// Whether there is none left.
pub fn holds(func: &Func, aim: Aim, index_width: u32) -> bool {
    found(func, aim, index_width).is_empty()
}

/// The allocations of which all words can be values, as it stands.
pub(super) fn found(func: &Func, aim: Aim, index_width: u32) -> Vec<(OpId, Places)> {
    let walked = edit::walk(func);
    let mut accesses: BTreeMap<ValueId, (OpId, Option<Vec<OpId>>)> = BTreeMap::new();
    for &op in &walked {
        let record = func.op(op);
        if matches!(record.kind, Kind::Alloc { .. }) && record.operands.is_empty() {
            accesses.insert(func.result(op, 0), (op, Some(Vec::new())));
        }
    }
    if accesses.is_empty() {
        return Vec::new();
    }
    for &op in &walked {
        let record = func.op(op);
        let own = record.address().first();
        if let Some((_, Some(of))) = own.and_then(|&memref| accesses.get_mut(&edit::viewed(func, memref))) {
            of.push(op);
        }
        // Whatever else takes it, but views and what ends its life, may look at all of it.
        let looks = record.kind != Kind::Dealloc && !record.kind.is_view();
        for &v in record.operands.iter().filter(|&v| looks && Some(v) != own) {
            accesses.entry(edit::viewed(func, v)).and_modify(|(_, of)| *of = None);
        }
    }
    let mut turning = Turning::new(func, index_width, MOST_WORDS);
    (accesses.into_values())
        .filter_map(|(alloc, of)| {
            let of = of.filter(|of| !of.is_empty())?;
            let memref = func.result(alloc, 0);
            let has_views = of.iter().any(|&op| func.op(op).address()[0] != memref);
            let places = match at_literals(func, &of) {
                None if aim == Aim::Speed && !has_views => turning.places(alloc, &of),
                places => places,
            };
            Some((alloc, places?))
        })
        .collect()
}

/// The words that accesses of an allocation are for, where they name few, all by literals.
fn at_literals(func: &Func, accesses: &[OpId]) -> Option<Places> {
    let named: Vec<i64> = accesses.iter().map(|&op| edit::literal_word(func, op)).collect::<Option<_>>()?;
    let distinct: BTreeSet<i64> = named.iter().copied().collect();
    let number: BTreeMap<i64, usize> = distinct.into_iter().zip(0..).collect();
    let words = accesses.iter().copied().zip(named.iter().map(|n| number[n])).collect();
    (number.len() <= MOST_WORDS).then(|| Places { count: number.len(), words, turns: BTreeMap::new() })
}

/// Takes words through a function: of their accesses none is left where it has been.
pub(super) struct Carrier {
    places: Places,
    /// What has an access inside.
    touches: BTreeSet<OpId>,
    /// The words that are stored to in each operation.
    stores: BTreeMap<OpId, BTreeSet<usize>>,
    ty: ValueType,
    changes: Changes,
}

impl Carrier {
    /// For all accesses of words of a type where it goes.
    pub fn new(func: &Func, parents: &Parents, places: Places, ty: ValueType) -> Carrier {
        let touches = places.words.keys().flat_map(|&op| parents.around(op)).collect();
        let mut stores: BTreeMap<OpId, BTreeSet<usize>> = BTreeMap::new();
        for (&op, &word) in places.words.iter().filter(|(&op, _)| func.op(op).kind == Kind::Store) {
            let mut stored = BTreeSet::from([word]);
            for around in parents.around(op) {
                // In a loop that turns them every word comes by.
                if places.turns.contains_key(&around) {
                    stored.extend(0..places.count);
                }
                stores.entry(around).or_default().extend(&stored);
            }
        }
        Carrier { places, touches, stores, ty, changes: Changes::default() }
    }

    /// Whether it can go through an operation: an if, a loop or what has no access inside.
    pub fn passes(&self, func: &Func, op: OpId) -> bool {
        !self.touches.contains(&op) || matches!(func.op(op).kind, Kind::If | Kind::For { .. } | Kind::While)
    }

    /// Through operations of one block; `now` are the words before them, then those behind them.
    pub fn through(&mut self, func: &mut Func, ops: &[OpId], now: &mut [ValueId]) {
        for &op in ops {
            if let Some(&word) = self.places.words.get(&op) {
                match func.op(op).kind {
                    Kind::Load => self.changes.replace(func.result(op, 0), now[word]),
                    _ => now[word] = func.op(op).operands[0],
                }
                self.changes.erase(op);
            } else if self.touches.contains(&op) {
                self.inside(func, op, now);
            }
        }
    }

    /// Makes the changes.
    pub fn finish(self, func: &mut Func) {
        self.changes.apply(func);
    }

    /// Through an if or a loop, which carries the words that are stored to or turn in it.
    fn inside(&mut self, func: &mut Func, op: OpId, now: &mut [ValueId]) {
        let stored = self.stores.get(&op).cloned().unwrap_or_default();
        let turn = self.places.turns.get(&op).copied().unwrap_or_default();
        let carried: Vec<usize> = match turn.by {
            0 => stored.iter().copied().collect(),
            _ => (0..now.len()).collect(),
        };
        let is_loop = func.op(op).kind != Kind::If;
        if is_loop {
            func.op_mut(op).operands.extend(carried.iter().map(|&word| now[word]));
        }
        for region in func.op(op).regions.clone() {
            let block = match func.entry(region) {
                Some(block) => block,
                None if !carried.is_empty() => edit::idle_block(func, region),
                None => continue,
            };
            let mut within = now.to_vec();
            for &word in carried.iter().filter(|_| is_loop) {
                within[word] = func.add_argument(block, "", self.ty.clone());
            }
            let ops = func.block(block).ops.clone();
            self.through(func, &ops, &mut within);
            if !carried.is_empty() {
                let last = func.terminator(block).expect("a region ends with a terminator");
                let ends = carried.iter().map(|&word| within[(word + turn.by) % within.len()]);
                func.op_mut(last).operands.extend(ends);
            }
        }
        for word in carried {
            let result = func.add_result(op, self.ty.clone());
            // What only turns is what it was.
            if !stored.is_empty() {
                now[(word + turn.in_all) % now.len()] = result;
            }
        }
    }
}
