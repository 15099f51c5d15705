//! What the arithmetic ops compute: pure functions on bit patterns, shared by everything that needs the golden
//! meaning of an op.
//!
//! Guarantees: total (no input panics), results masked to the result's width, no state. Values are the low
//! `width` bits of a `u64`; higher bits of operands are ignored.

use crate::op::Form;
use crate::{float, Op, OpKind, Predicate, StepOp, Type};
use loom_base::{sign_extend, truncate};

/// Result of an op of class `Arith` on operands of the given types.
///
/// A shift by the width or more gives 0 (`shli`, `shrui`) or all sign bits (`shrsi`); `index_cast` truncates or
/// sign-extends; divisions are total ([`divide`]), floats are [`crate::float`]'s. Ops of other classes have no such
/// function and give 0.
pub fn eval_arith(
    op: Op,
    operand_types: &[Type],
    result_type: Type,
    index_width: u32,
    operands: &[u64],
) -> u64 {
    let width = |i: usize| operand_types.get(i).map_or(0, |t| t.width(index_width));
    let bits = |i: usize| truncate(operands.get(i).copied().unwrap_or(0), width(i));
    let signed = |i: usize| sign_extend(bits(i), width(i));
    let (a, b) = (bits(0), bits(1));
    let amount = u32::try_from(b).unwrap_or(u32::MAX);
    let kind = op.kind();
    let result_width = result_type.width(index_width);
    let operand_type = operand_types.first().copied().unwrap_or(Type::None);
    let float_op = matches!(kind.form(), Form::FloatBinary | Form::FloatUnary | Form::FloatTernary);
    let wide = match kind {
        OpKind::Addi => a.wrapping_add(b),
        OpKind::Subi => a.wrapping_sub(b),
        OpKind::Muli => a.wrapping_mul(b),
        OpKind::Andi => a & b,
        OpKind::Ori => a | b,
        OpKind::Xori => a ^ b,
        OpKind::Cmpi => match op {
            Op::Cmpi(predicate) => u64::from(compare(predicate, width(0), a, b)),
            _ => 0,
        },
        OpKind::Select => {
            if a & 1 == 1 {
                b
            } else {
                bits(2)
            }
        }
        OpKind::Shli if amount >= width(0) => 0,
        OpKind::Shli => a << amount,
        OpKind::Shrui if amount >= width(0) => 0,
        OpKind::Shrui => a >> amount,
        OpKind::Shrsi => (signed(0) >> amount.min(63)) as u64,
        OpKind::Extsi | OpKind::IndexCast => signed(0) as u64,
        OpKind::Extui | OpKind::Trunci | OpKind::IndexCastui | OpKind::Bitcast => a,
        OpKind::Divsi
        | OpKind::Divui
        | OpKind::Remsi
        | OpKind::Remui
        | OpKind::Ceildivsi
        | OpKind::Ceildivui
        | OpKind::Floordivsi => divide(kind, width(0), a, b),
        OpKind::Maxsi => signed(0).max(signed(1)) as u64,
        OpKind::Maxui => a.max(b),
        OpKind::Minsi => signed(0).min(signed(1)) as u64,
        OpKind::Minui => a.min(b),
        OpKind::Absi => signed(0).wrapping_abs() as u64,
        OpKind::Ctlz => u64::from(a.leading_zeros() - (64 - width(0).min(64))),
        OpKind::Cttz => u64::from(a.trailing_zeros().min(width(0))),
        OpKind::Ctpop => u64::from(a.count_ones()),
        OpKind::Bitreverse if width(0) == 0 => 0,
        OpKind::Bitreverse => a.reverse_bits() >> (64 - width(0).min(64)),
        OpKind::Cmpf => match op {
            Op::Cmpf(predicate) => u64::from(float::compare(predicate, operand_type, a, b)),
            _ => 0,
        },
        OpKind::Extf | OpKind::Truncf => float::convert(operand_type, result_type, a),
        OpKind::Sitofp | OpKind::Uitofp => {
            let value = float::integer_value(a, width(0), kind == OpKind::Sitofp);
            float::from_integer(result_type, value)
        }
        OpKind::Fptosi | OpKind::Fptoui => {
            float::to_integer(operand_type, a, result_width, kind == OpKind::Fptosi)
        }
        _ if float_op => float::arithmetic(kind, operand_type, [a, b, bits(2)]).unwrap_or(0),
        _ => 0,
    };
    truncate(wide, result_width)
}

/// The seven divisions on the low `width` bits. By zero: the quotient is all ones, the remainder is the dividend.
/// The smallest number by -1 is itself, with remainder 0.
pub fn divide(kind: OpKind, width: u32, a: u64, b: u64) -> u64 {
    let signed = matches!(kind, OpKind::Divsi | OpKind::Remsi | OpKind::Ceildivsi | OpKind::Floordivsi);
    let remainder = matches!(kind, OpKind::Remsi | OpKind::Remui);
    let (n, d) = (float::integer_value(a, width, signed), float::integer_value(b, width, signed));
    if d == 0 {
        return if remainder { truncate(a, width) } else { truncate(u64::MAX, width) };
    }
    let (quotient, rest) = (n / d, n % d);
    // The exact quotient of numbers of unequal sign is below the one cut towards zero.
    let below = rest != 0 && (rest < 0) != (d < 0);
    let exact = match kind {
        OpKind::Remsi | OpKind::Remui => rest,
        OpKind::Floordivsi if below => quotient - 1,
        OpKind::Ceildivsi | OpKind::Ceildivui if rest != 0 && !below => quotient + 1,
        _ => quotient,
    };
    truncate(exact as u64, width)
}

