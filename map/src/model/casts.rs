//! Casts that leave the bits of a channel as they are, so that no unit has to run them.
//!
//! A unit reads the low bits of a channel, as many as its operand has, and what it gives is filled with zeros (docs/hardware.md).
//! So a cast to a type of no more bits changes nothing that anybody reads, and one that fills with zeros changes nothing
//! where there are zeros already: behind comparisons, loads, and what passes their values on.
//!
//! Guarantees: every use sees the same low bits. Casts stay where somebody reads more than the type has: results of
//! the function, selectors of muxes, which a unit may read as wider numbers, and words of memory that are not whole bytes.

use loom_dfg::graph::{Graph, Node, Use, ValueDef, ValueId};
use loom_dfg::op::{Choice, Form, IntBinary, StateOp, SteerOp, WidthRule};
use loom_dfg::{Op, OpKind, Type};

/// By value: the one whose channel it shares; itself but for results of casts that vanish. Of a chain of casts each names the one
/// before it.
pub fn same_bits(graph: &Graph, index_width: u32) -> Vec<ValueId> {
    let casts = Casts { graph, index_width, uses: graph.uses() };
    let filled = casts.filled();
    let mut same: Vec<ValueId> = (0..graph.values.len() as u32).map(ValueId).collect();
    for node in &graph.nodes {
        if casts.vanishes(node, &filled) {
            same[node.results[0].0 as usize] = node.operands[0];
        }
    }
    same
}

struct Casts<'a> {
    graph: &'a Graph,
    index_width: u32,
    uses: Vec<Vec<Use>>,
}

impl Casts<'_> {
    fn width(&self, ty: Type) -> u32 {
        ty.width(self.index_width)
    }

    /// By value: whether all bits of its channel above those of its type are zero. True until shown otherwise, since values
    /// go round in loops; each turns once.
    fn filled(&self) -> Vec<bool> {
        let mut filled: Vec<bool> =
            self.graph.values.iter().map(|v| !matches!(v.def, ValueDef::Argument(_))).collect();
        let mut work: Vec<usize> = (0..self.graph.nodes.len()).collect();
        for &a in &self.graph.arguments {
            work.extend(self.users(a));
        }
        while let Some(n) = work.pop() {
            let node = &self.graph.nodes[n];
            for (r, v) in node.results.iter().enumerate() {
                if filled[v.0 as usize] && !self.fills(node, r, &filled) {
                    filled[v.0 as usize] = false;
                    work.extend(self.users(*v));
                }
            }
        }
        filled
    }

    fn users(&self, v: ValueId) -> impl Iterator<Item = usize> + '_ {
        self.uses[v.0 as usize].iter().filter_map(|u| match u {
            Use::Operand { node, .. } => Some(node.0 as usize),
            Use::Output(_) => None,
        })
    }

    /// Whether a result has zeros above its type, as far as its operands have them.
    fn fills(&self, node: &Node, result: usize, filled: &[bool]) -> bool {
        let operand = |i: usize| filled[node.operands[i].0 as usize];
        let of = |mut operands: std::ops::Range<usize>| operands.all(operand);
        let kind = node.op.kind();
        match (kind.form(), kind.width_rule()) {
            (Form::Memory(_), _) => match node.op {
                // A word comes with the zeros that fill its last byte, if it has such.
                Op::Memory(id, _) => self.is_whole_bytes(self.graph.memory(id).element),
                _ => true,
            },
            (Form::Access(_), _) => operand(1 - result),
            (Form::State(StateOp::Gate), _) => operand(result),
            (Form::Steer(SteerOp::Constant), _) => match node.op {
                Op::Constant(bits) => {
                    let width = self.width(self.graph.value(node.results[0]).ty);
                    loom_base::truncate(bits, width) == bits
                }
                _ => true,
            },
            (Form::State(StateOp::Invariant | StateOp::InvariantBr) | Form::Steer(SteerOp::CondBr), _) => {
                operand(1)
            }
            (Form::State(StateOp::Carry | StateOp::CarryBr) | Form::Choice(Choice::Select), _) => of(1..3),
            (Form::Steer(SteerOp::Mux(_)), _) => of(1..node.operands.len()),
            (Form::Cast(_), _) => match self.narrowing(node) {
                Some(0) => operand(0),
                Some(_) => false,
                // Units fill what they give with zeros, and where there is no unit there were zeros.
                None => true,
            },
            (Form::IntBinary(IntBinary::Andi), _) => operand(0) || operand(1),
            (Form::IntBinary(IntBinary::Ori | IntBinary::Xori), _) => of(0..2),
            (_, WidthRule::LowBits) => false,
            (_, WidthRule::Exact | WidthRule::PassThrough) => true,
        }
    }

    /// By how many bits a cast that only drops bits is narrower.
    fn narrowing(&self, node: &Node) -> Option<u32> {
        let [from, to] = [node.operands[0], node.results[0]].map(|v| self.width(self.graph.value(v).ty));
        let kind = node.op.kind();
        let moves = matches!(
            kind,
            OpKind::Trunci | OpKind::Extui | OpKind::IndexCast | OpKind::IndexCastui | OpKind::Bitcast
        );
        moves.then(|| from.checked_sub(to)).flatten()
    }

    fn vanishes(&self, node: &Node, filled: &[bool]) -> bool {
        let unsigned = matches!(node.op.kind(), OpKind::Extui | OpKind::IndexCastui);
        let same = self.narrowing(node).is_some() || unsigned && filled[node.operands[0].0 as usize];
        same && self.graph.literal(node.operands[0]).is_none()
            && self.uses[node.results[0].0 as usize].iter().all(|u| self.reads_low_bits(u))
    }

    fn reads_low_bits(&self, of: &Use) -> bool {
        let Use::Operand { node, operand } = *of else { return false };
        match (self.graph.node(node).op, self.graph.kind(node).form()) {
            (_, Form::Steer(SteerOp::Mux(_))) => operand > 0,
            (_, Form::Access(_)) => {
                let data = self.graph.value(self.graph.node(node).operands[1]).ty;
                operand != 1 || self.is_whole_bytes(data)
            }
            (Op::Memory(id, _), _) => self.is_whole_bytes(self.graph.memory(id).element),
            _ => true,
        }
    }

    fn is_whole_bytes(&self, ty: Type) -> bool {
        let width = self.width(ty);
        width >= 8 && width.is_power_of_two()
    }
}
