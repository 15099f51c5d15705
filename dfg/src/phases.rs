//! The phases of the state machines as their surroundings see them: which firing takes a token of which operand, and
//! which gives a token of which result.
//!
//! One table for all that reason about loops: rates and recurrences, throughput, fill, slack across levels, and the proof
//! of token balance. Firings are counted within one activation. An op that is no state machine takes and gives one token
//! in each firing, as far as its condition lets it (`cond_br`, `mux`). What a phase computes is the interpreter's.

use crate::op::{Form, StateOp, SteerOp};
use crate::OpKind;

/// Which firings take a token of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Each: the k-th firing takes the k-th token.
    Each,
    /// The first of an activation only.
    First,
    /// Each but the first: the token after the k-th firing says whether there is another.
    NextCondition,
    /// Each but the first: what the loop hands back from the k-th firing goes into the one after it.
    NextValue,
}

impl Takes {
    /// Whether a token is taken in every iteration, so that operand and op have one rate.
    pub fn is_steady(self) -> bool {
        self != Takes::First
    }

    /// The firing that takes the k-th token is the k-th and so many more.
    pub fn lag(self) -> u32 {
        match self {
            Takes::Each | Takes::First => 0,
            Takes::NextCondition | Takes::NextValue => 1,
        }
    }
}

/// The phases of one state machine.
struct Phases {
    /// By operand.
    takes: &'static [Takes],
    /// The operand that is the loop's condition.
    condition: Option<usize>,
    /// The result that is a condition, the stream's or the gate's.
    gives_condition: Option<usize>,
    /// By result: the k-th token comes with the k-th firing and so many more.
    lag: &'static [u32],
    /// Cycles from the operands of an activation to its first firing.
    start: u32,
}

impl Phases {
    fn of(op: StateOp) -> Phases {
        use Takes::{Each, First, NextCondition, NextValue};
        let (takes, condition, gives_condition, lag, start): (&[Takes], _, _, &[u32], _) = match op {
            StateOp::Stream(_) => (&[First, First, First], None, Some(1), &[0, 0], 1),
            // A gate swallows the first condition: the k-th that comes after it is the k+1st before it.
            StateOp::Gate => (&[Each, Each], Some(1), Some(1), &[0, 1], 0),
            StateOp::Carry => (&[NextCondition, First, NextValue], Some(0), None, &[0], 0),
            StateOp::Invariant => (&[NextCondition, First], Some(0), None, &[0], 0),
            // With the branch behind them a firing takes the condition that the branch would: its own.
            StateOp::CarryBr => (&[Each, First, NextValue], Some(0), None, &[0, 0], 0),
            StateOp::InvariantBr => (&[Each, First], Some(0), None, &[0, 0], 0),
        };
        Phases { takes, condition, gives_condition, lag, start }
    }
}

impl OpKind {
    fn phases(self) -> Option<Phases> {
        match self.form() {
            Form::State(op) => Some(Phases::of(op)),
            _ => None,
        }
    }

    /// Which firings take a token of an operand.
    pub fn takes(self, operand: usize) -> Takes {
        self.phases().map_or(Takes::Each, |p| p.takes[operand])
    }

    /// Whether an operand may be an immediate, a value that is always there: where each firing takes a token of some other
    /// operand, which then says when. `carry` and `invariant` would begin activations without end; with a branch they wait for their
    /// condition.
    pub fn takes_immediate(self, operand: usize) -> bool {
        match self.form() {
            Form::Steer(SteerOp::CondBr) => operand == 1,
            Form::Steer(SteerOp::Mux(_)) => operand >= 1,
            Form::Access(_) => operand == 0,
            Form::State(StateOp::Stream(_)) => true,
            Form::State(StateOp::CarryBr | StateOp::InvariantBr) => operand == 1,
            Form::Steer(SteerOp::Constant | SteerOp::Join(_)) | Form::State(_) | Form::Memory(_) => false,
            Form::IntBinary(_)
            | Form::IntUnary(_)
            | Form::Division(_)
            | Form::IntCompare(_)
            | Form::Choice(_)
            | Form::Cast(_)
            | Form::FloatBinary(_)
            | Form::FloatUnary(_)
            | Form::FloatTernary(_)
            | Form::FloatCompare(_)
            | Form::Elementary(_) => true,
        }
    }

    /// The k-th token of a result comes with the k-th firing and so many more.
    pub fn result_lag(self, result: usize) -> u32 {
        self.phases().map_or(0, |p| p.lag[result])
    }

    /// The operand that is the condition of the loop that this op is a part of.
    pub fn loop_condition(self) -> Option<usize> {
        self.phases()?.condition
    }

    /// Whether a result has a token for the false condition only, when the loop of that condition is left.
    pub fn is_exit(self, result: usize) -> bool {
        result == 1 && matches!(self, OpKind::CarryBr | OpKind::InvariantBr)
    }

    /// The result that is a loop's condition.
    pub fn gives_condition(self) -> Option<usize> {
        self.phases()?.gives_condition
    }

    /// Cycles from the operands of an activation to its first firing.
    pub fn start_cycles(self) -> u32 {
        self.phases().map_or(0, |p| p.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_fit_the_table() {
        for &kind in OpKind::TABLE {
            let Some(phases) = kind.phases() else { continue };
            assert_eq!((phases.takes.len(), phases.lag.len()), (kind.operand_count(), kind.result_count()));
            let (operands, results) = kind.example_types();
            assert!(phases.condition.is_none_or(|i| operands[i] == crate::Type::I1), "{kind}");
            assert!(phases.gives_condition.is_none_or(|i| results[i] == crate::Type::I1), "{kind}");
        }
    }
}
