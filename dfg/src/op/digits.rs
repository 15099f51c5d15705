//! How long units work that make their results digit by digit.

use super::{FloatBinary, FloatUnary, Form, OpKind};
use crate::Type;

impl OpKind {
    /// Cycles that its unit works at most between the one that takes operands of type `ty` and the one that shows the result;
    /// `None` unless it works digit by digit. A float's quotient takes a cycle to bring both significands to the top, one
    /// for each bit of the fraction, the hidden bit, the bit that a smaller dividend costs and the round bit, and one to
    /// round; a root is never short of a bit, nor is its reciprocal. A remainder takes a subtraction for each place between the
    /// exponents, between a cycle that brings the divisor to the top and one that rounds.
    pub fn digit_cycles(self, ty: Type, index_width: u32) -> Option<u32> {
        match self.form() {
            Form::Division(_) => Some(ty.width(index_width)),
            Form::FloatBinary(FloatBinary::Divf) => Some(1 + ty.fraction_bits() + 3 + 1),
            Form::FloatBinary(FloatBinary::Remf) => Some(1 + most_subtractions(ty) + 1),
            Form::FloatUnary(FloatUnary::Sqrt | FloatUnary::Rsqrt) => Some(1 + ty.fraction_bits() + 2 + 1),
            _ => None,
        }
    }

    /// How many of these cycles the unit leaves out, since these operands need fewer: so much earlier the result is there and the
    /// unit free.
    pub fn cycles_left_out(self, ty: Type, operands: &[u64]) -> u32 {
        match (self.form(), operands) {
            (Form::FloatBinary(FloatBinary::Remf), &[a, b, ..]) => {
                most_subtractions(ty) - subtractions(ty, a, b)
            }
            _ => 0,
        }
    }

    /// The most that it leaves out, whatever the operands: a smaller number is its own remainder.
    pub fn most_cycles_left_out(self, ty: Type) -> u32 {
        match self.form() {
            Form::FloatBinary(FloatBinary::Remf) => most_subtractions(ty),
            _ => 0,
        }
    }
}

fn exponent_bits(ty: Type) -> u32 {
    ty.width(0) - 1 - ty.fraction_bits()
}

/// Of the largest exponent field, by a zero.
fn most_subtractions(ty: Type) -> u32 {
    (1 << exponent_bits(ty)) + ty.fraction_bits()
}

/// One for each place from the dividend's exponent down to that of the divisor with its highest one at the top, of subnormals as of
/// the least normal numbers; none where that is above.
fn subtractions(ty: Type, a: u64, b: u64) -> u32 {
    let places = ty.fraction_bits();
    let field = |bits: u64| loom_base::truncate(bits >> places, exponent_bits(ty)) as u32;
    let divisor = loom_base::truncate(b, places) | u64::from(field(b) > 0) << places;
    let up = divisor.leading_zeros() - (63 - places);
    // Both with the same added, so that neither is negative.
    (field(a).max(1) + up + 1).saturating_sub(field(b).max(1))
}
