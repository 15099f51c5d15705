//! Loads through one of two pointers, of which both words are known: a choice of words instead.
//!
//! `std::min(a[i], b[j])` gives a reference, so that after inlining the program loads both words, compares them, chooses a pointer and
//! loads once more. The block that chooses has loaded through both and stored nothing since, so that the words are there; without the
//! choice of a pointer two arrays need not be told apart when the program runs, nor have words of one width.

use crate::program::{Def, Function, Id};
use std::collections::{BTreeMap, BTreeSet};

/// Rewrites such loads, and drops what chose their pointers where nothing else uses it.
pub(crate) fn words(function: &mut Function) {
    let mut rewritten = false;
    for block in 0..function.blocks.len() {
        // What was loaded through each pointer since anything could have written.
        let mut known: BTreeMap<Id, Id> = BTreeMap::new();
        for at in function.blocks[block].insts.clone() {
            let inst = &function.insts[at];
            let plain = !inst.is_volatile() && !inst.is_atomic();
            match (inst.name(), inst.result) {
                ("load", Some(word)) if plain => {
                    let pointer = inst.operands[0];
                    if let Some((choice, operands)) = chosen(function, &known, pointer, word) {
                        let op = function.insts[choice].op.clone();
                        let load = &mut function.insts[at];
                        let place = load.op.place.take();
                        load.op = op;
                        load.op.place = place;
                        load.operands = operands;
                        rewritten = true;
                    }
                    known.insert(pointer, word);
                }
                (_, None) => known.clear(),
                (name, Some(_)) if writes(name) || !plain => known.clear(),
                _ => {}
            }
        }
    }
    if rewritten {
        drop_unused(function);
    }
}

/// What chooses a pointer, and the operands of the same choice of two words of that type that are known.
fn chosen(function: &Function, known: &BTreeMap<Id, Id>, pointer: Id, word: Id) -> Option<(usize, Vec<Id>)> {
    let Def::Op(choice) = function.values[pointer.0].def else { return None };
    let inst = &function.insts[choice];
    let &[condition, a, b] = &inst.operands[..] else { return None };
    let [a, b] = [*known.get(&a)?, *known.get(&b)?];
    let alike = function.ty(a) == function.ty(word) && function.ty(b) == function.ty(word);
    (inst.name() == "select" && alike).then(|| (choice, vec![condition, a, b]))
}

/// Whether an operation with a result may write memory.
fn writes(name: &str) -> bool {
    matches!(name, "call" | "invoke" | "atomicrmw" | "cmpxchg" | "va_arg" | "call_intrinsic")
        || name.starts_with("intr.mem")
}

/// Drops choices of pointers that nothing uses.
fn drop_unused(function: &mut Function) {
    loop {
        let mut used: BTreeSet<Id> = BTreeSet::new();
        for inst in function.reached().map(|i| &function.insts[i]) {
            used.extend(inst.operands.iter().chain(inst.successors.iter().flat_map(|s| &s.1)).copied());
        }
        let is_idle = |&i: &usize| {
            let inst = &function.insts[i];
            inst.name() == "select" && inst.result.is_some_and(|result| !used.contains(&result))
        };
        let gone: BTreeSet<usize> = function.reached().filter(is_idle).collect();
        if gone.is_empty() {
            return;
        }
        function.remove(&gone);
    }
}
