//! Plain function-unit bodies: straight-line arithmetic on at most 64 bits, computed in the firing cycle.
//!
//! Written from the contract, section 5; a test holds it against the golden `eval_arith`.

use loom_base::{sign_extend, truncate};
use loom_dfg::{OpKind, Predicate};

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

impl AluOp {
    fn compute(&self, [a, b, c]: [u64; 3]) -> u64 {
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
            OpKind::Extui | OpKind::Trunci | OpKind::IndexCastui => a,
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
    use loom_dfg::{eval::eval_arith, Op, Type};

    #[test]
    fn agrees_with_the_golden_evaluator() {
        let mut rng = Rng::new(11);
        for kind in OpKind::TABLE.into_iter().filter(|k| k.class() == Class::Arith && k.in_hardware()) {
            for round in 0..2000 {
                let from = Type::Int(*rng.pick(&[1, 5, 8, 16, 31, 32, 63, 64]));
                let to = Type::Int(*rng.pick(&[1, 8, 32, 64]));
                let predicate = *rng.pick(&Predicate::ALL);
                let (operands, result) = match kind {
                    OpKind::Cmpi => (vec![from; 2], Type::I1),
                    OpKind::Select => (vec![Type::I1, from, from], from),
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
