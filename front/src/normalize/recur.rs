//! A word that an iteration stores and the next one loads is handed on: `a[i] = a[i - 1] + x[i]` goes through memory once an
//! iteration, and so takes as long as a load and a store; handed on, it takes as long as the sum (scalar replacement; Callahan, Carr,
//! Kennedy, PLDI 1990).
//!
//! Taken are loads that each iteration of a counting loop makes, of the word that a store in the same body, of each iteration too,
//! has stored to one iteration before, and, where there are such, two before, and so on; or that a load has loaded, of an array on chip, which
//! serves one access a cycle: `a[i - 1] + a[i] + a[i + 1]` loads once. No other store in the loop may touch the
//! word ([`crate::depend`]). What the first iterations load is loaded before the loop, under its first test where it may have no iteration;
//! it is not where it was stored just before. The words of the first iterations are loaded by the first iteration at least, so no
//! word is touched that the program does not touch. Compiled for speed alone: it takes ops.

use super::first::{computed_by, first_loads};
use super::promote::surely_runs;
use crate::depend::{induction_value, Affines, Dependences};
use crate::domain::Domains;
use crate::edit::{self, Changes, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueDef, ValueId};
use crate::passes::Aim;
use std::collections::{BTreeMap, BTreeSet};

/// Most accesses of a function that are handed on: all pairs of accesses are compared anew for each.
const MOST: usize = 32;
/// Most iterations that a word is handed on for.
const MOST_DISTANCE: i64 = 4;

/// Hands on what one access after the other has stored or loaded.
pub fn run(func: &mut Func, aim: Aim) {
    for _ in 0..MOST {
        let Some(found) = find(func, aim) else { return };
        hand_on(func, found);
    }
}

/// Whether an access could be handed on.
pub fn is_needed(func: &Func, aim: Aim) -> bool {
    find(func, aim).is_some()
}

/// An access of a loop and what loads its word later.
struct Recurrence {
    of: OpId,
    around: BlockId,
    source: OpId,
    /// By iterations, from 1.
    loads: Vec<Loads>,
    /// Whether the loop has an iteration whenever it begins.
    runs: bool,
}

/// Loads of a word that was accessed so many iterations before.
struct Loads {
    ops: Vec<OpId>,
    first: First,
}

/// What the first iteration loads.
enum First {
    /// What was stored just before the loop.
    Known(ValueId),
    /// What this load does, which each iteration makes.
    Load(OpId),
}

fn find(func: &Func, aim: Aim) -> Option<Recurrence> {
    if aim == Aim::Room {
        return None;
    }
    let parents = Parents::new(func);
    let look = Look { func, parents: &parents, affines: Affines::new(func) };
    let is_taken =
        |&op: &OpId| matches!(func.op(op).kind, Kind::For { .. }) && !func.op(op).hints.independent;
    let loops = edit::walk(func).into_iter().rev().filter(is_taken).map(|of| {
        let at_distance = |(source, load)| Some((source, load, look.distance(of, (source, load))?));
        (of, pairs(func, &parents, of).into_iter().filter_map(at_distance).collect::<Vec<_>>())
    });
    let loops: Vec<_> = loops.filter(|(_, known)| !known.is_empty()).collect();
    if loops.is_empty() {
        return None;
    }
    let deps = Dependences::new(func, &Domains::new(func));
    loops.into_iter().find_map(|(of, mut known)| {
        let inside = edit::walk_inside(func, of);
        let stores: Vec<OpId> = inside.into_iter().filter(|&o| func.op(o).kind == Kind::Store).collect();
        known.retain(|&(source, load, _)| {
            let meets = |&o: &OpId| deps.meet_within(o, load) || o != source && deps.meet_across(of, o, load);
            !stores.iter().any(meets)
        });
        let sources: BTreeSet<OpId> = known.iter().map(|k| k.0).collect();
        sources.into_iter().find_map(|source| look.recurrence(of, source, &known))
    })
}

/// A store in the body itself of a loop without fences, or a load there of an array on chip, and another load in it, of one array.
fn pairs(func: &Func, parents: &Parents, of: OpId) -> Vec<(OpId, OpId)> {
    let body = func.op(of).regions.first().and_then(|&region| func.entry(region));
    let inside = edit::walk_inside(func, of);
    if inside.iter().any(|&o| func.op(o).kind == Kind::Fence) {
        return Vec::new();
    }
    let with = |kind: Kind| inside.iter().copied().filter(move |&o| func.op(o).kind == kind);
    let mut pairs = Vec::new();
    let on_chip = |&load: &OpId| match func.value(func.op(load).address()[0]).def {
        ValueDef::Result { op, .. } => matches!(func.op(op).kind, Kind::Alloc { .. }),
        ValueDef::Argument { .. } => false,
    };
    let sources = with(Kind::Store).chain(with(Kind::Load).filter(on_chip));
    for source in sources.filter(|&o| parents.block(o) == body) {
        let array = func.op(source).address()[0];
        let same = |load: &OpId| *load != source && func.op(*load).address()[0] == array;
        let loads = with(Kind::Load).filter(same).map(|load| (source, load));
        pairs.extend(loads.filter(|_| parents.is_outside(func, array, of)));
    }
    pairs
}

