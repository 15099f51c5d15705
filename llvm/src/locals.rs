//! Local arrays: their sizes, and which of them live in the program's memory.
//!
//! On chip an array sits in one scratchpad, whose words and lanes are few; in the program's memory it is an argument that
//! the caller gives room for, restrict and without contents, and its accesses may be at any port.

use crate::address::accessed;
use crate::pointers::Pointers;
use crate::program::{Function, Inst};
use crate::roots::Root;
use crate::types::Ty;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Which local arrays live in the program's memory, where globals do ([`crate::Globals::InMemory`]); the others are on chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locals {
    /// Those of more bytes.
    pub larger_than: u64,
    /// Of the others so many: those with the most accesses.
    pub most_used: usize,
}

impl Default for Locals {
    /// All are on chip.
    fn default() -> Self {
        Locals { larger_than: u64::MAX, most_used: 0 }
    }
}

/// Bytes of a local array; `None` where that is not constant.
pub(crate) fn bytes(function: &Function, alloca: &Inst) -> Option<u64> {
    let count = function.constant(alloca.operands[0]).and_then(|c| u64::try_from(c).ok());
    let size = alloca.op.ty("elem_type").and_then(Ty::size);
    count.zip(size).and_then(|(c, s)| c.checked_mul(s))
}

/// The roots that live in the program's memory.
pub(crate) fn in_memory(function: &Function, pointers: &Pointers, wanted: Locals) -> BTreeSet<usize> {
    let size = |root: usize| match pointers.roots[root] {
        Root::Stack(inst) => bytes(function, &function.insts[inst]),
        _ => None,
    };
    let mut accesses = vec![0usize; pointers.roots.len()];
    for inst in function.reached().map(|i| &function.insts[i]) {
        for &pointer in accessed(inst) {
            pointers.arrays(pointer).into_iter().for_each(|root| accesses[root] += 1);
        }
    }
    let (large, mut small): (Vec<usize>, Vec<usize>) = (0..pointers.roots.len())
        .filter(|&root| size(root).is_some())
        .partition(|&root| size(root).is_some_and(|bytes| bytes > wanted.larger_than));
    small.sort_by_key(|&root| Reverse(accesses[root]));
    large.into_iter().chain(small.into_iter().take(wanted.most_used)).collect()
}
