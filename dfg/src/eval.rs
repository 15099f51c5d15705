//! What the arithmetic ops compute: pure functions on bit patterns, shared by everything that needs the golden
//! meaning of an op.
//!
//! Guarantees: total on every input of an arithmetic op, results masked to the result's width, no state. Values are the low
//! `width` bits of a `u64`; higher bits of operands are ignored.

use crate::op::{Cast, Choice, Division, FloatCompare, Form, IntBinary, IntCompare, IntUnary};
use crate::{float, Counter, Op, Predicate, Signedness, StepOp, Type};
use loom_base::{sign_extend, truncate};

/// Result of an op of class `Arith` on operands of the given types.
///
/// A shift by the width or more gives 0 (`shli`, `shrui`) or all sign bits (`shrsi`); `index_cast` truncates or
/// sign-extends; divisions are total ([`divide`]), floats are [`crate::float`]'s.
///
/// # Panics
///
/// For an op of another class, which is no function of its operands alone, and for a comparison without predicate.
pub fn eval_arith(
    op: Op,
    operand_types: &[Type],
    result_type: Type,
    index_width: u32,
    operands: &[u64],
) -> u64 {
    let width = |i: usize| operand_types.get(i).map_or(0, |t| t.width(index_width));
    let bits = |i: usize| truncate(operands.get(i).copied().unwrap_or(0), width(i));
    let (a, b, w) = (bits(0), bits(1), width(0));
    let ty = operand_types.first().copied().unwrap_or(Type::None);
    let form = op.kind().form();
    let wide = match (form, op) {
        (Form::IntBinary(op), _) => int_binary(op, w, a, b),
        (Form::Division(op), _) => divide(op, w, a, b),
        (Form::IntUnary(op), _) => int_unary(op, w, a),
        (Form::IntCompare(IntCompare::Cmpi), Op::Cmpi(predicate)) => u64::from(compare(predicate, w, a, b)),
        (Form::Choice(Choice::Select), _) if a & 1 == 1 => b,
        (Form::Choice(Choice::Select), _) => bits(2),
        (Form::Cast(op), _) => cast(op, ty, result_type, index_width, a),
        (Form::FloatBinary(op), _) => float::binary(op, ty, a, b),
        (Form::FloatUnary(op), _) => float::unary(op, ty, a),
        (Form::Elementary(op), _) => float::elementary(op, ty, a),
        (Form::FloatTernary(op), _) => float::ternary(op, ty, [a, b, bits(2)]),
        (Form::FloatCompare(FloatCompare::Cmpf), Op::Cmpf(predicate)) => {
            u64::from(float::compare(predicate, ty, a, b))
        }
        (Form::IntCompare(_) | Form::FloatCompare(_), _) => unreachable!("{op:?} has no predicate"),
        (Form::Steer(_) | Form::State(_) | Form::Access(_) | Form::Memory(_), _) => {
            unreachable!("{op:?} is no arithmetic")
        }
    };
    truncate(wide, result_type.width(index_width))
}

/// On the low `width` bits; the caller cuts the result.
fn int_binary(op: IntBinary, width: u32, a: u64, b: u64) -> u64 {
    let signed = |v: u64| sign_extend(v, width);
    let amount = u32::try_from(b).unwrap_or(u32::MAX);
    match op {
        IntBinary::Addi => a.wrapping_add(b),
        IntBinary::Subi => a.wrapping_sub(b),
        IntBinary::Muli => a.wrapping_mul(b),
        IntBinary::Andi => a & b,
        IntBinary::Ori => a | b,
        IntBinary::Xori => a ^ b,
        IntBinary::Shli | IntBinary::Shrui if amount >= width => 0,
        IntBinary::Shli => a << amount,
        IntBinary::Shrui => a >> amount,
        IntBinary::Shrsi => (signed(a) >> amount.min(63)) as u64,
        IntBinary::Maxsi => signed(a).max(signed(b)) as u64,
        IntBinary::Maxui => a.max(b),
        IntBinary::Minsi => signed(a).min(signed(b)) as u64,
        IntBinary::Minui => a.min(b),
    }
}

fn int_unary(op: IntUnary, width: u32, a: u64) -> u64 {
    match op {
        IntUnary::Absi => sign_extend(a, width).wrapping_abs() as u64,
        IntUnary::Ctlz => u64::from(a.leading_zeros() - (64 - width.min(64))),
        IntUnary::Cttz => u64::from(a.trailing_zeros().min(width)),
        IntUnary::Ctpop => u64::from(a.count_ones()),
        IntUnary::Bitreverse if width == 0 => 0,
        IntUnary::Bitreverse => a.reverse_bits() >> (64 - width.min(64)),
    }
}

fn cast(op: Cast, from: Type, to: Type, index_width: u32, a: u64) -> u64 {
    let (width, width_to) = (from.width(index_width), to.width(index_width));
    match op {
        Cast::Extsi | Cast::IndexCast => sign_extend(a, width) as u64,
        Cast::Extui | Cast::Trunci | Cast::IndexCastui | Cast::Bitcast => a,
        Cast::Extf | Cast::Truncf => float::convert(from, to, a),
        Cast::Sitofp => float::from_integer(to, float::integer_value(a, width, true)),
        Cast::Uitofp => float::from_integer(to, float::integer_value(a, width, false)),
        Cast::Fptosi => float::to_integer(from, a, width_to, true),
        Cast::Fptoui => float::to_integer(from, a, width_to, false),
    }
}

