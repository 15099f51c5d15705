//! Plain function-unit bodies: straight-line arithmetic on at most 64 bits, computed in the firing cycle.
//!
//! Integers are written from the contract, section 5; a test holds them against the golden `eval_arith`. What floats
//! compute is defined by `loom_dfg::float` alone, so float ops call it.

use loom_base::{sign_extend, truncate};
use loom_dfg::eval::eval_arith;
use loom_dfg::op::{Cast, Choice, Division, Form, IntBinary, IntCompare, IntUnary};
use loom_dfg::{FloatPredicate, Op, OpKind, Predicate, Type};

/// One op. Values are numbered: function-unit inputs first, then one result for each op.
#[derive(Clone, Debug)]
pub(super) struct AluOp {
    /// What it computes; the builder lets arithmetic through only.
    pub form: Form,
    /// Only `cmpi` looks at it.
    pub predicate: Predicate,
    /// Operands; those the op does not have repeat the first.
    pub operands: [u16; 3],
    /// Width of the first operand.
    pub width_in: u32,
    /// Width of the result.
    pub width_out: u32,
    /// For ops on floats: the whole op, the type of its operands and that of its result.
    pub float: Option<(Op, Type, Type)>,
}

/// A body.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// In dependency order.
    pub ops: Vec<AluOp>,
    /// Which value each output shows.
    pub outputs: Vec<u16>,
}

impl Program {
    /// Fills `values` beyond the inputs that already stand there.
    pub fn run(&self, values: &mut [u64], inputs: usize) {
        for (i, op) in self.ops.iter().enumerate() {
            values[inputs + i] = op.compute(op.operands.map(|v| values[v as usize]));
        }
    }
}

/// What [`AluOp::float`] holds for an op on `from` that gives `to`, with its payload.
pub(super) fn float_op(kind: OpKind, payload: u64, from: Type, to: Type) -> Option<(Op, Type, Type)> {
    // A select only moves floats.
    if kind == OpKind::Select || !(from.is_float() || to.is_float()) {
        return None;
    }
    let op = match FloatPredicate::from_code(payload) {
        Some(predicate) if kind == OpKind::Cmpf => Op::Cmpf(predicate),
        _ => Op::Plain(kind),
    };
    Some((op, from, to))
}

impl AluOp {
    fn compute(&self, [a, b, c]: [u64; 3]) -> u64 {
        if let Some((op, from, to)) = self.float {
            // No float op takes or gives an index.
            return eval_arith(op, &[from; 3], to, 0, &[a, b, c]);
        }
        let w = self.width_in;
        let wide = match self.form {
            Form::IntBinary(op) => int_binary(op, w, a, b),
            Form::Division(op) => division(op, w, a, b),
            Form::IntUnary(op) => int_unary(op, w, a),
            Form::IntCompare(IntCompare::Cmpi) => u64::from(compare(self.predicate, w, a, b)),
            Form::Choice(Choice::Select) if a & 1 == 1 => b,
            Form::Choice(Choice::Select) => c,
            Form::Cast(Cast::Extsi | Cast::IndexCast) => sign_extend(a, w) as u64,
            Form::Cast(Cast::Extui | Cast::Trunci | Cast::IndexCastui | Cast::Bitcast) => a,
            Form::Cast(
                Cast::Extf | Cast::Truncf | Cast::Sitofp | Cast::Uitofp | Cast::Fptosi | Cast::Fptoui,
            )
            | Form::FloatBinary(_)
            | Form::FloatUnary(_)
            | Form::Elementary(_)
            | Form::FloatTernary(_)
            | Form::FloatCompare(_) => unreachable!("{:?} has floats for types", self.form),
            Form::Steer(_) | Form::State(_) | Form::Access(_) | Form::Memory(_) => {
                unreachable!("{:?} is no arithmetic", self.form)
            }
        };
        truncate(wide, self.width_out)
    }
}

fn int_binary(op: IntBinary, w: u32, a: u64, b: u64) -> u64 {
    let less = || sign_extend(a, w) < sign_extend(b, w);
    let short = b < u64::from(w);
    match op {
        IntBinary::Addi => a.wrapping_add(b),
        IntBinary::Subi => a.wrapping_sub(b),
        IntBinary::Muli => a.wrapping_mul(b),
        IntBinary::Andi => a & b,
        IntBinary::Ori => a | b,
        IntBinary::Xori => a ^ b,
        IntBinary::Shli if short => a << b,
        IntBinary::Shrui if short => a >> b,
        IntBinary::Shli | IntBinary::Shrui => 0,
        IntBinary::Shrsi => (sign_extend(a, w) >> b.min(63)) as u64,
        IntBinary::Maxsi if less() => b,
        IntBinary::Maxsi => a,
        IntBinary::Minsi if less() => a,
        IntBinary::Minsi => b,
        IntBinary::Maxui => a.max(b),
        IntBinary::Minui => a.min(b),
    }
}

fn int_unary(op: IntUnary, w: u32, a: u64) -> u64 {
    match op {
        IntUnary::Absi => sign_extend(a, w).unsigned_abs(),
        IntUnary::Ctlz => u64::from(a.leading_zeros() + w - 64),
        IntUnary::Cttz => u64::from(a.trailing_zeros().min(w)),
        IntUnary::Ctpop => u64::from(a.count_ones()),
        IntUnary::Bitreverse => a.reverse_bits() >> (64 - w),
    }
}

