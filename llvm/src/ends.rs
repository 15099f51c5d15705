//! Pointers from outside that the function compares or subtracts: `first` and `last`, the two ends of an array.
//!
//! Such pointers point into one array. The first of them is its root; each other is a number, of words behind that one, which
//! the caller knows. Guarantees: what C says of two pointers into one array holds of the numbers. An equality alone may also be
//! asked of two arrays: it makes no ends of pointers that are both accessed through, nor of those that are promised to differ.

use crate::address::{self, pointer_difference};
use crate::program::{Function, Id};
use crate::roots::{Root, NULL};
use crate::types::Ty;
use loom_dfg::Predicate;
use std::collections::{BTreeMap, BTreeSet};

/// By root that is a number: the root it lies behind.
pub(crate) type Ends = BTreeMap<usize, usize>;

/// Finds them among the roots of all pointers.
pub(crate) fn ends(function: &Function, roots: &[Root], sets: &[BTreeSet<usize>]) -> Ends {
    let outside = |root: usize| matches!(roots.get(root), Some(Root::Argument(_) | Root::Field { .. }));
    let accessed = accessed(function, sets);
    let own = |root: usize| match roots[root] {
        Root::Argument(index) => function.promises[index].iter().any(|p| p == "llvm.noalias"),
        _ => false,
    };
    // By root: the first root of its array.
    let mut home: Vec<usize> = (0..roots.len()).collect();
    for (p, q, is_equality) in pairs(function) {
        for (a, b) in sets[p.0].iter().flat_map(|&a| sets[q.0].iter().map(move |&b| (a, b))) {
            if a == b || !outside(a) || !outside(b) {
                continue;
            }
            let two_arrays = accessed.contains(&a) && accessed.contains(&b) || own(a) || own(b);
            if !(is_equality && two_arrays) {
                let (x, y) = (home[a], home[b]);
                let (first, last) = if order(&roots[x]) <= order(&roots[y]) { (x, y) } else { (y, x) };
                home.iter_mut().filter(|h| **h == last).for_each(|h| *h = first);
            }
        }
    }
    let null = asked_for_null(function, sets);
    let is_number = |&(root, home): &(usize, usize)| root != home && !null.contains(&root);
    home.into_iter().enumerate().filter(is_number).collect()
}

/// What comes first among arguments, and within a struct, is mostly the start of the array.
fn order(root: &Root) -> (bool, usize, u64) {
    match *root {
        Root::Argument(index) => (false, index, 0),
        Root::Field { argument, offset } => (true, argument, offset),
        Root::Stack(_) | Root::Global(_) => (true, usize::MAX, 0),
    }
}

/// The pointers that are held against each other, and whether only for equality.
fn pairs(function: &Function) -> impl Iterator<Item = (Id, Id, bool)> + '_ {
    function.reached().filter_map(|i| {
        let inst = &function.insts[i];
        match (inst.name(), &inst.operands[..]) {
            ("icmp", &[a, b]) if *function.ty(a) == Ty::Ptr => {
                let predicate = Predicate::from_code(inst.op.integer("predicate")? as u64)?;
                Some((a, b, matches!(predicate, Predicate::Eq | Predicate::Ne)))
            }
            _ => pointer_difference(function, inst).map(|(a, b)| (a, b, false)),
        }
    })
}

/// The roots that something is read from or written to through.
fn accessed(function: &Function, sets: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let pointers = |i: usize| address::accessed(&function.insts[i]);
    function.reached().flat_map(pointers).flat_map(|p| sets[p.0].iter().copied()).collect()
}

/// The roots that are compared with null. A number does not say of a pointer whether it is.
fn asked_for_null(function: &Function, sets: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let nothing = |p: Id| sets[p.0].iter().all(|&r| r == NULL);
    let asked = pairs(function).filter(|&(a, b, _)| nothing(a) || nothing(b));
    asked.flat_map(|(a, b, _)| [a, b]).flat_map(|p| sets[p.0].iter().copied()).collect()
}
