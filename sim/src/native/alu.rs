//! Plain function-unit bodies: straight-line arithmetic on at most 64 bits, computed in the firing cycle.
//!
//! Integers are written from the contract, section 5; a test holds them against the golden `eval_arith`. What floats
//! compute is defined by `loom_dfg::float` alone, so float ops call it.

use loom_base::{sign_extend, truncate};
use loom_dfg::eval::eval_arith;
use loom_dfg::{FloatPredicate, Op, OpKind, Predicate, Type};

/// One op. Values are numbered: function-unit inputs first, then one result for each op.
#[derive(Clone, Debug)]
pub(super) struct AluOp {
    /// What it computes.
    pub kind: OpKind,
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
        let wide = match self.kind {
            OpKind::Addi => a.wrapping_add(b),
            OpKind::Subi => a.wrapping_sub(b),
            OpKind::Muli => a.wrapping_mul(b),
            OpKind::Andi => a & b,
            OpKind::Ori => a | b,
            OpKind::Xori => a ^ b,
            OpKind::Cmpi => u64::from(compare(self.predicate, w, a, b)),
            OpKind::Select if a & 1 == 1 => b,
            OpKind::Select => c,
            OpKind::Shli if b < u64::from(w) => a << b,
            OpKind::Shrui if b < u64::from(w) => a >> b,
            OpKind::Shli | OpKind::Shrui => 0,
            OpKind::Shrsi => (sign_extend(a, w) >> b.min(63)) as u64,
            OpKind::Extsi | OpKind::IndexCast => sign_extend(a, w) as u64,
            OpKind::Extui | OpKind::Trunci | OpKind::IndexCastui | OpKind::Bitcast => a,
            OpKind::Maxsi => {
                if sign_extend(a, w) < sign_extend(b, w) {
                    b
                } else {
                    a
                }
            }
            OpKind::Minsi => {
                if sign_extend(a, w) < sign_extend(b, w) {
                    a
                } else {
                    b
                }
            }
            OpKind::Maxui => a.max(b),
            OpKind::Minui => a.min(b),
            OpKind::Absi => sign_extend(a, w).unsigned_abs(),
            OpKind::Ctlz => u64::from(a.leading_zeros() + w - 64),
            OpKind::Cttz => u64::from(a.trailing_zeros().min(w)),
            OpKind::Ctpop => u64::from(a.count_ones()),
            OpKind::Bitreverse => a.reverse_bits() >> (64 - w),
            OpKind::Divui if b != 0 => a / b,
            OpKind::Ceildivui if b != 0 => a / b + u64::from(a % b != 0),
            OpKind::Remui if b != 0 => a % b,
            OpKind::Divsi | OpKind::Remsi | OpKind::Floordivsi | OpKind::Ceildivsi if b != 0 => {
                signed_division(self.kind, sign_extend(a, w), sign_extend(b, w))
            }
            OpKind::Divui | OpKind::Ceildivui | OpKind::Divsi | OpKind::Floordivsi | OpKind::Ceildivsi => {
                u64::MAX
            }
            OpKind::Remui | OpKind::Remsi => a,
            // The builder lets arithmetic through only.
            _ => 0,
        };
        truncate(wide, self.width_out)
    }
}

/// By a divisor that is not 0. The smallest number by -1 wraps to itself.
fn signed_division(kind: OpKind, a: i64, b: i64) -> u64 {
    let (quotient, rest) = (a.wrapping_div(b), a.wrapping_rem(b));
    let exact = rest == 0;
    let below_zero = (a < 0) != (b < 0);
    let value = match kind {
        OpKind::Remsi => rest,
        OpKind::Floordivsi if !exact && below_zero => quotient - 1,
        OpKind::Ceildivsi if !exact && !below_zero => quotient + 1,
        _ => quotient,
    };
    value as u64
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

    fn is_integer(kind: &OpKind) -> bool {
        let bits = [Type::Int(32); 3];
        let casts = [OpKind::Extsi, OpKind::Extui, OpKind::Trunci, OpKind::IndexCast, OpKind::IndexCastui];
        let takes_integers = |k: OpKind| {
            let operands = &bits[..k.operand_count()];
            k.check_types(operands, &bits[..1]).is_ok() || k.check_types(operands, &[Type::I1]).is_ok()
        };
        kind.class() == Class::Arith
            && kind.in_hardware()
            && (*kind == OpKind::Select || casts.contains(kind) || takes_integers(*kind))
    }

    #[test]
    fn floats_are_the_software_definition() {
        let f32s = |v: f32| u64::from(v.to_bits());
        let alu = |kind, payload, from: Type, to: Type| AluOp {
            kind,
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

    #[test]
    fn agrees_with_the_golden_evaluator() {
        let mut rng = Rng::new(11);
        for kind in OpKind::TABLE.into_iter().filter(is_integer) {
            for round in 0..2000 {
                let from = Type::Int(*rng.pick(&[1, 5, 8, 16, 31, 32, 63, 64]));
                let to = Type::Int(*rng.pick(&[1, 8, 32, 64]));
                let predicate = *rng.pick(&Predicate::ALL);
                let (operands, result) = match kind {
                    OpKind::Cmpi => (vec![from; 2], Type::I1),
                    OpKind::Select => (vec![Type::I1, from, from], from),
                    OpKind::Bitcast => (vec![from], from),
                    OpKind::Extsi
                    | OpKind::Extui
                    | OpKind::Trunci
                    | OpKind::IndexCast
                    | OpKind::IndexCastui => (vec![from], to),
                    kind if kind.operand_count() == 1 => (vec![from], from),
                    _ => (vec![from; 2], from),
                };
                let mut values: Vec<u64> = operands
                    .iter()
                    .map(|t| {
                        let smallest = 1 << (t.width(32) - 1);
                        let near = if rng.chance(10) { smallest } else { rng.between(-3, 70) as u64 };
                        truncate(if round % 3 == 0 { near } else { rng.next_u64() }, t.width(32))
                    })
                    .collect();
                let op = if kind == OpKind::Cmpi { Op::Cmpi(predicate) } else { Op::Plain(kind) };
                let want = eval_arith(op, &operands, result, 32, &values);
                values.resize(3, 0);
                let alu = AluOp {
                    kind,
                    predicate,
                    operands: [0, 1, 2],
                    width_in: operands[0].width(32),
                    width_out: result.width(32),
                    float: float_op(kind, 0, operands[0], result),
                };
                assert_eq!(
                    alu.compute([values[0], values[1], values[2]]),
                    want,
                    "{kind} {values:x?} {from} {to}"
                );
            }
        }
    }
}
