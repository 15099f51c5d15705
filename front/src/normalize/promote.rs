//! A word that every iteration of a loop reads or writes is a value of the loop: loaded before it, stored behind it.
//!
//! `for k: c[i] += a[k]` goes through memory once an iteration, and so takes as long as a load and a store; `c[i]` as a value that is
//! carried takes as long as the sum. Taken are words whose memref and subscripts are known outside of the loop and that no other
//! access of it may touch ([`crate::depend`]). The word must be stored to before the loop in the same block, or whenever the loop
//! begins: so no word is touched that the program does not touch, and none stored to that it only loads. Loops are looked at from
//! the inside out: what stands behind one may be carried by the next.

use super::registers::Carrier;
use crate::depend::Dependences;
use crate::domain::Domains;
use crate::edit::{self, Parents};
use crate::ir::{BlockId, Func, Kind, OpId, ValueId};
use loom_dfg::{ContCond, StepOp};

/// Most words that become values in a function: all pairs of accesses are compared anew for each.
const MOST: usize = 64;

/// Promotes one word of a loop after the other.
pub fn run(func: &mut Func) {
    for _ in 0..MOST {
        let Some(found) = find(func) else { return };
        promote(func, found);
    }
}

/// Whether no more could become values, or so many have that it stopped.
pub fn holds(func: &Func) -> bool {
    let loops = edit::walk(func).into_iter().filter(|&op| is_loop(func, op));
    let carried: usize = loops.map(|o| func.op(o).results.len()).sum();
    carried >= MOST || find(func).is_none()
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
    carrier: Carrier,
}

fn is_loop(func: &Func, op: OpId) -> bool {
    matches!(func.op(op).kind, Kind::For { .. } | Kind::While)
}

fn find(func: &Func) -> Option<Carried> {
    let walked = edit::walk(func);
    if !walked.iter().any(|&op| is_loop(func, op))
        || !walked.iter().any(|&op| func.op(op).kind == Kind::Store)
    {
        return None;
    }
    let loops: Vec<OpId> =
        walked.into_iter().rev().filter(|&op| is_loop(func, op) && !func.op(op).hints.independent).collect();
    let parents = Parents::new(func);
    let deps = Dependences::new(func, &Domains::new(func));
    loops.into_iter().find_map(|op| carried(func, &parents, &deps, op))
}

fn carried(func: &Func, parents: &Parents, deps: &Dependences, of: OpId) -> Option<Carried> {
    let around = parents.block(of)?;
    let inside = edit::walk_inside(func, of);
    if inside.iter().any(|&o| func.op(o).kind == Kind::Fence) {
        return None;
    }
    let all: Vec<OpId> =
        inside.into_iter().filter(|&o| matches!(func.op(o).kind, Kind::Load | Kind::Store)).collect();
    // What surely runs when the loop begins: its test, or its body where it has an iteration.
    let sure = match func.op(of).kind {
        Kind::While => func.entry(func.op(of).regions[0]),
        _ => func.entry(func.op(of).regions[0]).filter(|_| surely_runs(func, parents, of)),
    };
    let before = || {
        let ops = func.block(around).ops.iter().copied().take_while(|&o| o != of);
        ops.filter(|&o| func.op(o).kind == Kind::Store)
    };
    let is_sure = |&o: &OpId| parents.block(o) == sure && func.op(o).kind == Kind::Store;
    let is_carried = |&store: &OpId| {
        let own = func.op(store).address();
        let same = |&other: &OpId| func.op(other).address() == own;
        (all.iter().filter(|o| same(o)).any(is_sure) || before().any(|o| same(&o)))
            && func.op(store).kind == Kind::Store
            && own.iter().all(|&v| parents.is_outside(func, v, of))
            && all.iter().all(|&other| {
                same(&other) || !deps.meet_within(store, other) && !deps.meet_across(of, store, other)
            })
    };
    let store = all.iter().copied().find(is_carried)?;
    let accesses: Vec<OpId> =
        all.into_iter().filter(|&o| func.op(o).address() == func.op(store).address()).collect();
    let carrier = Carrier::new(func, parents, &accesses, func.ty(func.op(store).operands[0]).clone());
    let passes = edit::walk_inside(func, of).into_iter().chain([of]).all(|o| carrier.passes(func, o));
    let overwrites = is_sure(&accesses[0]);
    passes.then_some(Carried { of, around, accesses, overwrites, carrier })
}

/// Whether a loop has at least one iteration whenever it begins: by its bounds, or because it begins no later than a loop around it
/// and goes as far.
fn surely_runs(func: &Func, parents: &Parents, op: OpId) -> bool {
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

fn promote(func: &mut Func, found: Carried) {
    let Carried { of, around, accesses, overwrites, mut carrier } = found;
    let address = func.op(accesses[0]).address().to_vec();
    let begins = accesses[0];
    let mut stored = accesses.iter().copied().filter(|&o| func.op(o).kind == Kind::Store);
    let last = stored.next_back().expect("it is stored to");
    let ty = func.ty(func.op(last).operands[0]).clone();
    let first = match overwrites {
        // It is stored to before it is looked at.
        true => func.create_op(Kind::Poison, &[], std::slice::from_ref(&ty)),
        false => func.create_op(Kind::Load, &address, std::slice::from_ref(&ty)),
    };
    edit::insert_before(func, around, of, first);
    let now = func.result(first, 0);
    let result = carrier.through(func, &[of], now);
    carrier.finish(func);
    let after = func.create_op(Kind::Store, &[&[result], &address[..]].concat(), &[]);
    edit::insert_after(func, around, of, after);
    let copies = func.op(of).copies.clone();
    for (new, old) in [(first, begins), (after, last)] {
        let span = func.op(old).span.clone();
        let record = func.op_mut(new);
        (record.copies, record.span) = (copies.clone(), span);
    }
}
