//! A word that a loop looks at and does not change is loaded before it.
//!
//! `i < v->n` and `k < rows[i + 1]` load their bound in every turn: such a loop does not count ([`super::counted`]), and each turn waits for
//! memory. Taken are loads that a loop makes whenever it begins (in the test of a while, in the body of a loop that surely has an
//! iteration, where cycles matter: in place it may be one of a run, [`super::reroll`]), with memref and subscripts from outside, of
//! a word that no store in the loop may touch ([`crate::depend`]). So no word is touched that the program does not touch.

use super::promote::surely_runs;
use crate::depend::Dependences;
use crate::domain::Domains;
use crate::edit::{self, Parents};
use crate::ir::{Func, Kind, OpId};
use crate::passes::Aim;

/// Times that something is moved, at most: all pairs of accesses are compared anew for each.
const MOST: usize = 64;

/// Moves what one loop after the other can do without, innermost first, so that a load can go several levels.
pub fn run(func: &mut Func, aim: Aim) {
    for _ in 0..MOST {
        let Some((of, loads)) = find(func, aim) else { return };
        let parents = Parents::new(func);
        let around = parents.block(of).expect("it is in a block");
        for load in loads {
            edit::erase(func, parents.block(load).expect("it is in the loop"), load);
            edit::insert_before(func, around, of, load);
        }
    }
}

/// Whether there is such a load.
pub fn is_needed(func: &Func, aim: Aim) -> bool {
    find(func, aim).is_some()
}

fn find(func: &Func, aim: Aim) -> Option<(OpId, Vec<OpId>)> {
    let parents = Parents::new(func);
    let loops = edit::walk(func).into_iter().rev().map(|of| (of, candidates(func, &parents, of, aim)));
    let loops: Vec<(OpId, Vec<OpId>)> = loops.filter(|(_, loads)| !loads.is_empty()).collect();
    if loops.is_empty() {
        return None;
    }
    let deps = Dependences::new(func, &Domains::new(func));
    loops.into_iter().find_map(|(of, mut loads)| {
        let inside = edit::walk_inside(func, of);
        let stores: Vec<OpId> = inside.into_iter().filter(|&o| func.op(o).kind == Kind::Store).collect();
        loads.retain(|&load| !stores.iter().any(|&store| deps.meet_in(of, store, load)));
        (!loads.is_empty()).then_some((of, loads))
    })
}

/// The loads of one word that a loop without fences makes whenever it begins.
fn candidates(func: &Func, parents: &Parents, of: OpId, aim: Aim) -> Vec<OpId> {
    let begins = match func.op(of).kind {
        Kind::While => true,
        Kind::For { .. } => aim == Aim::Speed && surely_runs(func, parents, of),
        _ => false,
    };
    let first = func.op(of).regions.first().and_then(|&region| func.entry(region));
    let Some(first) = first.filter(|_| begins) else { return Vec::new() };
    let is_taken = |&op: &OpId| {
        let address = func.op(op).address();
        func.op(op).kind == Kind::Load && address.iter().all(|&v| parents.is_outside(func, v, of))
    };
    let loads: Vec<OpId> = func.block(first).ops.iter().copied().filter(is_taken).collect();
    let has_fence = || edit::walk_inside(func, of).into_iter().any(|o| func.op(o).kind == Kind::Fence);
    if loads.is_empty() || has_fence() {
        return Vec::new();
    }
    loads
}
