//! The steps of elementary functions, computed.

use super::circuit::{Circuit, Finite};
use super::draw::{draw, draw_of_two};
use super::steps::Shape;
use crate::op::{Elementary, FloatBinary};
use crate::Type;

/// The bits of a function of bits, at a type that it has a unit for.
pub fn value(op: Elementary, ty: Type, bits: u64) -> Option<u64> {
    let x = Bits { width: ty.width(0), value: bits.into() };
    Some(draw(&mut Host, op, ty, &x)?.value as u64)
}

/// The same of two operands.
pub fn value_of_two(op: FloatBinary, ty: Type, operands: [u64; 2]) -> Option<u64> {
    let [a, b] = operands.map(|bits| Bits { width: ty.width(0), value: bits.into() });
    Some(draw_of_two(&mut Host, op, ty, [&a, &b])?.value as u64)
}

/// A word: at most 128 bits, those above its width are 0.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    pub width: u32,
    pub value: u128,
}

impl Bits {
    pub fn new(width: u32, value: u128) -> Bits {
        let mask = if width == 0 { 0 } else { u128::MAX >> (128 - width) };
        Bits { width, value: value & mask }
    }
}

/// Computes.
pub(super) struct Host;

impl Circuit for Host {
    type Word = Bits;

    fn part(&mut self, _: &'static str, _: &str) {}

    fn width(&self, a: &Bits) -> u32 {
        a.width
    }

    fn literal(&mut self, width: u32, value: u128) -> Bits {
        Bits::new(width, value)
    }

    fn sum(&mut self, a: &Bits, b: &Bits) -> Bits {
        debug_assert_eq!(a.width, b.width);
        Bits::new(a.width, a.value.wrapping_add(b.value))
    }

    fn difference(&mut self, a: &Bits, b: &Bits) -> Bits {
        debug_assert_eq!(a.width, b.width);
        Bits::new(a.width, a.value.wrapping_sub(b.value))
    }

    fn product(&mut self, a: &Bits, b: &Bits, width: u32) -> Bits {
        debug_assert!(a.width <= width && b.width <= width);
        Bits::new(width, a.value.wrapping_mul(b.value))
    }

    fn and(&mut self, a: &Bits, b: &Bits) -> Bits {
        debug_assert_eq!(a.width, b.width);
        Bits { width: a.width, value: a.value & b.value }
    }

    fn or(&mut self, a: &Bits, b: &Bits) -> Bits {
        debug_assert_eq!(a.width, b.width);
        Bits { width: a.width, value: a.value | b.value }
    }

    fn differing(&mut self, a: &Bits, b: &Bits) -> Bits {
        debug_assert_eq!(a.width, b.width);
        Bits { width: a.width, value: a.value ^ b.value }
    }

    fn up(&mut self, a: &Bits, amount: &Bits) -> Bits {
        let far = amount.value >= a.width.into();
        Bits::new(a.width, if far { 0 } else { a.value << amount.value })
    }

    fn down(&mut self, a: &Bits, amount: &Bits) -> Bits {
        let far = amount.value >= a.width.into();
        Bits::new(a.width, if far { 0 } else { a.value >> amount.value })
    }

    fn slice(&mut self, a: &Bits, low: u32, width: u32) -> Bits {
        debug_assert!(low + width <= a.width);
        Bits::new(width, a.value.checked_shr(low).unwrap_or(0))
    }

    fn join(&mut self, high: &Bits, low: &Bits) -> Bits {
        debug_assert!(high.width + low.width <= 128);
        let above = high.value.checked_shl(low.width).unwrap_or(0);
        Bits { width: high.width + low.width, value: above | low.value }
    }

    fn copies(&mut self, bit: &Bits, times: u32) -> Bits {
        Bits::new(times, if bit.value == 0 { 0 } else { u128::MAX })
    }

    fn choice(&mut self, bit: &Bits, then: &Bits, otherwise: &Bits) -> Bits {
        debug_assert_eq!((bit.width, then.width), (1, otherwise.width));
        *if bit.value == 1 { then } else { otherwise }
    }

    fn below(&mut self, a: &Bits, b: &Bits) -> Bits {
        debug_assert_eq!(a.width, b.width);
        Bits::new(1, (a.value < b.value).into())
    }

    fn any(&mut self, a: &Bits) -> Bits {
        Bits::new(1, (a.value != 0).into())
    }

    fn zeros(&mut self, a: &Bits) -> Bits {
        let zeros = a.value.leading_zeros() - (128 - a.width);
        Bits::new(a.width.ilog2() + 1, zeros.into())
    }

    fn entry(&mut self, index: &Bits, table: &[u128], width: u32) -> Bits {
        let at = usize::try_from(index.value).ok();
        Bits::new(width, at.and_then(|at| table.get(at)).copied().unwrap_or(0))
    }

    fn rounded(&mut self, ty: Type, value: Finite<Bits>) -> Bits {
        let shape = Shape::of(ty).expect("a type with units");
        let Finite { sign, exponent, significand, .. } = value;
        let exponent = loom_base::sign_extend(exponent.value as u64, exponent.width);
        let magnitude = nearest(shape, exponent, significand);
        Bits { width: shape.width(), value: sign.value << (shape.width() - 1) | magnitude }
    }
}

/// The bits below the sign.
fn nearest(shape: Shape, exponent: i64, significand: Bits) -> u128 {
    if significand.value == 0 {
        return 0;
    }
    let zeros = significand.value.leading_zeros();
    let field = exponent - i64::from(zeros - (128 - significand.width));
    // The highest one at the top of the word; below the normal numbers it stands lower.
    let (place, field) = if field >= 1 { (0, field) } else { (1 - field, 0) };
    let all = significand.value << zeros;
    let cut = u128::from(127 - shape.fraction) + place as u128;
    // What is lost stands at the top of a word; of what is far below the last place, only that it is less than half.
    let (kept, lost) = match cut {
        0 => (all, 0),
        1..=127 => (all >> cut, all << (128 - cut)),
        128 => (0, all),
        _ => (0, 1),
    };
    let half = 1u128 << 127;
    let up = lost > half || lost == half && kept & 1 == 1;
    // The hidden bit counts as one of the exponent.
    let base = (field.max(1) - 1) as u128;
    let rounded = (base << shape.fraction) + kept + u128::from(up);
    let infinity = ((1u128 << shape.exponent) - 1) << shape.fraction;
    rounded.min(infinity)
}
