//! How long operators take, in units of about 60 ps of a 180 nm standard-cell library; only ratios matter to the cut.
//!
//! Measured with yosys and a timing analyser on operators of 8 to 64 bits, rounded. A word's operator is one gate deep; what
//! looks at all bits of a word, or drives all of them from one, grows with the logarithm of the width.

use crate::ir::expr::{Binary, ExprKind, Unary};
use crate::ir::Expr;

/// A gate of two inputs.
const GATE: u32 = 3;
/// A mux, from its data.
const MUX: u32 = 3;

fn log2(width: u32) -> u32 {
    width.next_power_of_two().ilog2()
}

/// From each operand of an operator to its result.
pub(super) fn of_operands(op: &Expr) -> Vec<u32> {
    match op.node() {
        ExprKind::Unary(Unary::Not, _) => vec![0],
        ExprKind::Unary(Unary::Neg, a) => vec![carries(a.width())],
        ExprKind::Unary(Unary::RedAnd | Unary::RedOr, a) => vec![2 + log2(a.width())],
        ExprKind::Unary(Unary::RedXor, a) => vec![GATE * log2(a.width())],
        ExprKind::Binary(op, a, b) => {
            let both = match op {
                Binary::And | Binary::Or | Binary::Xor => GATE,
                Binary::Add | Binary::Sub => carries(a.width()),
                Binary::Eq | Binary::Ne => GATE + log2(a.width()),
                Binary::Ult | Binary::Ule | Binary::Slt | Binary::Sle => 5 + 2 * log2(a.width()),
                // Taken apart before anybody asks; as one step they are as deep as their steps.
                Binary::Mul => 2 * GATE * log2(a.width()) + carries(a.width()),
                Binary::Shl | Binary::Shr | Binary::Sshr => {
                    log2(a.width()) + MUX * b.width().min(log2(a.width()))
                }
            };
            vec![both; 2]
        }
        // The condition drives a mux for each bit.
        ExprKind::Mux(_, then, _) => vec![MUX + log2(then.width()), MUX, MUX],
        _ => Vec::new(),
    }
}

/// A bit that drives so many places.
pub(super) fn of_copies(times: u32) -> u32 {
    log2(times)
}

/// A sum that is not taken apart: its carry ripples.
fn carries(width: u32) -> u32 {
    2 + 2 * width
}
