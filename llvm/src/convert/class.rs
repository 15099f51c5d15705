//! `llvm.is.fpclass`: whether a float is of one of some classes. By its bits alone, so that nothing is computed of a NaN.

use super::Converter;
use crate::program::Inst;
use loom_dfg::{float, FloatPredicate, Op, OpKind, Predicate, Type};
use loom_front::ir::{Kind, ValueId, ValueType};

/// Classes of magnitudes in the order of their bits: with a set sign bit, and without one. A signalling NaN has the first bit of its
/// fraction clear, and it has no class by its sign.
const CLASSES: [[u32; 2]; 6] =
    [[1 << 5, 1 << 6], [1 << 4, 1 << 7], [1 << 3, 1 << 8], [1 << 2, 1 << 9], [1 << 0; 2], [1 << 1; 2]];
/// All NaNs.
const NAN: u32 = 3;
const ALL: u32 = (1 << 10) - 1;

impl Converter<'_> {
    /// The answer; `None` for what is no float or has no mask.
    pub(super) fn is_of_class(&mut self, inst: &Inst, x: ValueId) -> Option<ValueId> {
        let mask = u32::try_from(inst.op.integer("bit")?).ok()? & ALL;
        let ty = self.func.ty(x).scalar().filter(|ty| ty.is_float())?;
        for (classes, code) in [(NAN, 14), (ALL & !NAN, 7)] {
            if mask == classes {
                // A NaN is what is in no order with itself.
                let predicate = FloatPredicate::from_code(code)?;
                return Some(self.op(
                    Kind::Scalar(Op::Cmpf(predicate)),
                    &[x, x],
                    &[ValueType::Scalar(Type::I1)],
                ));
            }
        }
        let width = ty.width(64);
        let word = Type::Int(width as u8);
        let sign = 1u64 << (width - 1);
        let starts = starts(ty);
        let bits = self.scalar(OpKind::Bitcast, &[x], word);
        let has = |class: usize, positive: bool| mask & CLASSES[class][usize::from(positive)] != 0;
        let is_symmetric = (0..6).all(|class| has(class, true) == has(class, false));
        // Runs of bits, each from the first to before the end; sign and magnitude are one number.
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for positive in if is_symmetric { vec![true] } else { vec![true, false] } {
            let base = if positive { 0 } else { sign };
            for class in (0..6).filter(|&class| has(class, positive)) {
                let (from, to) = (base + starts[class], base.wrapping_add(starts[class + 1]));
                match runs.last_mut() {
                    Some(last) if last.1 == from => last.1 = to,
                    _ => runs.push((from, to)),
                }
            }
        }
        let number = match is_symmetric {
            true => {
                let magnitude = self.constant(word, sign - 1);
                self.scalar(OpKind::Andi, &[bits, magnitude], word)
            }
            false => bits,
        };
        let answers: Vec<ValueId> = runs.into_iter().map(|run| self.is_within(number, run, word)).collect();
        let either = |c: &mut Self, a, b| c.scalar(OpKind::Ori, &[a, b], Type::I1);
        let any = answers.into_iter().reduce(|a, b| either(self, a, b));
        Some(any.unwrap_or_else(|| self.constant(Type::I1, 0)))
    }

    /// Whether an unsigned number is in a run, whose end may be 2^64 or the like, modulo that.
    fn is_within(&mut self, number: ValueId, (from, to): (u64, u64), word: Type) -> ValueId {
        let count = loom_base::truncate(to.wrapping_sub(from), word.width(64));
        let first = self.constant(word, from);
        if count == 1 {
            return self.compare(Predicate::Eq, number, first);
        }
        let from_start = match from {
            0 => number,
            _ => self.scalar(OpKind::Subi, &[number, first], word),
        };
        let count = self.constant(word, count);
        self.compare(Predicate::Ult, from_start, count)
    }
}

/// Where the classes begin, as magnitudes, and where the last ends.
fn starts(ty: Type) -> [u64; 7] {
    let infinity = float::from_f64(ty, f64::INFINITY);
    let normal = 1u64 << ty.fraction_bits();
    [0, 1, normal, infinity, infinity + 1, infinity + normal / 2, 1 << (ty.width(64) - 1)]
}
