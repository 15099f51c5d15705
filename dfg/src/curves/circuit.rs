//! What takes the steps of a function: one computes them, another draws them.
//!
//! Words are unsigned, of any width; operands of a sum, a difference or an operator on bits have one width, and so has the result, which
//! wraps. Refuses nothing: who writes steps keeps to the widths.

use crate::Type;

/// Takes steps.
pub trait Circuit {
    /// Some bits.
    type Word: Clone;

    /// Says what follows, for who reads the drawing; names of its wires begin with `name`.
    fn part(&mut self, name: &'static str, what: &str);

    /// How many bits.
    fn width(&self, a: &Self::Word) -> u32;
    /// A literal.
    fn literal(&mut self, width: u32, value: u128) -> Self::Word;
    /// a + b
    fn sum(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// a - b
    fn difference(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// The low `width` bits of a * b, of factors of any widths up to that.
    fn product(&mut self, a: &Self::Word, b: &Self::Word, width: u32) -> Self::Word;
    /// a & b
    fn and(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// a | b
    fn or(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// a ^ b
    fn differing(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// a << amount; an amount of any width.
    fn up(&mut self, a: &Self::Word, amount: &Self::Word) -> Self::Word;
    /// a >> amount; an amount of any width.
    fn down(&mut self, a: &Self::Word, amount: &Self::Word) -> Self::Word;
    /// `width` bits from bit `low` up.
    fn slice(&mut self, a: &Self::Word, low: u32, width: u32) -> Self::Word;
    /// The bits of `high` above those of `low`.
    fn join(&mut self, high: &Self::Word, low: &Self::Word) -> Self::Word;
    /// One bit so many times.
    fn copies(&mut self, bit: &Self::Word, times: u32) -> Self::Word;
    /// `then` where the bit is set.
    fn choice(&mut self, bit: &Self::Word, then: &Self::Word, otherwise: &Self::Word) -> Self::Word;
    /// One bit: whether a < b.
    fn below(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// One bit: whether any is set.
    fn any(&mut self, a: &Self::Word) -> Self::Word;
    /// Zeros above the highest one, the width for 0, in as few bits as hold the width.
    fn zeros(&mut self, a: &Self::Word) -> Self::Word;
    /// The entry of a table; 0 beyond its end.
    fn entry(&mut self, index: &Self::Word, table: &[u128], width: u32) -> Self::Word;
    /// The nearest float, ties to even, of a finite number: `value.exponent` is the exponent field that the highest bit of the
    /// significand would have, in two's complement.
    fn rounded(&mut self, ty: Type, value: Finite<Self::Word>) -> Self::Word;
}

/// A number before it is rounded.
pub struct Finite<W> {
    /// One bit.
    pub sign: W,
    /// In two's complement, two bits wider than the field at least.
    pub exponent: W,
    /// Never below this.
    pub least: i64,
    /// Its bits.
    pub significand: W,
    /// Whether the highest of them is always set.
    pub is_normal: bool,
}
