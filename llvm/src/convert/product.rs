//! Products of more than 32 bits that say whether they overflowed.

use super::Converter;
use loom_dfg::{OpKind, Predicate, Type};
use loom_front::ir::ValueId;

const WIDE: Type = Type::Int(64);

impl Converter<'_> {
    /// A product of numbers of 33 to 64 bits, and whether it left their range.
    pub(super) fn wide_product(
        &mut self,
        operands: [ValueId; 2],
        signed: bool,
        ty: Type,
    ) -> (ValueId, ValueId) {
        let extend = if signed { OpKind::Extsi } else { OpKind::Extui };
        let wide = |c: &mut Self, v| if ty == WIDE { v } else { c.scalar(extend, &[v], WIDE) };
        let [x, y] = operands.map(|v| wide(self, v));
        let low = self.scalar(OpKind::Muli, &[x, y], WIDE);
        let high = self.high_half(x, y, signed);
        // What the high half is where the low one is the whole product.
        let fill = match signed {
            true => {
                let amount = self.constant(WIDE, 63);
                self.scalar(OpKind::Shrsi, &[low, amount], WIDE)
            }
            false => self.constant(WIDE, 0),
        };
        let overflow = self.compare(Predicate::Ne, high, fill);
        if ty == WIDE {
            return (low, overflow);
        }
        let value = self.scalar(OpKind::Trunci, &[low], ty);
        let back = wide(self, value);
        let is_cut = self.compare(Predicate::Ne, back, low);
        (value, self.scalar(OpKind::Ori, &[overflow, is_cut], Type::I1))
    }

    /// The upper 64 bits of a product: of halves of 32 bits; the sums in the middle do not overflow. Of signed numbers each that is
    /// negative takes the other one away.
    fn high_half(&mut self, x: ValueId, y: ValueId, signed: bool) -> ValueId {
        let (half, mask) = (self.constant(WIDE, 32), self.constant(WIDE, u32::MAX.into()));
        let mut op = |kind, a, b| self.scalar(kind, &[a, b], WIDE);
        let [[x0, x1], [y0, y1]] = [x, y].map(|v| [op(OpKind::Andi, v, mask), op(OpKind::Shrui, v, half)]);
        let (p00, p01) = (op(OpKind::Muli, x0, y0), op(OpKind::Muli, x0, y1));
        let (p10, p11) = (op(OpKind::Muli, x1, y0), op(OpKind::Muli, x1, y1));
        let carried = op(OpKind::Shrui, p00, half);
        let middle = op(OpKind::Addi, p10, carried);
        let middle_low = op(OpKind::Andi, middle, mask);
        let other = op(OpKind::Addi, middle_low, p01);
        let [up, other_up] = [middle, other].map(|v| op(OpKind::Shrui, v, half));
        let sum = op(OpKind::Addi, p11, up);
        let mut high = op(OpKind::Addi, sum, other_up);
        if signed {
            let sign = self.constant(WIDE, 63);
            for (v, other) in [(x, y), (y, x)] {
                let negative = self.scalar(OpKind::Shrsi, &[v, sign], WIDE);
                let less = self.scalar(OpKind::Andi, &[negative, other], WIDE);
                high = self.scalar(OpKind::Subi, &[high, less], WIDE);
            }
        }
        high
    }
}