/// The seven divisions on the low `width` bits. By zero: the quotient is all ones, the remainder is the dividend.
/// The smallest number by -1 is itself, with remainder 0.
pub fn divide(op: Division, width: u32, a: u64, b: u64) -> u64 {
    let signed = match op {
        Division::Divsi | Division::Remsi | Division::Ceildivsi | Division::Floordivsi => true,
        Division::Divui | Division::Remui | Division::Ceildivui => false,
    };
    let (n, d) = (float::integer_value(a, width, signed), float::integer_value(b, width, signed));
    if d == 0 {
        return match op {
            Division::Remsi | Division::Remui => truncate(a, width),
            _ => truncate(u64::MAX, width),
        };
    }
    let (quotient, rest) = (n / d, n % d);
    // The exact quotient of numbers of unequal sign is below the one cut towards zero.
    let below = rest != 0 && (rest < 0) != (d < 0);
    let above = rest != 0 && !below;
    let exact = match op {
        Division::Divsi | Division::Divui => quotient,
        Division::Remsi | Division::Remui => rest,
        Division::Floordivsi => quotient - i128::from(below),
        Division::Ceildivsi | Division::Ceildivui => quotient + i128::from(above),
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
/// left the range of the counter's numbers, which ends the activation with the next pair (H7).
///
/// `+=` and `-=` take the step as a signed number whatever the index is, `<<=` and `>>=` as an unsigned amount, `*=` and
/// `/=` as a number of the index's kind. A `<<=` by the width or more gives 0 and overflows unless the index is 0; `>>=`
/// fills with the sign (zeros, for unsigned numbers) and never overflows; `/=` rounds towards zero and overflows for the
/// smallest number by -1. A zero step never gets here: it is a run-time error.
pub fn step_index(counter: Counter, width: u32, index: u64, step: u64) -> (u64, bool) {
    let number = |v: u64| match counter.numbers {
        Signedness::Signed => i128::from(sign_extend(v, width)),
        Signedness::Unsigned => i128::from(truncate(v, width)),
    };
    let i = number(index);
    let distance = i128::from(sign_extend(step, width));
    let amount = truncate(step, width);
    // A product of unsigned numbers needs all 128 bits: what is below zero then is beyond the range all the same.
    let exact: i128 = match counter.step_op {
        StepOp::Add => i + distance,
        StepOp::Sub => i - distance,
        StepOp::Mul => i.wrapping_mul(number(step)),
        StepOp::Div => i.checked_div(number(step)).unwrap_or(0),
        StepOp::Shl if amount >= u64::from(width) => return (0, i != 0),
        StepOp::Shl => i << amount,
        StepOp::Shr => i >> amount.min(127),
    };
    let next = truncate(exact as u64, width);
    (next, number(next) != exact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpKind;

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
            let found = step_index(Counter::signed(op), 32, index, step);
            assert_eq!(found, want, "{index:x} {} {step:x}", op.text());
        }
        let all = minus(1);
        let cases = [
            (StepOp::Add, max, 1, (min, false)),
            (StepOp::Add, all, 1, (0, true)),
            (StepOp::Add, 5, minus(7), (minus(2), true)),
            (StepOp::Add, 9, minus(7), (2, false)),
            (StepOp::Sub, min, 1, (max, false)),
            (StepOp::Sub, 0, 1, (all, true)),
            (StepOp::Sub, 5, minus(7), (12, false)),
            (StepOp::Sub, all, all, (0, true)),
            (StepOp::Mul, 1 << 16, 1 << 15, (min, false)),
            (StepOp::Mul, 1 << 16, 1 << 16, (0, true)),
            (StepOp::Mul, all, all, (1, true)),
            (StepOp::Div, all, 2, (max, false)),
            (StepOp::Div, all, all, (1, false)),
            (StepOp::Div, 5, all, (0, false)),
            (StepOp::Shl, 1, 31, (min, false)),
            (StepOp::Shl, 3, 31, (min, true)),
            (StepOp::Shl, 1, 32, (0, true)),
            (StepOp::Shr, all, 31, (1, false)),
            (StepOp::Shr, all, 99, (0, false)),
        ];
        for (op, index, step, want) in cases {
            let found = step_index(Counter::unsigned(op), 32, index, step);
            assert_eq!(found, want, "{index:x} {} {step:x}, unsigned", op.text());
        }
        // The widest numbers there are.
        let counter = Counter::unsigned(StepOp::Mul);
        assert_eq!(step_index(counter, 64, u64::MAX, u64::MAX), (1, true));
        assert_eq!(step_index(counter, 64, u64::MAX, 1), (u64::MAX, false));
        assert_eq!(step_index(Counter::unsigned(StepOp::Add), 64, u64::MAX - 1, 1), (u64::MAX, false));
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
