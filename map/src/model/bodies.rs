//! Whether the body of a unit does what a compound node does (D14), and in which places.
//!
//! Guarantees: a fit gives every operand of the node an input of its own and every op of the body one of the node's, of the same kind,
//! between the same ops, in types that the width rule allows (D8). Operands change places only where their op does not care.
//! Refuses bodies that are no trees: where an input or an inner result is used twice, no operand is told from another one.

use loom_adg::model::{BodyValue, FunctionUnit};
use loom_dfg::op::{Class, WidthRule};
use loom_dfg::{CoveredSource, Node, OpKind, Type};

/// How a compound node sits on a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyFit {
    /// By operand of the node: the unit's input.
    pub inputs: Vec<usize>,
    /// By op of the body: the op of the node.
    pub ops: Vec<usize>,
}

/// Whether an op may run in these types: pairs of what the graph has and what the unit has (C2).
pub fn types_fit(kind: OpKind, mut pairs: impl Iterator<Item = (Type, Type)>, index_width: u32) -> bool {
    let width = |t: Type| t.width(index_width);
    match kind.width_rule() {
        // The selector of a mux is an index, not a value that passes through.
        WidthRule::PassThrough => pairs.all(|(s, h)| width(s) <= width(h)),
        WidthRule::LowBits => pairs.all(|(s, h)| width(s) <= width(h) && (h.is_integral() || s == h)),
        // Floats of one width are not alike.
        WidthRule::Exact => {
            pairs.all(|(s, h)| width(s) == width(h) && (s == h || !(s.is_float() || h.is_float())))
        }
    }
}

/// Whether an op may be one of several in a node or body.
pub fn is_coverable(kind: OpKind) -> bool {
    kind.class() == Class::Arith && kind.in_hardware() && !kind.is_iterative() && kind.result_count() == 1
}

/// The op that a unit's body ends with, if the body has several and is a tree of arithmetic.
pub fn root(fu: &FunctionUnit) -> Option<usize> {
    let &[BodyValue::Result { op: root, result: 0 }] = &fu.results[..] else { return None };
    let used = |v: BodyValue| fu.body.iter().flat_map(|op| &op.operands).filter(|&&o| o == v).count();
    let once = (0..fu.inputs.len()).all(|i| used(BodyValue::Input(i)) == 1)
        && (0..fu.body.len()).all(|op| used(BodyValue::Result { op, result: 0 }) == usize::from(op != root));
    let covers = fu.body.len() > 1 && fu.body.iter().all(|op| op.kind.op().is_some_and(is_coverable));
    (once && covers).then_some(root)
}

/// The orders in which an op may read its operands: by operand of the graph, that of the unit.
pub fn orders(kind: OpKind) -> Vec<Vec<usize>> {
    let straight = (0..kind.operand_count()).collect();
    match kind.commutes() {
        true => vec![straight, vec![1, 0]],
        false => vec![straight],
    }
}

/// How a compound node sits on a unit without muxes, if the unit runs it; the first way, which is any: they give the same.
pub fn fit(node: &Node, fu: &FunctionUnit, index_width: u32) -> Option<BodyFit> {
    let (last, root) = (node.covers.len().checked_sub(1)?, root(fu)?);
    if node.covers.len() != fu.body.len() || node.operands.len() != fu.inputs.len() {
        return None;
    }
    let (inputs, ops) = (vec![usize::MAX; node.operands.len()], vec![usize::MAX; fu.body.len()]);
    let mut found = BodyFit { inputs, ops };
    let fits = found.place(node, fu, index_width, (last, root));
    (fits && ![&found.inputs, &found.ops].iter().any(|l| l.contains(&usize::MAX))).then_some(found)
}

impl BodyFit {
    /// Places an op of the node on one of the body, and what is before it. In a tree the ways of two operands have nothing in
    /// common, so the first order that fits is taken; what an order that does not fit has written is written again.
    fn place(&mut self, node: &Node, fu: &FunctionUnit, index_width: u32, (at, on): (usize, usize)) -> bool {
        let (covered, body) = (&node.covers[at], &fu.body[on]);
        let kind = covered.op.kind();
        if body.kind != kind {
            return false;
        }
        self.ops[on] = at;
        orders(kind).into_iter().any(|order| {
            let hardware = |i: usize| body.operands[order[i]];
            let types = covered.operands.iter().enumerate().map(|(i, o)| (o.1, fu.value_type(hardware(i))));
            let types = types.chain([(covered.result, body.results[0])]);
            types_fit(kind, types, index_width)
                && covered.operands.iter().enumerate().all(|(i, operand)| match (operand.0, hardware(i)) {
                    (CoveredSource::Operand(k), BodyValue::Input(input)) => {
                        self.inputs[k] = input;
                        true
                    }
                    (CoveredSource::Op(before), BodyValue::Result { op, .. }) => {
                        self.place(node, fu, index_width, (before, op))
                    }
                    _ => false,
                })
        })
    }
}
