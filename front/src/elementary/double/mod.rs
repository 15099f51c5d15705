//! Formulas in double precision: sums and products of doubles, straight on, with less than 1 ulp between a result and the true one.
//!
//! What rounding takes is kept where it would count (Dekker 1971, Knuth); polynomials stand for what is small beside the first
//! terms. One division, or a root, takes the place of much else in most of them.

mod arc;
mod erf;
mod exp;
mod hyperbolic;
mod log;
mod pow;
mod root;
mod steps;
mod turn;

use super::pen::{Calculator, Pen};
use loom_dfg::OpKind;

/// The value of an elementary function. Panics on another op.
#[inline(always)]
pub fn value<C: Calculator>(pen: &mut Pen<C>, kind: OpKind, operands: &[C::Value]) -> C::Value {
    let x = operands[0];
    match kind {
        OpKind::Exp => exp::natural(pen, x),
        OpKind::Exp2 => exp::binary(pen, x),
        OpKind::Expm1 => exp::natural_less_one(pen, x),
        OpKind::Log => log::natural(pen, x),
        OpKind::Log2 => log::to_base(pen, x, &log::BINARY),
        OpKind::Log10 => log::to_base(pen, x, &log::DECIMAL),
        OpKind::Log1p => log::one_more(pen, x),
        OpKind::Sin => turn::sine(pen, x),
        OpKind::Cos => turn::cosine(pen, x),
        OpKind::Tan => turn::tangent(pen, x),
        OpKind::Asin => arc::sine(pen, x),
        OpKind::Acos => arc::cosine(pen, x),
        OpKind::Atan => arc::tangent(pen, x),
        OpKind::Atan2 => arc::coordinates(pen, x, operands[1]),
        OpKind::Sinh => hyperbolic::sine(pen, x),
        OpKind::Cosh => hyperbolic::cosine(pen, x),
        OpKind::Tanh => hyperbolic::tangent(pen, x),
        OpKind::Cbrt => root::cube(pen, x),
        OpKind::Powf => pow::value(pen, x, operands[1]),
        OpKind::Erf => erf::value(pen, x),
        kind => unreachable!("{kind} is not in the list"),
    }
}
