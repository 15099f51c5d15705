//! A word that every iteration of a loop reads or writes is a value of the loop: loaded before it, stored behind it.
//!
//! `for k: c[i] += a[k]` goes through memory once an iteration, and so takes as long as a load and a store; `c[i]` as a value that is
//! carried takes as long as the sum. Taken are words whose memref and subscripts are known outside of the loop and that no other
//! access of it may touch ([`crate::depend`]). The word must be stored to before the loop in the same block, or whenever the loop
//! begins: so no word is touched that the program does not touch, and none stored to that it only loads. Where each iteration of an
//! innermost loop looks at the word and stores to it, but there may be none, what is loaded before and stored behind is so under the
//! loop's first test: for speed alone, as that takes ops. Loops are looked at from the inside out: what stands behind one may be
//! carried by the next.

use super::guard::first_test;
use super::registers::Carrier;
use super::turn::Places;
use crate::depend::Dependences;
use crate::domain::Domains;
use crate::edit::{self, InsertionPoint, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueId};
use crate::passes::Aim;
use loom_dfg::{ContCond, StepOp};
use std::collections::BTreeMap;

/// Most words that become values in a function: all pairs of accesses are compared anew for each.
const MOST: usize = 64;

/// Promotes one word of a loop after the other.
pub fn run(func: &mut Func, aim: Aim) {
    let mut guards = BTreeMap::new();
    for _ in 0..MOST {
        let Some(found) = find(func, aim) else { return };
        promote(func, found, &mut guards);
    }
}

/// Whether no more could become values, or so many have that it stopped.
pub fn holds(func: &Func, aim: Aim) -> bool {
    let loops = edit::walk(func).into_iter().filter(|&op| func.op(op).kind.is_loop());
    let carried: usize = loops.map(|o| func.op(o).results.len()).sum();
    carried >= MOST || find(func, aim).is_none()
}

/// A word of a loop.
struct Carried {
    of: OpId,
    /// Block around the loop.
    around: BlockId,
    /// Its accesses in the loop, in order.
    accesses: Vec<OpId>,
    /// Whether the first iteration stores before it looks.
    overwrites: bool,
    /// Whether it is loaded and stored only where there is an iteration.
    guarded: bool,
    carrier: Carrier,
}

fn find(func: &Func, aim: Aim) -> Option<Carried> {
    let walked = edit::walk(func);
    if !walked.iter().any(|&op| func.op(op).kind.is_loop())
        || !walked.iter().any(|&op| func.op(op).kind == Kind::Store)
    {
        return None;
    }
    let loops: Vec<OpId> = walked
        .into_iter()
        .rev()
        .filter(|&op| func.op(op).kind.is_loop() && !func.op(op).hints.independent)
        .collect();
    let parents = Parents::new(func);
    let deps = Dependences::new(func, &Domains::new(func));
    loops.into_iter().find_map(|op| carried(func, (&parents, &deps), op, aim))
}

fn carried(func: &Func, (parents, deps): (&Parents, &Dependences), of: OpId, aim: Aim) -> Option<Carried> {
    let around = parents.block(of)?;
    let inside = edit::walk_inside(func, of);
    if inside.iter().any(|&o| func.op(o).kind == Kind::Fence) {
        return None;
    }
    let counts = matches!(func.op(of).kind, Kind::For { .. });
    let may_guard = counts && aim == Aim::Speed && !inside.iter().any(|&o| func.op(o).kind.is_loop());
    // What surely runs where there is an iteration: the body, and of a loop that does not count its test, whenever it begins.
    let body = func.entry(func.op(of).regions[0]);
    let runs = !counts || surely_runs(func, parents, of);
    let all: Vec<OpId> =
        inside.into_iter().filter(|&o| matches!(func.op(o).kind, Kind::Load | Kind::Store)).collect();
    let before = || {
        let ops = func.block(around).ops.iter().copied().take_while(|&o| o != of);
        ops.filter(|&o| func.op(o).kind == Kind::Store)
    };
    let of_word = |store: OpId| {
        let own = func.op(store).address();
        move |&other: &OpId| func.op(other).address() == own
    };
    let is_stored = |&o: &OpId| func.op(o).kind == Kind::Store;
    let in_each = |o: &OpId| parents.block(*o) == body && is_stored(o);
    let may_be_carried = |&store: &OpId| {
        let same = of_word(store);
        func.op(store).address().iter().all(|&v| parents.is_outside(func, v, of))
            && all.iter().all(|&other| same(&other) || !deps.meet_in(of, store, other))
    };
    // With whether there must be an iteration.
    let carried = |store: OpId| {
        let accesses = || all.iter().copied().filter(of_word(store));
        let stored = accesses().any(|o| in_each(&o));
        let guarded = !(stored && runs || before().any(|o| of_word(store)(&o)));
        let is_worth = stored && may_guard && !accesses().all(|o| is_stored(&o));
        ((!guarded || is_worth) && may_be_carried(&store)).then_some((store, guarded))
    };
    let (store, guarded) = all.iter().copied().filter(is_stored).find_map(carried)?;
    let accesses: Vec<OpId> = all.iter().copied().filter(of_word(store)).collect();
    let words = accesses.iter().map(|&access| (access, 0)).collect();
    let one = Places { count: 1, words, turns: BTreeMap::new() };
    let carrier = Carrier::new(func, parents, one, func.ty(func.op(store).operands[0]).clone());
    let passes = edit::walk_inside(func, of).into_iter().chain([of]).all(|o| carrier.passes(func, o));
    let overwrites = (runs || guarded) && in_each(&accesses[0]);
    passes.then_some(Carried { of, around, accesses, overwrites, guarded, carrier })
}

