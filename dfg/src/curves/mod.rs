//! What the units of elementary functions compute, bit by bit, for `bf16`, `f16` and `f32`.
//!
//! Each function is written once, as steps on words of bits ([`Circuit`]): the golden and the native model compute the steps
//! ([`value`]), the generator draws them. Steps are whole numbers only: the operand taken apart, an exact reduction of
//! its range, a polynomial from a table (`pieces`), one rounding, and what IEEE 754 says of special operands.
//!
//! Guarantees: total; less than 1 ulp from the true value (docs/dfg.md has the largest errors, which tests measure); subnormals
//! are kept; a computed NaN is the canonical one; where the true value is a float, as at `exp2(3)`, it is the result. The functions
//! are odd, or even, where the true ones are. Refuses nothing: [`is_built`] says which functions there are, and at which types.

mod angle;
mod arc;
mod circuit;
mod draw;
mod host;
mod log;
mod odd;
mod pieces;
mod power;
mod root;
mod steps;
mod turn;

pub use circuit::{Circuit, Finite};
pub use draw::{draw, draw_of_two};
pub use host::{value, value_of_two};
pub use steps::TYPES;

use crate::op::{FloatBinary, Form};
use crate::{OpKind, Type};

/// Whether a unit of the op on this type can be built; true of what is no elementary function.
pub fn is_built(kind: OpKind, ty: Type) -> bool {
    match kind.form() {
        Form::Elementary(_) | Form::FloatBinary(FloatBinary::Powf | FloatBinary::Atan2) => {
            kind.in_hardware() && TYPES.contains(&ty)
        }
        _ => true,
    }
}
