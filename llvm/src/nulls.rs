//! Arguments that the function compares with null: each becomes a number more, 1 where the caller gave null.

use crate::pointers::Pointers;
use crate::program::{Function, Id, Inst};
use crate::roots::{Root, NULL};
use loom_dfg::Predicate;
use std::collections::BTreeSet;

/// What a comparison asks: whether this pointer is null, or is not.
pub(crate) struct NullTest {
    pub pointer: Id,
    pub is_null: bool,
}

/// A comparison of a pointer with null, where the pointer is one from outside: no way gives it the null of the
/// function itself.
pub(crate) fn test(inst: &Inst, pointers: &Pointers) -> Option<NullTest> {
    let &[a, b] = &inst.operands[..] else { return None };
    let is_null = match Predicate::from_code(inst.op.integer("predicate")? as u64)? {
        Predicate::Eq => true,
        Predicate::Ne => false,
        _ => return None,
    };
    let nothing = |p: Id| pointers.sets[p.0].iter().all(|&r| r == NULL);
    let outside = |p: Id| !nothing(p) && !pointers.sets[p.0].contains(&NULL);
    let pointer = match (a, b) {
        _ if outside(a) && nothing(b) => a,
        _ if outside(b) && nothing(a) => b,
        _ => return None,
    };
    Some(NullTest { pointer, is_null })
}

/// The arguments that are compared, in order.
pub(crate) fn tested(function: &Function, pointers: &Pointers) -> Vec<usize> {
    let insts = function.reached().map(|i| &function.insts[i]).filter(|i| i.name() == "icmp");
    let tests = insts.filter_map(|i| test(i, pointers));
    let roots = tests.flat_map(|t| pointers.arrays(t.pointer)).map(|r| &pointers.roots[r]);
    let arguments: BTreeSet<usize> = roots
        .filter_map(|root| match root {
            Root::Argument(index) => Some(*index),
            Root::Stack(_) | Root::Global(_) | Root::Field { .. } => None,
        })
        .collect();
    arguments.into_iter().collect()
}