/// `arith.cmpi` on the low `width` bits.
pub fn compare(predicate: Predicate, width: u32, a: u64, b: u64) -> bool {
    let (a, b) = (truncate(a, width), truncate(b, width));
    let (sa, sb) = (sign_extend(a, width), sign_extend(b, width));
    match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Slt => sa < sb,
        Predicate::Sle => sa <= sb,
        Predicate::Sgt => sa > sb,
        Predicate::Sge => sa >= sb,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
    }
}

/// One update of a `dataflow.stream` index: the next index (wrapped to `width` bits) and whether the exact result
/// left the signed range, which ends the activation with the next pair (H7).
///
/// `<<=` and `>>=` take the step as an unsigned amount. A `<<=` by the width or more gives 0 and overflows unless
/// the index is 0; `>>=` is arithmetic, fills with the sign and never overflows; `/=` rounds towards zero and
/// overflows for the smallest number by -1. A zero step never gets here: it is a run-time error.
pub fn step_index(step_op: StepOp, width: u32, index: u64, step: u64) -> (u64, bool) {
    let i = i128::from(sign_extend(index, width));
    let s = i128::from(sign_extend(step, width));
    let amount = truncate(step, width);
    let exact: i128 = match step_op {
        StepOp::Add => i + s,
        StepOp::Sub => i - s,
        StepOp::Mul => i * s,
        StepOp::Div => {
            if s == 0 {
                0
            } else {
                i / s
            }
        }
        StepOp::Shl if amount >= u64::from(width) => return (0, i != 0),
        StepOp::Shl => i << amount,
        StepOp::Shr => i >> amount.min(127),
    };
    let next = truncate(exact as u64, width);
    (next, i128::from(sign_extend(next, width)) != exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_at_the_edges() {
        let min = 0x8000_0000u64;
        let max = 0x7fff_ffffu64;
        let minus = |v: u64| truncate(v.wrapping_neg(), 32);
        let cases = [
            (StepOp::Add, max, 1, (min, true)),
            (StepOp::Add, 5, minus(7), (minus(2), false)),
            (StepOp::Sub, min, 1, (max, true)),
            (StepOp::Mul, 1 << 16, 1 << 16, (0, true)),
            (StepOp::Mul, minus(3), 2, (minus(6), false)),
            (StepOp::Div, minus(7), 2, (minus(3), false)),
            (StepOp::Div, min, minus(1), (min, true)),
            (StepOp::Shl, 1, 30, (1 << 30, false)),
            (StepOp::Shl, 1, 31, (min, true)),
            (StepOp::Shl, minus(1), 31, (min, false)),
            (StepOp::Shl, 0, 40, (0, false)),
            (StepOp::Shl, 3, 32, (0, true)),
            (StepOp::Shl, 1, minus(1), (0, true)),
            (StepOp::Shr, minus(8), 2, (minus(2), false)),
            (StepOp::Shr, minus(8), 99, (minus(1), false)),
            (StepOp::Shr, 8, minus(1), (0, false)),
        ];
        for (op, index, step, want) in cases {
            assert_eq!(step_index(op, 32, index, step), want, "{index:x} {} {step:x}", op.text());
        }
    }

    #[test]
    fn arithmetic_at_the_edges() {
        let i8 = Type::Int(8);
        let two = |kind, a, b| eval_arith(Op::Plain(kind), &[i8, i8], i8, 32, &[a, b]);
        assert_eq!(two(OpKind::Addi, 250, 10), 4);
        assert_eq!(two(OpKind::Subi, 0, 1), 255);
        assert_eq!(two(OpKind::Muli, 16, 17), 16);
        assert_eq!(two(OpKind::Shli, 1, 8), 0);
        assert_eq!(two(OpKind::Shrui, 0x80, 7), 1);
        assert_eq!(two(OpKind::Shrui, 0x80, 255), 0);
        assert_eq!(two(OpKind::Shrsi, 0x80, 7), 0xff);
        assert_eq!(two(OpKind::Shrsi, 0x80, 200), 0xff);
        assert_eq!(two(OpKind::Shrsi, 0x40, 200), 0);
        let cast = |kind, from, to, v| eval_arith(Op::Plain(kind), &[from], to, 32, &[v]);
        assert_eq!(cast(OpKind::Extsi, i8, Type::I32, 0x80), 0xffff_ff80);
        assert_eq!(cast(OpKind::Extui, i8, Type::I32, 0x80), 0x80);
        assert_eq!(cast(OpKind::Trunci, Type::I32, i8, 0x1234), 0x34);
        assert_eq!(cast(OpKind::IndexCast, i8, Type::Index, 0x80), 0xffff_ff80);
        assert_eq!(cast(OpKind::IndexCast, Type::Index, i8, 0xffff_ff80), 0x80);
        assert!(compare(Predicate::Slt, 8, 0x80, 0) && !compare(Predicate::Ult, 8, 0x80, 0));
    }
}
