//! Quotients, remainders and roots of floats, a bit a cycle, against the software definition and, where the machine has the type,
//! against its own: edge values by each other, random ones, under stalls on both sides, several operations in a row with
//! nothing left at the end; and that they stay within what their registers need.

use crate::common::run;
use crate::operands::{self, edges, pairs, random, FLOATS};
use loom_adg::model::FunctionUnit;
use loom_base::{truncate, Rng};
use loom_dfg::eval::eval_arith;
use loom_dfg::float::{canonical_nan, is_nan};
use loom_dfg::OpKind::{Divf, Remf, Rsqrt, Sqrt};
use loom_dfg::{Op, OpKind, Type};
use loom_hdl::parts::function_unit;
use loom_testkit::tools::area;

fn unit(kind: OpKind, ty: Type) -> FunctionUnit {
    FunctionUnit::single(kind.mnemonic(), kind, &vec![ty; kind.operand_count()], &[ty])
}

/// The machine's result, with the one NaN that ours give.
fn machine(kind: OpKind, ty: Type, values: &[u64]) -> Option<u64> {
    let single = |at: usize| f32::from_bits(values[at] as u32);
    let double = |at: usize| f64::from_bits(values[at]);
    let bits = match (kind, ty) {
        (Divf, Type::F32) => u64::from((single(0) / single(1)).to_bits()),
        (Sqrt, Type::F32) => u64::from(single(0).sqrt().to_bits()),
        (Remf, Type::F32) => u64::from((single(0) % single(1)).to_bits()),
        (Remf, Type::F64) => (double(0) % double(1)).to_bits(),
        (Divf, Type::F64) => (double(0) / double(1)).to_bits(),
        (Sqrt, Type::F64) => double(0).sqrt().to_bits(),
        _ => return None,
    };
    Some(if is_nan(ty, bits) { canonical_nan(ty) } else { bits })
}

fn check(fu: &FunctionUnit, data: &[Vec<u64>], stalls: u32) {
    let (kind, ty) = (fu.single_op().expect("one op"), fu.inputs[0]);
    let (got, times) = run(fu, 32, data, stalls, 3);
    for (at, values) in data.iter().enumerate() {
        let want = eval_arith(Op::Plain(kind), &fu.inputs, ty, 32, values);
        assert_eq!(got[at], want, "{kind} of {values:x?} at {ty}: {:x} for {want:x}", got[at]);
        assert_eq!(machine(kind, ty, values).unwrap_or(want), want, "{kind} of {values:x?} at {ty}");
        let earlier = kind.cycles_left_out(ty, values) as usize;
        let what = format!("{kind} of {values:x?} at {ty}");
        assert_eq!(times[at][1] - times[at][0] + earlier, fu.latency as usize, "{what}");
        if let Some(next) = times.get(at + 1) {
            let after = next[0] - times[at][0] + earlier;
            assert!(after >= fu.interval as usize, "{what}: the next after {after}");
            assert!(stalls > 0 || after == fu.interval as usize, "{what}: the next after {after} only");
        }
    }
}

#[test]
fn quotients() {
    for ty in FLOATS {
        let mut rng = Rng::new(12);
        let all = pairs(&mut rng, ty, 2000);
        // All edges by each other where a quotient takes few cycles, every seventh where it takes many.
        let step = if ty.width(32) == 16 { 1 } else { 7 };
        check(&unit(Divf, ty), &all.iter().step_by(step).cloned().collect::<Vec<_>>(), 0);
        let some: Vec<_> = all.into_iter().step_by(61).collect();
        for (slower, later) in [(0, 0), (2, 0), (0, 3), (1, 5)] {
            let mut fu = unit(Divf, ty);
            fu.latency += slower;
            fu.interval += slower + later;
            check(&fu, &some, 40);
        }
    }
}

/// Of all sizes by each other: a remainder takes as long as they are apart.
#[test]
fn remainders() {
    for ty in FLOATS {
        let mut rng = Rng::new(14);
        let all = pairs(&mut rng, ty, 2000);
        let step = match ty {
            Type::F16 => 1,
            Type::F64 => 29,
            _ => 5,
        };
        check(&unit(Remf, ty), &all.iter().step_by(step).cloned().collect::<Vec<_>>(), 0);
        let some: Vec<_> = all.into_iter().step_by(97).collect();
        for (slower, later) in [(2, 0), (1, 5)] {
            let mut fu = unit(Remf, ty);
            fu.latency += slower;
            fu.interval += slower + later;
            check(&fu, &some, 40);
        }
    }
}

/// Among them squares, what lies beside them, and numbers of both parities of the exponent.
#[test]
fn roots() {
    for ty in FLOATS {
        let mut rng = Rng::new(13);
        let mut data = edges(ty);
        let (_, bias) = operands::shape(ty);
        for _ in 0..250 {
            let around = rng.next_u64() % (2 * bias + 2);
            let value = random(&mut rng, ty, around);
            let square = eval_arith(Op::Plain(OpKind::Mulf), &[ty, ty], ty, 32, &[value, value]);
            data.extend([value, square, square.wrapping_add(1), square.saturating_sub(1)]);
        }
        let data: Vec<Vec<u64>> = data.into_iter().map(|v| vec![truncate(v, ty.width(32))]).collect();
        for kind in [Sqrt, Rsqrt] {
            check(&unit(kind, ty), &data, 0);
            let mut slow = unit(kind, ty);
            (slow.latency, slow.interval) = (slow.latency + 1, slow.interval + 4);
            check(&slow, &data[..200], 40);
        }
    }
}

/// Every number of the narrow types, in the long run.
#[test]
#[ignore = "a minute"]
fn every_root_of_sixteen_bits() {
    for (kind, ty) in [Sqrt, Rsqrt].into_iter().flat_map(|kind| [(kind, Type::F16), (kind, Type::Bf16)]) {
        check(&unit(kind, ty), &(0..1 << 16).map(|v| vec![v]).collect::<Vec<_>>(), 0);
    }
}

/// Gates, flip-flops, longest path.
#[test]
fn sizes() {
    let cases = [
        (Divf, Type::F32, (1750, 130, 62)),
        (Sqrt, Type::F32, (960, 130, 38)),
        (Rsqrt, Type::F32, (1600, 200, 130)),
        (Remf, Type::F32, (1700, 115, 54)),
    ];
    for (kind, ty, most) in cases {
        let (gates, bits, depth) = area(&function_unit(&unit(kind, ty), 32));
        assert!(
            gates <= most.0 && bits <= most.1 && depth <= most.2,
            "{kind} {ty}: gates {gates}, flip-flops {bits}, path {depth}, allowed {most:?}"
        );
    }
}
