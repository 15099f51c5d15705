//! What a PE computes by its bits, and what a compound node is: texts that are equal where the two compute the same of the same inputs.
//!
//! `arith.addi(arith.muli(in0,in2),in1)`: operands are the PE's inputs, immediates behind them, and stand in the order of their texts
//! where an op does not care. Shares nothing with what placed the ops on the body.

use loom_adg::layout::payload;
use loom_adg::model::{BodyKind, BodyValue, FunctionUnit};
use loom_adg::{Mux, PeConfig};
use loom_dfg::{CoveredSource, Node, Op, OpKind};

/// What the unit of an enabled PE computes at its first output.
pub(super) fn of_bits(fu: &FunctionUnit, config: &PeConfig, index_width: u32) -> Option<String> {
    let parts = payload(fu, index_width);
    // None for what needs an input that is off.
    let mut texts: Vec<Option<String>> = Vec::new();
    for (k, op) in fu.body.iter().enumerate() {
        let operands = op.operands.iter().map(|operand| match *operand {
            BodyValue::Result { op, .. } => texts[op].clone(),
            BodyValue::Input(i) => match config.inputs.get(i)? {
                Mux::Port(port) => Some(format!("in{port}")),
                _ => None,
            },
        });
        let mut operands: Vec<Option<String>> = operands.collect();
        let code = parts.iter().zip(&config.payload).find(|(part, _)| part.op == k).map(|(_, &code)| code);
        texts.push(match (op.kind, code) {
            (BodyKind::Op(kind), _) => operands
                .into_iter()
                .collect::<Option<Vec<String>>>()
                .map(|operands| text(kind, code, operands)),
            (BodyKind::Mux, Some(choice)) if choice < operands.len() as u64 => {
                operands.swap_remove(choice as usize)
            }
            (BodyKind::Mux, _) => None,
        });
    }
    match fu.results.first()? {
        BodyValue::Result { op, .. } => texts[*op].clone(),
        BodyValue::Input(_) => None,
    }
}

/// What a node of arithmetic computes, with its operands at these inputs.
pub(super) fn of_node(node: &Node, inputs: &[usize]) -> Option<String> {
    let input = |k: usize| inputs.get(k).map(|port| format!("in{port}"));
    if node.covers.is_empty() {
        let operands = (0..node.operands.len()).map(input).collect::<Option<Vec<String>>>()?;
        return Some(text(node.op.kind(), code(node.op), operands));
    }
    let mut texts: Vec<String> = Vec::new();
    for op in &node.covers {
        let operands = op.operands.iter().map(|operand| match operand.0 {
            CoveredSource::Op(before) => texts.get(before).cloned(),
            CoveredSource::Operand(k) => input(k),
        });
        let operands = operands.collect::<Option<Vec<String>>>()?;
        texts.push(text(op.op.kind(), code(op.op), operands));
    }
    texts.pop()
}

fn code(op: Op) -> Option<u64> {
    match op {
        Op::Cmpi(predicate) => Some(predicate as u64),
        Op::Cmpf(predicate) => Some(predicate.code().into()),
        _ => None,
    }
}

fn text(kind: OpKind, code: Option<u64>, mut operands: Vec<String>) -> String {
    if kind.commutes() {
        operands.sort();
    }
    let code = code.map_or(String::new(), |code| format!(" {code}"));
    format!("{kind}{code}({})", operands.join(","))
}