/// Whether a loop has at least one iteration whenever it begins: by its bounds, or because it begins no later than a loop around it
/// and goes as far.
pub(super) fn surely_runs(func: &Func, parents: &Parents, op: OpId) -> bool {
    let bounds = |op: OpId| match func.op(op).kind {
        Kind::For { counter, cond: ContCond::Lt } => {
            let operands = &func.op(op).operands;
            Some((counter, operands[0], operands[1], operands[2]))
        }
        _ => None,
    };
    let Some((counter, lower, upper, _)) = bounds(op) else { return false };
    let number = |v: ValueId| edit::constant_int(func, v).filter(|&n| n >= 0);
    if let (Some(a), Some(b)) = (number(lower), number(upper)) {
        return a < b;
    }
    parents.around(op).into_iter().any(|outer| {
        let Some((other, start, end, step)) = bounds(outer) else { return false };
        let body = func.op(outer).regions.first().and_then(|&r| func.entry(r));
        let at = body.and_then(|b| func.block(b).arguments.first().copied());
        let rises = other.step_op == StepOp::Add && number(step).is_some_and(|s| s > 0);
        let begins = Some(lower) == at
            || rises && matches!((number(lower), number(start)), (Some(a), Some(b)) if a <= b);
        other == counter && end == upper && begins
    })
}

/// Ifs before and behind a loop, which hold where it has an iteration.
#[derive(Clone, Copy)]
struct Guard {
    before: OpId,
    behind: OpId,
}

/// Makes them; nothing stands in them yet.
fn guard(func: &mut Func, around: BlockId, of: OpId) -> Guard {
    let mut at = InsertionPoint::new(func, of);
    let runs = first_test(&mut at);
    at.put(around);
    let [before, behind] = [(); 2].map(|()| {
        let op = func.create_op(Kind::If, &[runs], &[]);
        func.op_mut(op).span = func.op(of).span.clone();
        for _ in 0..2 {
            let region = func.add_region();
            edit::idle_block(func, region);
            func.op_mut(op).regions.push(region);
        }
        op
    });
    edit::insert_before(func, around, of, before);
    edit::insert_after(func, around, of, behind);
    Guard { before, behind }
}

/// Puts an operation at the end of a branch of an if, and yields its result where it has one.
fn put_last(func: &mut Func, branch: (OpId, usize), op: OpId) {
    let block = func.entry(func.op(branch.0).regions[branch.1]).expect("a guard has both branches");
    let last = func.terminator(block).expect("a region ends with a terminator");
    edit::insert_before(func, block, last, op);
    let results = func.op(op).results.clone();
    func.op_mut(last).operands.extend(results);
}

fn promote(func: &mut Func, found: Carried, guards: &mut BTreeMap<OpId, Guard>) {
    let Carried { of, around, accesses, overwrites, guarded, mut carrier } = found;
    let address = func.op(accesses[0]).address().to_vec();
    let begins = accesses[0];
    let mut stored = accesses.iter().copied().filter(|&o| func.op(o).kind == Kind::Store);
    let last = stored.next_back().expect("it is stored to");
    let ty = func.ty(func.op(last).operands[0]).clone();
    let ends = guarded.then(|| *guards.entry(of).or_insert_with(|| guard(func, around, of)));
    let first = match overwrites {
        // It is stored to before it is looked at.
        true => func.create_op(Kind::Poison, &[], std::slice::from_ref(&ty)),
        false => func.create_op(Kind::Load, &address, std::slice::from_ref(&ty)),
    };
    let mut now = [match ends.filter(|_| !overwrites) {
        Some(ends) => {
            let none = func.create_op(Kind::Poison, &[], std::slice::from_ref(&ty));
            put_last(func, (ends.before, 0), first);
            put_last(func, (ends.before, 1), none);
            func.add_result(ends.before, ty)
        }
        None => {
            edit::insert_before(func, around, of, first);
            func.result(first, 0)
        }
    }];
    carrier.through(func, &[of], &mut now);
    carrier.finish(func);
    let after = func.create_op(Kind::Store, &[&now, &address[..]].concat(), &[]);
    match ends {
        Some(ends) => put_last(func, (ends.behind, 0), after),
        None => edit::insert_after(func, around, of, after),
    }
    let copies = func.op(of).copies.clone();
    for (new, old) in [(first, begins), (after, last)] {
        let span = func.op(old).span.clone();
        let record = func.op_mut(new);
        (record.copies, record.span) = (copies.clone(), span);
    }
}
