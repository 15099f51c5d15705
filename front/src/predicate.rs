//! Comparisons that say the same in other words.

use loom_dfg::{ContCond, Counter, Predicate};

/// What a counting loop asks of its index and its bound.
pub fn of_loop(counter: Counter, cond: ContCond) -> Predicate {
    match (cond, counter.is_unsigned()) {
        (ContCond::Lt, false) => Predicate::Slt,
        (ContCond::Le, false) => Predicate::Sle,
        (ContCond::Gt, false) => Predicate::Sgt,
        (ContCond::Ge, false) => Predicate::Sge,
        (ContCond::Lt, true) => Predicate::Ult,
        (ContCond::Le, true) => Predicate::Ule,
        (ContCond::Gt, true) => Predicate::Ugt,
        (ContCond::Ge, true) => Predicate::Uge,
        (ContCond::Ne, _) => Predicate::Ne,
    }
}

/// Whether it compares unsigned numbers.
pub fn is_unsigned(predicate: Predicate) -> bool {
    matches!(predicate, Predicate::Ult | Predicate::Ule | Predicate::Ugt | Predicate::Uge)
}

/// What holds when a predicate does not.
pub fn opposite(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Eq => Predicate::Ne,
        Predicate::Ne => Predicate::Eq,
        Predicate::Slt => Predicate::Sge,
        Predicate::Sle => Predicate::Sgt,
        Predicate::Sgt => Predicate::Sle,
        Predicate::Sge => Predicate::Slt,
        Predicate::Ult => Predicate::Uge,
        Predicate::Ule => Predicate::Ugt,
        Predicate::Ugt => Predicate::Ule,
        Predicate::Uge => Predicate::Ult,
    }
}

/// The predicate for the operands in the other order.
pub fn swapped(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Eq => Predicate::Eq,
        Predicate::Ne => Predicate::Ne,
        Predicate::Slt => Predicate::Sgt,
        Predicate::Sle => Predicate::Sge,
        Predicate::Sgt => Predicate::Slt,
        Predicate::Sge => Predicate::Sle,
        Predicate::Ult => Predicate::Ugt,
        Predicate::Ule => Predicate::Uge,
        Predicate::Ugt => Predicate::Ult,
        Predicate::Uge => Predicate::Ule,
    }
}