struct Look<'f> {
    func: &'f Func,
    parents: &'f Parents,
    affines: Affines<'f>,
}

impl Look<'_> {
    /// How many iterations before, at least one, an access was to the word of a load, in every iteration.
    fn distance(&self, of: OpId, (source, load): (OpId, OpId)) -> Option<i64> {
        let Look { func, parents, affines } = self;
        let step = edit::moves_by(func, of)?;
        let at = induction_value(func, of)?;
        let [before, loaded] = [source, load].map(|access| &func.op(access).address()[1..]);
        computed_by(func, parents, of, &[at], loaded)?;
        let is_at = |distance: i64| {
            before.iter().zip(loaded).all(|(&s, &l)| {
                let (s, l) = (affines.of(s), affines.of(l));
                let (factor, _) = s.split(&at);
                let mut unknowns = s.unknowns().chain(l.unknowns());
                let outside = unknowns.all(|&v| v == at || parents.is_outside(func, v, of));
                let difference = step.checked_mul(distance).and_then(|by| l.plus(&s, -1)?.plus(&factor, by));
                let is_linear = !factor.unknowns().any(|&v| v == at);
                outside && is_linear && difference.is_some_and(|d| d.value() == Some(0))
            })
        };
        (1..=MOST_DISTANCE).find(|&distance| is_at(distance))
    }

    /// What of the later loads of an access can be handed on, where that is any.
    fn recurrence(&self, of: OpId, source: OpId, known: &[(OpId, OpId, i64)]) -> Option<Recurrence> {
        let body = self.func.entry(*self.func.op(of).regions.first()?);
        let around = self.parents.block(of)?;
        let at = |distance: i64| {
            let ops: Vec<OpId> =
                known.iter().filter(|k| k.0 == source && k.2 == distance).map(|k| k.1).collect();
            let each = ops.iter().copied().find(|&load| self.parents.block(load) == body);
            let stored = self.stored_just_before(around, of, *ops.first()?);
            let first = stored.map(First::Known).or(each.map(First::Load))?;
            Some(Loads { ops, first })
        };
        let loads: Vec<Loads> = (1..=MOST_DISTANCE).map_while(at).collect();
        let runs = surely_runs(self.func, self.parents, of);
        (!loads.is_empty()).then_some(Recurrence { of, around, source, loads, runs })
    }

    /// What the first iteration's word of a load holds, where the last store before the loop was to it.
    fn stored_just_before(&self, around: BlockId, of: OpId, load: OpId) -> Option<ValueId> {
        let Look { func, affines, .. } = self;
        let has_store =
            |op: OpId| edit::walk_inside(func, op).into_iter().any(|o| func.op(o).kind == Kind::Store);
        let stores = |&&op: &&OpId| func.op(op).kind == Kind::Store || has_store(op);
        let before = func.block(around).ops.iter().take_while(|&&o| o != of);
        let last = func.op(*before.filter(stores).last()?);
        let (at, lower) = (induction_value(func, of)?, affines.of(func.op(of).operands[0]));
        let is_first = |(&s, &l): (&ValueId, &ValueId)| {
            let (factor, rest) = affines.of(l).split(&at);
            let first = factor.times(&lower).and_then(|sum| rest.plus(&sum, 1)?.plus(&affines.of(s), -1));
            first.is_some_and(|difference| difference.value() == Some(0))
        };
        let address = func.op(load).address();
        let is_word = last.kind == Kind::Store && last.address()[0] == address[0];
        (is_word && last.address()[1..].iter().zip(&address[1..]).all(is_first)).then(|| last.operands[0])
    }
}

fn hand_on(func: &mut Func, found: Recurrence) {
    let Recurrence { of, around, source, loads, runs } = found;
    let body = func.entry(func.op(of).regions[0]).expect("a loop has a body");
    let word = match func.op(source).kind {
        Kind::Store => func.op(source).operands[0],
        _ => func.result(source, 0),
    };
    let ty = func.ty(word).clone();
    let made: Vec<OpId> = (loads.iter())
        .filter_map(|loads| match loads.first {
            First::Known(_) => None,
            First::Load(op) => Some(op),
        })
        .collect();
    let counter = induction_value(func, of).expect("the loop counts");
    let known = BTreeMap::from([(counter, func.op(of).operands[0])]);
    let mut made = first_loads(func, (of, around), &made, known, runs).into_iter();
    let mut changes = Changes::default();
    let mut next = word;
    let last = func.terminator(body).expect("a region ends with a terminator");
    for Loads { ops, first } in loads {
        let first = match first {
            First::Known(value) => value,
            First::Load(_) => made.next().expect("one for each"),
        };
        let handed = func.add_argument(body, "", ty.clone());
        func.op_mut(of).operands.push(first);
        func.op_mut(last).operands.push(next);
        func.add_result(of, ty.clone());
        for load in ops {
            changes.replace(func.result(load, 0), handed);
            changes.erase(load);
        }
        next = handed;
    }
    changes.apply(func);
}
