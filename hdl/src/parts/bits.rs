//! Counting, negating and reversing bits, as trees: depth grows with the logarithm of the width.
//!
//! Results have the width of the operand, which always holds the count. Operands have at least one bit.

use crate::ir::{Expr, Module};

/// The bits in the opposite order.
pub(super) fn reverse(a: &Expr) -> Expr {
    Expr::concat(&(0..a.width()).map(|i| a.bit(i)).collect::<Vec<_>>())
}

/// The negative number: bits above the lowest one turn. Shallower than a subtraction, and larger.
pub(super) fn negative(m: &mut Module, a: &Expr) -> Expr {
    let width = a.width() - 1;
    m.comment("Whether there is a one at a place or below it: among two places, four, ...");
    let mut ones = a.slice(0, width);
    let mut reach = 1;
    while reach < width {
        let below = Expr::concat(&[ones.slice(0, width - reach), Expr::zero(reach)]);
        reach *= 2;
        ones = m.wire(&format!("one_in{reach}"), ones.or(&below));
    }
    a.xor(&Expr::concat(&[ones, Expr::zero(1)]))
}

/// Number of zeros above the highest one; the width for 0.
pub(super) fn leading_zeros(m: &mut Module, a: &Expr) -> Expr {
    let width = a.width();
    m.comment(
        "Leading zeros of halves, quarters, ...: the top bit of a count says that its part is all zeros.",
    );
    // Ones below the value end the count at its width.
    let padded = Expr::concat(&[a.clone(), Expr::ones(width.next_power_of_two() - width)]);
    // From the highest bit down: a single bit has one leading zero when it is 0.
    let mut counts: Vec<Expr> = (0..padded.width()).rev().map(|i| padded.bit(i).not()).collect();
    while counts.len() > 1 {
        let size = padded.width() as usize / counts.len() * 2;
        let pairs: Vec<Expr> = counts
            .chunks(2)
            .enumerate()
            .map(|(at, pair)| {
                let (high, low) = (&pair[0], &pair[1]);
                let rest = high.width() - 1;
                let count = Expr::concat(&[
                    high.msb().and(&low.msb()),
                    high.msb().and(&low.msb().not()),
                    high.msb().mux(&low.slice(0, rest), &high.slice(0, rest)),
                ]);
                m.wire(&format!("zeros{size}_{at}"), count)
            })
            .collect();
        counts = pairs;
    }
    counts.remove(0).zext(width)
}

/// Number of ones.
pub(super) fn ones(m: &mut Module, a: &Expr) -> Expr {
    m.comment("Ones of pairs, of fours, ...");
    let mut counts: Vec<(Expr, u32)> = (0..a.width()).map(|i| (a.bit(i), 1)).collect();
    let mut level = 1;
    while counts.len() > 1 {
        level *= 2;
        let sums: Vec<(Expr, u32)> = counts
            .chunks(2)
            .enumerate()
            .map(|(at, pair)| match pair {
                [(x, most_x), (y, most_y)] => {
                    let most = most_x + most_y;
                    let width = 32 - most.leading_zeros();
                    (m.wire(&format!("ones{level}_{at}"), x.zext(width).add(&y.zext(width))), most)
                }
                rest => rest[0].clone(),
            })
            .collect();
        counts = sums;
    }
    counts.remove(0).0.zext(a.width())
}
