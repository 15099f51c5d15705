//! Comparisons that say the same in other words.

use loom_dfg::Predicate;

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
