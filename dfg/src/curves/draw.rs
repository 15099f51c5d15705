//! Which steps each function has.

use super::circuit::Circuit;
use super::steps::{Shape, Steps};
use super::{angle, arc, log, odd, power, root, turn};
use crate::op::{Elementary, FloatBinary};
use crate::Type;

/// Takes the steps of a function; `None` of one that has none.
pub fn draw<C: Circuit>(c: &mut C, op: Elementary, ty: Type, x: &C::Word) -> Option<C::Word> {
    let shape = Shape::of(ty)?;
    let mut steps = Steps { c, shape };
    Some(match op {
        Elementary::Exp | Elementary::Exp2 => power::value(&mut steps, x, op),
        Elementary::Log | Elementary::Log2 | Elementary::Log10 => log::value(&mut steps, x, op),
        Elementary::Sin => turn::value(&mut steps, x, false),
        Elementary::Cos => turn::value(&mut steps, x, true),
        Elementary::Tan => turn::tangent(&mut steps, x),
        Elementary::Cbrt => root::value(&mut steps, x),
        Elementary::Atan => arc::value(&mut steps, x),
        Elementary::Tanh | Elementary::Erf => odd::value(&mut steps, x, op),
        Elementary::Asin
        | Elementary::Acos
        | Elementary::Sinh
        | Elementary::Cosh
        | Elementary::Expm1
        | Elementary::Log1p => return None,
    })
}

/// Takes the steps of a function of two operands; `None` of one that has none.
pub fn draw_of_two<C: Circuit>(
    c: &mut C,
    op: FloatBinary,
    ty: Type,
    operands: [&C::Word; 2],
) -> Option<C::Word> {
    let shape = Shape::of(ty)?;
    let mut steps = Steps { c, shape };
    match op {
        FloatBinary::Atan2 => Some(angle::value(&mut steps, operands)),
        FloatBinary::Addf
        | FloatBinary::Subf
        | FloatBinary::Mulf
        | FloatBinary::Divf
        | FloatBinary::Remf
        | FloatBinary::Maximumf
        | FloatBinary::Minimumf
        | FloatBinary::Maxnumf
        | FloatBinary::Minnumf
        | FloatBinary::Powf
        | FloatBinary::Copysign => None,
    }
}
