//! Which loops are unrolled so that small arrays become values.
//!
//! `for i, j, k < 2: c[i][j] += a[i][k] * b[k][j]`, written out or made by a template: as loops that is a nest of streams around memories of
//! four words, each with lanes, an order of its accesses and a way in and out; written out it is eight products and four sums of values
//! ([`super::registers`]). So a local array of a few words, and a constant table, wants the loops that its subscripts count on to be
//! unrolled; these must all be short, their copies must not be many more ops than they are now, and what else they access has a lane for
//! each copy. What runs once a call is unrolled only where that is no more ops and accesses. Where one of an array's loops is not unrolled, the array stays memory, and then its other loops gain nothing either.

use super::registers::{self, MOST_WORDS};
use super::unroll::known_numbers;
use crate::depend::induction_value;
use crate::edit::{self, Parents};
use crate::hints::Unroll;
use crate::ir::{Func, Global, Kind, OpId, ValueDef, ValueId};
use crate::passes::Aim;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

/// Iterations of such a loop.
const MOST_TRIPS: u64 = 16;
/// Copies of one op.
const MOST_COPIES: u64 = 64;
/// Accesses that a nest gets more by copies of those that stay: none for room.
const MOST_ADDED: u64 = 8;
/// What an access of a memory on chip counts there, which has few lanes.
const LANES_ON_CHIP: u64 = 4;
/// What the ops may become, in those that they are, where cycles matter.
const MORE: u64 = 3;
/// Ops that an access is with its order, a loop with its test, and a value that a loop carries; and what an op costs whose units are few.
const OPS_OF_ACCESS: u64 = 3;
const OPS_OF_LOOP: u64 = 2;
const OPS_OF_CARRIED: u64 = 2;
const OPS_OF_FLOAT: u64 = 3;

/// Gives those loops the hint to be unrolled.
pub fn mark(func: &mut Func, globals: &[Global], index_width: u32, aim: Aim) {
    for op in loops(func, globals, index_width, aim) {
        func.op_mut(op).hints.unroll = Some(Unroll::Fully);
    }
}

fn loops(func: &Func, globals: &[Global], index_width: u32, aim: Aim) -> BTreeSet<OpId> {
    let walked = edit::walk(func);
    let trips = short_loops(func, &walked, index_width);
    if trips.is_empty() {
        return BTreeSet::new();
    }
    let counted = counted(func, &walked, &trips, globals);
    let parents = Parents::new(func);
    let mut small = Small { func, aim, trips, counted, parents, arrays: BTreeMap::new() };
    small.arrays = small.candidates(&walked, globals);
    for (alloc, _) in registers::found(func, aim, index_width) {
        small.arrays.entry(func.result(alloc, 0)).and_modify(|array| array.is = Is::Turning);
    }
    let mut refused = BTreeSet::new();
    loop {
        let own = small.arrays.values().filter(|array| array.is != Is::Table);
        let mut wanted: BTreeSet<OpId> = own.flat_map(|array| array.loops.iter().copied()).collect();
        wanted.retain(|at| !refused.contains(at));
        small.arrays.retain(|_, array| array.is != Is::Table || array.loops.is_subset(&wanted));
        let worthless: Vec<OpId> =
            wanted.iter().copied().filter(|&at| !small.is_worth_it(at, &wanted)).collect();
        if worthless.is_empty() {
            return wanted;
        }
        refused.extend(worthless);
        small.arrays.retain(|_, array| array.is != Is::Local || array.loops.is_disjoint(&refused));
    }
}

/// The loops that run a few times, and how often.
fn short_loops(func: &Func, walked: &[OpId], index_width: u32) -> BTreeMap<OpId, u64> {
    let may_be = |op: &OpId| func.op(*op).hints.unroll != Some(Unroll::By(NonZeroU32::MIN));
    let short = walked.iter().copied().filter(may_be).filter_map(|op| {
        let trips = known_numbers(func, op, index_width)?.trips;
        (1..=MOST_TRIPS).contains(&trips).then_some((op, trips))
    });
    short.collect()
}

