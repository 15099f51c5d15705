//! Alias sets: which of the arrays that a function is given C's types say are apart (C11 6.5p7, "strict aliasing").
//!
//! What is accessed as `int` is no `float`; characters, and what `memcpy` and `memset` write, may be anything. Arrays may meet when one of
//! them is written and both are accessed as one type, or one as anything; those that may meet, also by way of others, are a set.

use crate::address::{accessed, accessed_size, writes_bytes};
use crate::pointers::Pointers;
use crate::program::Function;
use std::collections::{BTreeMap, BTreeSet};

/// A root and one of its views.
pub(crate) type Slot = (usize, usize);

/// How an array is accessed.
#[derive(Default)]
struct Accesses<'f> {
    written: bool,
    /// As anything.
    any: bool,
    types: BTreeSet<&'f str>,
}

impl Accesses<'_> {
    fn may_meet(&self, other: &Accesses) -> bool {
        let anything = |a: &Accesses, b: &Accesses| a.any && (b.any || !b.types.is_empty());
        let one_type = !self.types.is_disjoint(&other.types);
        (self.written || other.written) && (one_type || anything(self, other) || anything(other, self))
    }
}

/// The number of each array's set, the first 0; arrays that nobody accesses are in that one too.
pub(crate) fn sets(function: &Function, pointers: &Pointers, slots: &[Slot]) -> Vec<u32> {
    let accesses = accesses(function, pointers);
    let of = |k: usize| accesses.get(&slots[k]);
    let mut first: Vec<usize> = (0..slots.len()).collect();
    for a in 0..slots.len() {
        for b in 0..a {
            if of(a).zip(of(b)).is_some_and(|(a, b)| a.may_meet(b)) {
                let (low, high) = (first[a].min(first[b]), first[a].max(first[b]));
                first.iter_mut().filter(|f| **f == high).for_each(|f| *f = low);
            }
        }
    }
    let mut known = Vec::new();
    let mut number = |k: usize| match known.iter().position(|&f| f == first[k]) {
        _ if of(k).is_none() => 0,
        Some(number) => number as u32,
        None => {
            known.push(first[k]);
            known.len() as u32 - 1
        }
    };
    (0..slots.len()).map(&mut number).collect()
}

fn accesses<'f>(function: &'f Function, pointers: &Pointers) -> BTreeMap<Slot, Accesses<'f>> {
    let mut out: BTreeMap<Slot, Accesses> = BTreeMap::new();
    for inst in function.reached().map(|i| &function.insts[i]) {
        let copies = writes_bytes(inst.name());
        if !copies && accessed_size(function, inst).is_none() {
            // A pointer that is loaded is read before the function runs.
            continue;
        }
        for (k, &pointer) in accessed(inst).iter().enumerate() {
            let views = pointers.accessed_views(function, inst, pointer);
            // The first of a copy's two is where it goes.
            let written = inst.name() == "store" || copies && k == 0;
            // Fields of several widths at once have several types.
            let ty = inst.op.accessed.as_deref().filter(|_| views.len() == 1);
            let roots = pointers.arrays(pointer).into_iter();
            for slot in roots.flat_map(|root| views.iter().map(move |&view| (root, view))) {
                let of = out.entry(slot).or_default();
                of.written |= written;
                of.any |= ty.is_none();
                of.types.extend(ty);
            }
        }
    }
    out
}
