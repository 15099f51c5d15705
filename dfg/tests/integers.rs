//! Integer ops at their corners: a table for division, and the host for the rest.

use loom_base::{sign_extend, truncate, Rng};
use loom_dfg::eval::eval_arith;
use loom_dfg::{Op, OpKind, Type};

fn two(kind: OpKind, width: u8, a: i64, b: i64) -> i64 {
    let ty = Type::Int(width);
    let mask = |v: i64| truncate(v as u64, u32::from(width));
    sign_extend(eval_arith(Op::Plain(kind), &[ty, ty], ty, 32, &[mask(a), mask(b)]), u32::from(width))
}

/// Quotients and remainders at 8 bits, unsigned results written as signed ones.
#[test]
fn division_table() {
    use OpKind::*;
    let kinds = [Divsi, Remsi, Floordivsi, Ceildivsi, Divui, Remui, Ceildivui];
    let table: [(i64, i64, [i64; 7]); 13] = [
        (7, 2, [3, 1, 3, 4, 3, 1, 4]),
        (-7, 2, [-3, -1, -4, -3, 124, 1, 125]),
        (7, -2, [-3, 1, -4, -3, 0, 7, 1]),
        (-7, -2, [3, -1, 3, 4, 0, -7, 1]),
        (6, 3, [2, 0, 2, 2, 2, 0, 2]),
        (-6, 3, [-2, 0, -2, -2, 83, 1, 84]),
        (0, 5, [0, 0, 0, 0, 0, 0, 0]),
        (1, -5, [0, 1, -1, 0, 0, 1, 1]),
        (7, 0, [-1, 7, -1, -1, -1, 7, -1]),
        (-7, 0, [-1, -7, -1, -1, -1, -7, -1]),
        (0, 0, [-1, 0, -1, -1, -1, 0, -1]),
        (-128, -1, [-128, 0, -128, -128, 0, -128, 1]),
        (-128, 1, [-128, 0, -128, -128, -128, 0, -128]),
    ];
    for (a, b, want) in table {
        let found = kinds.map(|kind| two(kind, 8, a, b));
        assert_eq!(found, want, "{a} by {b}");
    }
    assert_eq!(two(Divsi, 64, i64::MIN, -1), i64::MIN);
    assert_eq!(two(Remsi, 64, i64::MIN, -1), 0);
    assert_eq!(two(Divsi, 1, -1, -1), -1, "the smallest i1 by -1");
}

/// All pairs of i6 hold what defines the divisions.
#[test]
fn divisions_fit_together() {
    use OpKind::*;
    for a in -32..32i64 {
        for b in (-32..32i64).filter(|&b| b != 0 && (a, b) != (-32, -1)) {
            let (q, r) = (two(Divsi, 6, a, b), two(Remsi, 6, a, b));
            assert_eq!(q * b + r, a);
            let floor = a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0);
            assert_eq!(two(Floordivsi, 6, a, b), floor, "{a} {b}");
            assert_eq!(two(Ceildivsi, 6, a, b), floor + i64::from(r != 0), "{a} {b}");
        }
    }
}

#[test]
fn bits_and_order() {
    let mut rng = Rng::new(5);
    for _ in 0..20_000 {
        let (a, b) = (rng.next_u64() as i64 >> rng.below(64), rng.next_u64() as i64 >> rng.below(64));
        let (x, y) = (a as i16, b as i16);
        let one = |kind| {
            let ty = Type::Int(16);
            eval_arith(Op::Plain(kind), &[ty], ty, 32, &[u64::from(x as u16)]) as u16
        };
        assert_eq!(one(OpKind::Ctlz), x.leading_zeros() as u16);
        assert_eq!(one(OpKind::Cttz), x.trailing_zeros() as u16);
        assert_eq!(one(OpKind::Ctpop), x.count_ones() as u16);
        assert_eq!(one(OpKind::Bitreverse), x.reverse_bits() as u16);
        assert_eq!(one(OpKind::Absi), x.wrapping_abs() as u16);
        let (x, y) = (i64::from(x), i64::from(y));
        let unsigned = |v: i64| v as u16;
        assert_eq!(two(OpKind::Maxsi, 16, x, y), x.max(y));
        assert_eq!(two(OpKind::Minsi, 16, x, y), x.min(y));
        assert_eq!(unsigned(two(OpKind::Maxui, 16, x, y)), unsigned(x).max(unsigned(y)));
        assert_eq!(unsigned(two(OpKind::Minui, 16, x, y)), unsigned(x).min(unsigned(y)));
    }
    let cast = |kind, from, to, v| eval_arith(Op::Plain(kind), &[from], to, 32, &[v]);
    assert_eq!(cast(OpKind::IndexCastui, Type::Int(8), Type::Index, 0x80), 0x80);
    assert_eq!(cast(OpKind::IndexCastui, Type::Index, Type::Int(8), 0x1_80), 0x80);
    assert_eq!(cast(OpKind::Bitcast, Type::F32, Type::I32, 0x7fa0_0001), 0x7fa0_0001);
    assert_eq!(cast(OpKind::Ctlz, Type::Int(1), Type::Int(1), 0), 1);
    assert_eq!(cast(OpKind::Bitreverse, Type::Int(64), Type::Int(64), 1), 1 << 63);
}
