//! What a PE computes by its bits, and what a compound node is: texts that are equal where the two compute the same of the same inputs.
//!
//! `arith.addi(arith.muli(in0,in2),in1)`: operands are the PE's inputs, immediates behind them, and stand in the order of their texts
//! where an op does not care. Shares nothing with what placed the ops on the body.

use loom_adg::layout::payload;
use loom_adg::model::{BodyValue, FunctionUnit};
use loom_adg::{Mux, PeConfig};
use loom_dfg::{CoveredSource, Node, Op, OpKind};

/// What the unit of an enabled PE computes at its first output.
pub(super) fn of_bits(fu: &FunctionUnit, config: &PeConfig, index_width: u32) -> Option<String> {
    let parts = payload(fu, index_width);
    let mut texts: Vec<String> = Vec::new();
    for (k, op) in fu.body.iter().enumerate() {
        let operands = op.operands.iter().map(|operand| match *operand {
            BodyValue::Result { op, .. } => texts.get(op).cloned(),
            BodyValue::Input(i) => match config.inputs.get(i)? {
                Mux::Port(port) => Some(format!("in{port}")),
                _ => None,
            },
        });
        let operands = operands.collect::<Option<Vec<String>>>()?;
        let code = parts.iter().zip(&config.payload).find(|(part, _)| part.op == k).map(|(_, &code)| code);
        texts.push(text(op.kind, code, operands));
    }
    match fu.results.first()? {
        BodyValue::Result { op, .. } => texts.get(*op).cloned(),
        BodyValue::Input(_) => None,
    }
}

/// What a compound node computes, with its operands at these inputs.
pub(super) fn of_node(node: &Node, inputs: &[usize]) -> Option<String> {
    let mut texts: Vec<String> = Vec::new();
    for op in &node.covers {
        let operands = op.operands.iter().map(|operand| match operand.0 {
            CoveredSource::Op(before) => texts.get(before).cloned(),
            CoveredSource::Operand(k) => inputs.get(k).map(|port| format!("in{port}")),
        });
        let code = match op.op {
            Op::Cmpi(predicate) => Some(predicate as u64),
            Op::Cmpf(predicate) => Some(predicate.code().into()),
            _ => None,
        };
        let operands = operands.collect::<Option<Vec<String>>>()?;
        texts.push(text(op.op.kind(), code, operands));
    }
    texts.pop()
}

fn text(kind: OpKind, code: Option<u64>, mut operands: Vec<String>) -> String {
    if kind.commutes() {
        operands.sort();
    }
    let code = code.map_or(String::new(), |code| format!(" {code}"));
    format!("{kind}{code}({})", operands.join(","))
}