/// What literals, constant tables and the numbers of such loops alone decide, each with those loops.
fn counted(
    func: &Func,
    walked: &[OpId],
    trips: &BTreeMap<OpId, u64>,
    globals: &[Global],
) -> BTreeMap<ValueId, BTreeSet<OpId>> {
    let mut counted: BTreeMap<ValueId, BTreeSet<OpId>> = BTreeMap::new();
    for &op in walked {
        let record = func.op(op);
        match record.kind {
            Kind::For { .. } if trips.contains_key(&op) => {
                counted.extend(induction_value(func, op).map(|number| (number, BTreeSet::from([op]))));
            }
            Kind::Constant(_) => drop(counted.insert(record.results[0], BTreeSet::new())),
            Kind::Scalar(_) | Kind::Load => {
                let (table, numbers) = record.operands.split_at(record.address().len().min(1));
                if table.iter().any(|&memref| edit::table(func, memref, globals).is_none()) {
                    continue;
                }
                let of: Option<Vec<_>> = numbers.iter().map(|v| counted.get(v)).collect();
                if let Some(of) = of {
                    let of: BTreeSet<OpId> = of.into_iter().flatten().copied().collect();
                    counted.extend(record.results.iter().map(|&v| (v, of.clone())));
                }
            }
            _ => {}
        }
    }
    counted
}

/// A small array.
struct Array {
    is: Is,
    /// Whether a loop that stays one goes around some access: what runs once a call is not worth copies.
    is_busy: bool,
    /// What its subscripts count on.
    loops: BTreeSet<OpId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Is {
    /// It becomes values where all of its loops are unrolled.
    Local,
    /// It becomes values as it is, in loops that turn it, and copies of what else they do are no gain.
    Turning,
    /// A constant table. Its words are literals, for which alone nothing is unrolled.
    Table,
}

struct Small<'f> {
    func: &'f Func,
    aim: Aim,
    trips: BTreeMap<OpId, u64>,
    counted: BTreeMap<ValueId, BTreeSet<OpId>>,
    parents: Parents,
    /// What may become values.
    arrays: BTreeMap<ValueId, Array>,
}