fn division(op: Division, w: u32, a: u64, b: u64) -> u64 {
    let (sa, sb) = (sign_extend(a, w), sign_extend(b, w));
    match op {
        Division::Divui
        | Division::Ceildivui
        | Division::Divsi
        | Division::Floordivsi
        | Division::Ceildivsi
            if b == 0 =>
        {
            u64::MAX
        }
        Division::Remui | Division::Remsi if b == 0 => a,
        Division::Divui => a / b,
        Division::Ceildivui => a / b + u64::from(!a.is_multiple_of(b)),
        Division::Remui => a % b,
        // The smallest number by -1 wraps to itself.
        Division::Divsi => sa.wrapping_div(sb) as u64,
        Division::Remsi => sa.wrapping_rem(sb) as u64,
        Division::Floordivsi => {
            let down = sa.wrapping_rem(sb) != 0 && (sa < 0) != (sb < 0);
            sa.wrapping_div(sb).wrapping_sub(i64::from(down)) as u64
        }
        Division::Ceildivsi => {
            let up = sa.wrapping_rem(sb) != 0 && (sa < 0) == (sb < 0);
            sa.wrapping_div(sb).wrapping_add(i64::from(up)) as u64
        }
    }
}

fn compare(predicate: Predicate, width: u32, a: u64, b: u64) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use loom_base::Rng;
    use loom_dfg::op::Class;

    #[test]
    fn floats_are_the_software_definition() {
        let f32s = |v: f32| u64::from(v.to_bits());
        let alu = |kind, payload, from: Type, to: Type| AluOp {
            form: OpKind::form(kind),
            predicate: Predicate::Eq,
            operands: [0, 1, 2],
            width_in: from.width(32),
            width_out: to.width(32),
            float: float_op(kind, payload, from, to),
        };
        let f = Type::F32;
        assert_eq!(alu(OpKind::Addf, 0, f, f).compute([f32s(1.5), f32s(2.25), 0]), f32s(3.75));
        assert_eq!(alu(OpKind::Mulf, 0, f, f).compute([f32s(f32::INFINITY), 0, 0]), 0x7fc0_0000);
        assert_eq!(alu(OpKind::Fptosi, 0, f, Type::Int(8)).compute([f32s(-1e9), 0, 0]), 0x80);
        assert_eq!(alu(OpKind::Uitofp, 0, Type::Int(8), f).compute([200, 0, 0]), f32s(200.0));
        assert_eq!(alu(OpKind::Bitcast, 0, Type::I32, f).compute([0xffc1_2345, 0, 0]), 0xffc1_2345);
        for (predicate, want) in FloatPredicate::all().zip([0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1]) {
            let op = alu(OpKind::Cmpf, u64::from(predicate.code()), f, Type::I1);
            assert_eq!(op.compute([f32s(0.0), f32s(-0.0), 0]), want, "{}", predicate.text());
        }
    }

    /// Types of operands and result: the example's, with integers of any width where the op takes them.
    fn types(kind: OpKind, rng: &mut Rng) -> (Vec<Type>, Type) {
        let (example, results) = kind.example_types();
        for _ in 0..20 {
            let from = Type::Int(*rng.pick(&[1, 5, 8, 16, 31, 32, 63, 64]));
            let to = Type::Int(*rng.pick(&[1, 8, 32, 64]));
            let swap = |t: &Type, by: Type| if matches!(t, Type::Int(2..)) { by } else { *t };
            let operands: Vec<Type> = example.iter().map(|t| swap(t, from)).collect();
            for to in [from, to] {
                let result = swap(&results[0], to);
                if kind.check_types(&operands, &[result]).is_ok() {
                    return (operands, result);
                }
            }
        }
        (example, results[0])
    }

    #[test]
    fn every_arithmetic_op_agrees_with_the_golden_evaluator() {
        let mut rng = Rng::new(11);
        let arith = |k: &&OpKind| k.class() == Class::Arith && k.in_hardware();
        for &kind in OpKind::TABLE.iter().filter(arith) {
            for round in 0..2000 {
                let (operands, result) = types(kind, &mut rng);
                let mut token = |t: &Type| {
                    let smallest = 1 << (t.width(32) - 1);
                    let near = if rng.chance(10) { smallest } else { rng.between(-3, 70) as u64 };
                    truncate(if round % 3 == 0 { near } else { rng.next_u64() }, t.width(32))
                };
                let mut values: Vec<u64> = operands.iter().map(&mut token).collect();
                let predicate = *rng.pick(&Predicate::ALL);
                let op = match kind {
                    OpKind::Cmpi => Op::Cmpi(predicate),
                    OpKind::Cmpf => Op::Cmpf(FloatPredicate::from_code(predicate as u64).unwrap()),
                    _ => Op::Plain(kind),
                };
                let want = eval_arith(op, &operands, result, 32, &values);
                values.resize(3, 0);
                let alu = AluOp {
                    form: kind.form(),
                    predicate,
                    operands: [0, 1, 2],
                    width_in: operands[0].width(32),
                    width_out: result.width(32),
                    float: float_op(kind, predicate as u64, operands[0], result),
                };
                let got = alu.compute([values[0], values[1], values[2]]);
                assert_eq!(got, want, "{kind} {values:x?} {operands:?} {result}");
            }
        }
    }
}
