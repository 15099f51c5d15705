//! Function units: the bodies a PE chooses from.

use loom_dfg::op::Class;
use loom_dfg::types::DEFAULT_INDEX_WIDTH;
use loom_dfg::{OpKind, Type};
use std::fmt;

/// A function unit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionUnit {
    /// Unique in its PE.
    pub name: String,
    /// Native types of the inputs.
    pub inputs: Vec<Type>,
    /// Ops in dependency order.
    pub body: Vec<BodyOp>,
    /// What each output shows.
    pub results: Vec<BodyValue>,
    /// Cycles from firing to result; -1 exactly for `dataflow` bodies.
    pub latency: i32,
    /// Cycles between firings, at least 1; -1 exactly for `dataflow` bodies.
    pub interval: i32,
}

/// An op in an FU body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BodyOp {
    /// What it does.
    pub kind: BodyKind,
    /// Where its operands come from; only inputs and earlier ops.
    pub operands: Vec<BodyValue>,
    /// Result types.
    pub results: Vec<Type>,
}

/// What stands in an FU body.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// An op.
    Op(OpKind),
    /// `fabric.mux`: wiring; configuration says which of its operands its result is.
    Mux,
}

impl BodyKind {
    /// The op, where it is one.
    pub fn op(self) -> Option<OpKind> {
        match self {
            BodyKind::Op(kind) => Some(kind),
            BodyKind::Mux => None,
        }
    }

    /// Its name in texts.
    pub fn mnemonic(self) -> &'static str {
        self.op().map_or("fabric.mux", OpKind::mnemonic)
    }

    /// Of which class the unit is that has it; a mux stands among arithmetic.
    pub fn class(self) -> Class {
        self.op().map_or(Class::Arith, OpKind::class)
    }

    /// Whether it is worked out digit by digit.
    pub fn is_iterative(self) -> bool {
        self.op().is_some_and(OpKind::is_iterative)
    }
}

impl From<OpKind> for BodyKind {
    fn from(kind: OpKind) -> BodyKind {
        BodyKind::Op(kind)
    }
}

impl PartialEq<OpKind> for BodyKind {
    fn eq(&self, kind: &OpKind) -> bool {
        self.op() == Some(*kind)
    }
}

/// As that of the op: names of modules are hashes of this text.
impl fmt::Debug for BodyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyKind::Op(kind) => write!(f, "{kind:?}"),
            BodyKind::Mux => f.write_str("FabricMux"),
        }
    }
}

impl fmt::Display for BodyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyKind::Op(kind) => write!(f, "{kind}"),
            BodyKind::Mux => f.write_str(self.mnemonic()),
        }
    }
}

/// A value inside an FU body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyValue {
    /// FU input.
    Input(usize),
    /// Result `result` of body op `op`.
    Result {
        /// Index into the body.
        op: usize,
        /// Which result.
        result: usize,
    },
}

/// One cycle for the operands and those that the unit works.
fn least_digit_time(kind: OpKind, ty: Type, index_width: u32) -> Option<i32> {
    Some(kind.digit_cycles(ty, index_width)? as i32 + 1)
}

impl FunctionUnit {
    /// A unit whose body is one op with the given operand and result types, in the op's own port order.
    pub fn single(name: impl Into<String>, kind: OpKind, operands: &[Type], results: &[Type]) -> Self {
        let timing = match kind {
            _ if kind.class() == Class::State => (-1, -1),
            // At the default index width; `set_digit_time` knows another.
            _ if kind.is_iterative() => {
                let least = results
                    .first()
                    .and_then(|t| least_digit_time(kind, *t, DEFAULT_INDEX_WIDTH))
                    .unwrap_or(0);
                (least, least)
            }
            _ => (0, 1),
        };
        FunctionUnit {
            name: name.into(),
            inputs: operands.to_vec(),
            body: vec![BodyOp {
                kind: kind.into(),
                operands: (0..operands.len()).map(BodyValue::Input).collect(),
                results: results.to_vec(),
            }],
            results: (0..results.len()).map(|result| BodyValue::Result { op: 0, result }).collect(),
            latency: timing.0,
            interval: timing.1,
        }
    }

    /// The least latency and interval that it can have, if it works digit by digit.
    pub fn least_digit_time(&self, index_width: u32) -> Option<i32> {
        let op = self.body.iter().find(|op| op.kind.is_iterative())?;
        least_digit_time(op.kind.op()?, *op.results.first()?, index_width)
    }

    /// Gives a unit that works digit by digit the least latency and interval it can have, and leaves others alone.
    pub fn set_digit_time(&mut self, index_width: u32) {
        if let Some(least) = self.least_digit_time(index_width) {
            (self.latency, self.interval) = (least, least);
        }
    }

    /// The op and its index order, when the body is one op whose ports are the FU's ports in order.
    pub fn single_op(&self) -> Option<OpKind> {
        let [op] = self.body.as_slice() else { return None };
        let inputs_in_order = op.operands.iter().enumerate().all(|(i, v)| *v == BodyValue::Input(i));
        let results_in_order = self.results.len() == op.results.len()
            && self.results.iter().enumerate().all(|(i, v)| *v == BodyValue::Result { op: 0, result: i });
        let in_order = inputs_in_order && op.operands.len() == self.inputs.len() && results_in_order;
        op.kind.op().filter(|_| in_order)
    }

    /// Whether the body is a `dataflow` state machine.
    pub fn is_state_machine(&self) -> bool {
        self.body.iter().any(|op| op.kind.class() == Class::State)
    }

    /// Of a PE with so many input muxes those whose tokens are taken together with an operand: an immediate there is one while such
    /// a token waits. An access has two halves that know nothing of each other: address and control, and the data.
    pub fn taken_with(&self, operand: usize, muxes: usize) -> Vec<usize> {
        match (self.single_op(), operand) {
            (Some(OpKind::Load | OpKind::Store), 1) => Vec::new(),
            (Some(OpKind::Load | OpKind::Store), _) => vec![0, 2],
            _ => (0..muxes).collect(),
        }
    }

    /// Type of a body value.
    pub fn value_type(&self, value: BodyValue) -> Type {
        match value {
            BodyValue::Input(i) => self.inputs[i],
            BodyValue::Result { op, result } => self.body[op].results[result],
        }
    }

    /// Native types of the outputs.
    pub fn output_types(&self) -> Vec<Type> {
        self.results.iter().map(|&v| self.value_type(v)).collect()
    }
}
