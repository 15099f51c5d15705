//! What stops a program: one kind for each code `F02xx`.

use crate::codes;
use crate::ir::OpId;
use loom_base::{Code, Diagnostic};
use std::ops::Range;

/// Why a program stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A word that nobody wrote was read.
    UnknownWord,
    /// A subscript outside of its view, or a word outside of the buffer.
    OutOfBounds,
    /// A counting loop with a step of zero, `RT_DATAFLOW_STREAM_ZERO_STEP`.
    ZeroStep,
    /// `scf.for` that would go away from its bound.
    NegativeStep,
    /// More steps than allowed.
    StepLimit,
    /// `cf.assert`.
    Assertion,
    /// Memory that was freed, or left its function.
    Freed,
    /// Calls nested too deep.
    CallDepth,
    /// A call of a function that is not known or has no body.
    NoBody,
    /// The caller's arguments do not fit.
    BadArgument,
    /// A view larger than what it looks at, or of another shape than its type says.
    BadView,
    /// A store to a constant global.
    ConstantStore,
    /// More memory than allowed.
    MemoryLimit,
    /// The program was not verified.
    Malformed,
    /// A `noalias` argument overlaps another one, or one of another alias set.
    Aliased,
}

impl FaultKind {
    /// Its diagnostic code.
    pub fn code(self) -> Code {
        match self {
            FaultKind::UnknownWord => codes::UNKNOWN_WORD,
            FaultKind::OutOfBounds => codes::OUT_OF_BOUNDS,
            FaultKind::ZeroStep => codes::ZERO_STEP,
            FaultKind::NegativeStep => codes::NEGATIVE_STEP,
            FaultKind::StepLimit => codes::STEP_LIMIT,
            FaultKind::Assertion => codes::ASSERTION,
            FaultKind::Freed => codes::FREED,
            FaultKind::CallDepth => codes::CALL_DEPTH,
            FaultKind::NoBody => codes::NO_BODY,
            FaultKind::BadArgument => codes::BAD_ARGUMENT,
            FaultKind::BadView => codes::BAD_VIEW,
            FaultKind::ConstantStore => codes::CONSTANT_STORE,
            FaultKind::MemoryLimit => codes::MEMORY_LIMIT,
            FaultKind::Malformed => codes::MALFORMED,
            FaultKind::Aliased => codes::ALIASED,
        }
    }

    fn help(self) -> &'static str {
        match self {
            FaultKind::UnknownWord => "write the word before it is read",
            FaultKind::OutOfBounds => "keep subscripts below the extent of their dimension",
            FaultKind::ZeroStep => "guard the loop so that it is not reached with a step of zero",
            FaultKind::NegativeStep => "write a loop that counts down as `scf.while`",
            FaultKind::StepLimit => "allow more steps, or look for a loop that never ends",
            FaultKind::Assertion => "give arguments for which the condition holds",
            FaultKind::Freed => {
                "access memory before it is freed and inside of the function that has it on its stack"
            }
            FaultKind::CallDepth => "bound the recursion",
            FaultKind::NoBody => "call a function of this module that has a body",
            FaultKind::BadArgument => {
                "give one argument of fitting type and shape for each of the function's"
            }
            FaultKind::BadView => "keep views inside of the memref they look at",
            FaultKind::ConstantStore => "drop `constant` from the global",
            FaultKind::MemoryLimit => "allocate less, or free what is no longer used",
            FaultKind::Malformed => "verify the module before it runs",
            FaultKind::Aliased => "pass separate buffers, or drop `llvm.noalias` (`loom.alias_set`)",
        }
    }
}

/// The end of a run that did not return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Why.
    pub kind: FaultKind,
    /// The operation that ran, if one did.
    pub op: Option<OpId>,
    /// Function of that operation.
    pub func: String,
    /// Where it stands in the source.
    pub span: Option<Range<usize>>,
    /// One line.
    pub message: String,
}

impl Fault {
    /// As users see it.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let d = Diagnostic::error(self.kind.code(), self.message.clone()).at_opt(self.span.clone(), "here");
        let d = if self.span.is_none() && !self.func.is_empty() {
            d.note(format!("in function `{}`", self.func))
        } else {
            d
        };
        d.help(self.kind.help())
    }
}

impl From<Fault> for Diagnostic {
    fn from(fault: Fault) -> Diagnostic {
        fault.to_diagnostic()
    }
}
