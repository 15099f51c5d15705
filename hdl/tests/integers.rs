//! Integer units against the golden evaluator, at the corners and at random, under stalls on both sides: every op that
//! is combinational and every division, several operations in a row, nothing left at the end.

use crate::common::run;
use loom_adg::model::FunctionUnit;
use loom_base::{truncate, Rng};
use loom_dfg::eval::eval_arith;
use loom_dfg::op::Form;
use loom_dfg::{Op, OpKind, Type};
use loom_hdl::parts::function_unit;
use loom_testkit::tools::area;

/// Operands in order: the corners by each other, then random ones.
fn operands(rng: &mut Rng, types: &[Type], index_width: u32, random: usize) -> Vec<Vec<u64>> {
    let width = types[0].width(index_width);
    let corners = [0, 1, 2, 3, u64::MAX, u64::MAX - 1, 1 << (width - 1), (1 << (width - 1)) - 1, 100];
    let corners = corners.map(|v| truncate(v, width));
    let mut all: Vec<Vec<u64>> = match types.len() {
        1 => corners.iter().map(|&a| vec![a]).collect(),
        _ => corners.iter().flat_map(|&a| corners.map(|b| vec![a, b])).collect(),
    };
    for _ in 0..random {
        let few = rng.below(width as usize) as u32 + 1;
        all.push(
            types
                .iter()
                .map(|_| truncate(rng.next_u64(), if rng.chance(50) { few } else { width }))
                .collect(),
        );
    }
    all
}

fn check(kind: OpKind, from: Type, to: Type, index_width: u32, slower: (i32, i32), random: usize) {
    let types = vec![from; kind.operand_count()];
    let mut fu = FunctionUnit::single(format!("{kind}_{from}_{to}"), kind, &types, &[to]);
    fu.set_digit_time(index_width);
    if kind.is_iterative() {
        fu.latency += slower.0;
        fu.interval += slower.0 + slower.1;
    }
    let mut rng = Rng::new(5);
    let data = operands(&mut rng, &types, index_width, random);
    let want: Vec<u64> =
        data.iter().map(|v| eval_arith(Op::Plain(kind), &types, to, index_width, v)).collect();
    for stalls in [0, 40] {
        let (got, times) = run(&fu, index_width, &data, stalls, 9);
        for (at, values) in data.iter().enumerate() {
            assert_eq!(got[at], want[at], "{kind} of {values:x?} at {from} to {to}, index {index_width}");
            if let ([fired, offered], true) = (times[at], fu.latency > 0) {
                assert_eq!(offered - fired, fu.latency as usize, "{kind}");
            }
        }
        let gaps = times.windows(2).map(|w| (w[1][0] - w[0][0]) as i32);
        let least = gaps.min().unwrap_or(0);
        assert!(
            if stalls == 0 { least == fu.interval } else { least >= fu.interval },
            "{kind}: {least} cycles"
        );
    }
}

const WIDTHS: [(Type, u32); 6] = [
    (Type::Int(1), 32),
    (Type::Int(8), 32),
    (Type::Int(32), 32),
    (Type::Int(64), 32),
    (Type::Index, 32),
    (Type::Index, 64),
];

fn is_division(kind: &OpKind) -> bool {
    matches!(kind.form(), Form::Division(_))
}

#[test]
fn divisions() {
    for kind in OpKind::TABLE.iter().copied().filter(is_division) {
        for (ty, index_width) in WIDTHS {
            check(kind, ty, ty, index_width, (0, 0), 40);
        }
        check(kind, Type::Int(8), Type::Int(8), 32, (3, 0), 40);
        check(kind, Type::Int(8), Type::Int(8), 32, (0, 5), 40);
        check(kind, Type::Int(8), Type::Int(8), 32, (2, 7), 40);
    }
}

/// Every dividend by every divisor.
#[test]
fn small_divisions() {
    for kind in OpKind::TABLE.iter().copied().filter(is_division) {
        let ty = Type::Int(4);
        let mut fu = FunctionUnit::single("d", kind, &[ty, ty], &[ty]);
        fu.set_digit_time(32);
        let data: Vec<Vec<u64>> = (0..256).map(|v| vec![v >> 4, v & 15]).collect();
        let want: Vec<u64> = data.iter().map(|v| eval_arith(Op::Plain(kind), &[ty, ty], ty, 32, v)).collect();
        assert_eq!(run(&fu, 32, &data, 10, 1).0, want, "{kind}");
    }
}

#[test]
fn choices_counts_and_casts() {
    use OpKind::*;
    for kind in [Maxsi, Maxui, Minsi, Minui, Absi, Ctlz, Cttz, Ctpop, Bitreverse] {
        for (ty, index_width) in WIDTHS.into_iter().chain([(Type::Int(3), 32), (Type::Int(37), 32)]) {
            check(kind, ty, ty, index_width, (0, 0), 200);
        }
    }
    for (ty, index_width) in WIDTHS {
        if ty != Type::Index {
            for index_width in [32, 64] {
                check(IndexCastui, ty, Type::Index, index_width, (0, 0), 100);
                check(IndexCastui, Type::Index, ty, index_width, (0, 0), 100);
            }
        } else {
            check(IndexCastui, Type::Int(64), ty, index_width, (0, 0), 100);
        }
    }
}

/// A divider stays within what its registers and two adders need, at every width: gates, flip-flops, longest path.
#[test]
fn size_of_dividers() {
    let cases = [
        (OpKind::Divui, Type::Int(8), (120, 30, 18)),
        (OpKind::Divui, Type::I32, (450, 105, 40)),
        (OpKind::Divui, Type::Int(64), (900, 202, 45)),
        (OpKind::Divsi, Type::Int(8), (185, 31, 18)),
        (OpKind::Divsi, Type::I32, (750, 106, 40)),
        (OpKind::Divsi, Type::Int(64), (1500, 203, 70)),
    ];
    for (kind, ty, most) in cases {
        let mut fu = FunctionUnit::single("d", kind, &[ty, ty], &[ty]);
        fu.set_digit_time(32);
        let (gates, bits, depth) = area(&function_unit(&fu, 32));
        assert!(
            gates <= most.0 && bits <= most.1 && depth <= most.2,
            "{kind} {ty}: gates {gates}, flip-flops {bits}, path {depth}, allowed {most:?}"
        );
    }
}

/// The op table and the generator agree on what has hardware: each row builds, or says that it has none.
#[test]
fn every_unit_of_the_op_table_has_a_module() {
    for kind in OpKind::TABLE.iter().copied().filter(|k| k.in_hardware()) {
        let (operands, results) = kind.example_types();
        let mut fu = FunctionUnit::single("u", kind, &operands, &results);
        fu.set_digit_time(32);
        let module = function_unit(&fu, 32);
        assert!(module.name.contains(kind.mnemonic().rsplit('.').next().unwrap()), "{}", module.name);
    }
}
