//! What a compound node and a unit's body compute, as text: equal texts, equal trees but for operands that may change places.
//!
//! A reading of its own, without the places that [`crate::model::bodies`] finds: operands are `%`, and of an op whose operands may
//! change places they stand in the order of their texts. Widths are [`crate::model::tech::fits`]'s; which operand goes to which input
//! follows from the trees, and the decoder reads it back.

use loom_adg::model::{BodyValue, FunctionUnit};
use loom_dfg::{CoveredSource, Node, OpKind};

/// What a compound node computes.
fn of_node(node: &Node) -> Option<String> {
    let mut texts: Vec<String> = Vec::new();
    for op in &node.covers {
        let operands = op.operands.iter().map(|operand| match operand.0 {
            CoveredSource::Operand(_) => "%".to_string(),
            CoveredSource::Op(before) => texts[before].clone(),
        });
        let text = text(op.op.kind(), operands.collect());
        texts.push(text);
    }
    texts.pop()
}

/// Whether a unit computes under some setting of its muxes what a node does.
pub(super) fn is_body(node: &Node, fu: &FunctionUnit) -> bool {
    let wanted = of_node(node);
    fu.effective().iter().any(|e| of_unit(&e.unit) == wanted)
}

/// What a unit without muxes computes, if it has one output and no input twice.
fn of_unit(fu: &FunctionUnit) -> Option<String> {
    let mut texts: Vec<String> = Vec::new();
    for op in &fu.body {
        let operands = op.operands.iter().map(|operand| match *operand {
            BodyValue::Input(_) => "%".to_string(),
            BodyValue::Result { op, .. } => texts[op].clone(),
        });
        let text = text(op.kind.op()?, operands.collect());
        texts.push(text);
    }
    let &[BodyValue::Result { op, .. }] = &fu.results[..] else { return None };
    // In a tree every input stands once.
    let made = texts.swap_remove(op);
    (made.matches('%').count() == fu.inputs.len()).then_some(made)
}

fn text(kind: OpKind, mut operands: Vec<String>) -> String {
    if kind.commutes() {
        operands.sort();
    }
    format!("{kind}({})", operands.join(","))
}