impl Small<'_> {
    /// Local arrays of few words that nothing but loads and stores touches, and constant tables, where unrolled loops leave literals alone
    /// as their subscripts.
    fn candidates(&self, walked: &[OpId], globals: &[Global]) -> BTreeMap<ValueId, Array> {
        let func = self.func;
        let mut arrays = BTreeMap::new();
        for &op in walked {
            let is = match &func.op(op).kind {
                Kind::Alloc { .. } => {
                    let words = func.ty(func.result(op, 0)).memref().and_then(|m| m.words());
                    words.filter(|&words| words <= MOST_WORDS as i64).map(|_| Is::Local)
                }
                Kind::GetGlobal(_) => edit::table(func, func.result(op, 0), globals).map(|_| Is::Table),
                _ => None,
            };
            let array = is.map(|is| Array { is, is_busy: false, loops: BTreeSet::new() });
            arrays.extend(array.map(|array| (func.result(op, 0), array)));
        }
        for &op in walked {
            let record = func.op(op);
            let own = record.address().first();
            let looks = record.kind != Kind::Dealloc && !record.kind.is_view();
            for &v in record.operands.iter().filter(|&v| func.ty(*v).memref().is_some()) {
                let of = edit::viewed(func, v);
                let Some(array) = arrays.get_mut(&of) else { continue };
                let subscripts = record.address().iter().skip(1).map(|s| self.counted.get(s));
                match subscripts.collect::<Option<Vec<_>>>() {
                    Some(counts_on) if Some(&v) == own => {
                        array.loops.extend(counts_on.into_iter().flatten());
                    }
                    Some(_) if !looks => {}
                    // What else takes it may look at all of it.
                    _ => drop(arrays.remove(&of)),
                }
            }
        }
        arrays.retain(|_, array| !array.loops.is_empty());
        self.find_busy(walked, &mut arrays);
        arrays
    }

    /// Which of them are accessed in loops that no array wants to be unrolled.
    fn find_busy(&self, walked: &[OpId], arrays: &mut BTreeMap<ValueId, Array>) {
        let wanted: BTreeSet<OpId> = arrays.values().flat_map(|array| array.loops.iter().copied()).collect();
        let is_loop = |at: &OpId| self.func.op(*at).kind.is_loop();
        for &op in walked {
            let memref = self.func.op(op).address().first().map(|&memref| edit::viewed(self.func, memref));
            if let Some(array) = memref.and_then(|memref| arrays.get_mut(&memref)) {
                let mut around = self.parents.around(op).into_iter();
                array.is_busy |= around.any(|at| is_loop(&at) && !wanted.contains(&at));
            }
        }
    }

    /// How many copies there are of what stands in these loops.
    fn copies(&self, op: OpId, wanted: &BTreeSet<OpId>) -> u64 {
        let around = self.parents.around(op);
        around.iter().filter(|at| wanted.contains(at)).map(|at| self.trips[at]).fold(1, u64::saturating_mul)
    }

    fn is_on_chip(&self, access: OpId) -> bool {
        let memref = self.func.op(access).address().first().map(|&memref| edit::viewed(self.func, memref));
        let made_by = memref.map(|memref| self.func.value(memref).def);
        matches!(made_by, Some(ValueDef::Result { op, .. }) if matches!(self.func.op(op).kind, Kind::Alloc { .. }))
    }

    /// Whether what becomes of a nest is not much more than it is; of a loop in another one that is unrolled, the outermost one answers.
    fn is_worth_it(&self, at: OpId, wanted: &BTreeSet<OpId>) -> bool {
        if self.parents.around(at).iter().any(|o| *o != at && wanted.contains(o)) {
            return true;
        }
        let func = self.func;
        let inside = edit::walk_inside(func, at);
        let (mut before, mut after, mut added, mut is_busy) = (0, 0, 0, false);
        for &op in inside.iter().chain([&at]) {
            let record = func.op(op);
            let copies = if op == at { 1 } else { self.copies(op, wanted) };
            let array = record.address().first().and_then(|&v| self.arrays.get(&edit::viewed(func, v)));
            match &record.kind {
                Kind::Alloc { .. } => return false,
                _ if copies > MOST_COPIES => return false,
                Kind::Load | Kind::Store if array.is_some() => {
                    is_busy |= array.is_some_and(|array| array.is == Is::Local && array.is_busy);
                    before += OPS_OF_ACCESS;
                }
                Kind::Load | Kind::Store | Kind::Fence | Kind::While => {
                    before += OPS_OF_ACCESS;
                    after += OPS_OF_ACCESS * copies;
                    added += (copies - 1) * if self.is_on_chip(op) { LANES_ON_CHIP } else { 1 };
                }
                Kind::For { .. } => {
                    let ops = OPS_OF_LOOP + OPS_OF_CARRIED * record.results.len() as u64;
                    before += ops;
                    after += if wanted.contains(&op) { 0 } else { ops * copies };
                }
                Kind::Scalar(_) => {
                    let folds = record.results.iter().all(|v| self.counted.contains_key(v));
                    let is_float =
                        record.results.iter().any(|&v| func.ty(v).scalar().is_some_and(|t| t.is_float()));
                    let ops = if is_float { OPS_OF_FLOAT } else { 1 };
                    before += ops;
                    after += if folds { 0 } else { ops * copies };
                }
                _ => {}
            }
        }
        match self.aim == Aim::Speed && is_busy {
            true => added <= MOST_ADDED && after <= MORE * before,
            false => added == 0 && after <= before,
        }
    }
}
