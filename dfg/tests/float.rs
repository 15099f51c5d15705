//! Float ops against the host's `f32` and `f64` (IEEE for these), and the two 16-bit types against `f32` or `f64`
//! arithmetic that is wide enough to round once.

use loom_base::Rng;
use loom_dfg::eval::eval_arith;
use loom_dfg::float::{canonical_nan, compare, from_f64, is_nan, parse_decimal, to_f64};
use loom_dfg::{FloatPredicate, Op, OpKind, Type};
use std::cmp::Ordering;

fn op(kind: OpKind, ty: Type, operands: &[u64]) -> u64 {
    eval_arith(Op::Plain(kind), &vec![ty; operands.len()], ty, 32, operands)
}

fn cast(kind: OpKind, from: Type, to: Type, v: u64) -> u64 {
    eval_arith(Op::Plain(kind), &[from], to, 32, &[v])
}

/// Any pattern, with a liking for the edges of the format.
fn pattern(rng: &mut Rng, ty: Type) -> u64 {
    let width = ty.width(64);
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let fraction = match ty {
        Type::Bf16 => 7,
        Type::F16 => 10,
        Type::F32 => 23,
        _ => 52,
    };
    let bits = rng.next_u64() & mask;
    let sign = rng.next_u64() & 1 << (width - 1);
    let (one, exponents) = (1u64 << fraction, (1u64 << (width - 1)) - (1 << fraction));
    match rng.below(8) {
        0 => {
            sign | *rng.pick(&[
                0,
                1,
                one - 1,
                one,
                one + 1,
                exponents - 1,
                exponents,
                exponents + 1,
                exponents | one >> 1,
            ])
        }
        // Near one, where sums cancel and roundings tie.
        1 => sign | ((exponents >> 1 & exponents) + (rng.below(8) as u64) * one / 2 + rng.below(4) as u64),
        2 => bits & !(one - 1) | rng.below(4) as u64,
        3 => bits & !exponents,
        4 => bits & !((one >> 1) - 1),
        _ => bits,
    }
}

fn canonical(ty: Type, bits: u64) -> u64 {
    if is_nan(ty, bits) {
        canonical_nan(ty)
    } else {
        bits
    }
}

macro_rules! host {
    ($test:ident, $float:ty, $bits:ty, $ty:expr) => {
        #[test]
        fn $test() {
            let ty = $ty;
            let mut rng = Rng::new(7);
            let f = |bits: u64| <$float>::from_bits(bits as $bits);
            for _ in 0..60_000 {
                let [a, b, c] = [0; 3].map(|_| pattern(&mut rng, ty));
                let (x, y, z) = (f(a), f(b), f(c));
                let two = [
                    (OpKind::Addf, x + y),
                    (OpKind::Subf, x - y),
                    (OpKind::Mulf, x * y),
                    (OpKind::Divf, x / y),
                    (OpKind::Remf, x % y),
                ];
                for (kind, want) in two {
                    let want = canonical(ty, u64::from(want.to_bits()));
                    assert_eq!(op(kind, ty, &[a, b]), want, "{kind} {a:x} {b:x}");
                }
                let one = [
                    (OpKind::Sqrt, x.sqrt()),
                    (OpKind::Floor, x.floor()),
                    (OpKind::Ceil, x.ceil()),
                    (OpKind::Trunc, x.trunc()),
                    (OpKind::Round, x.round()),
                    (OpKind::Roundeven, x.round_ties_even()),
                ];
                for (kind, want) in one {
                    let want = canonical(ty, u64::from(want.to_bits()));
                    assert_eq!(op(kind, ty, &[a]), want, "{kind} {a:x}");
                }
                let want = canonical(ty, u64::from(x.mul_add(y, z).to_bits()));
                assert_eq!(op(OpKind::Fma, ty, &[a, b, c]), want, "fma {a:x} {b:x} {c:x}");
                for p in FloatPredicate::all() {
                    assert_eq!(compare(p, ty, a, b), p.holds(x.partial_cmp(&y)), "{} {a:x} {b:x}", p.text());
                }
                assert_eq!(cast(OpKind::Fptosi, ty, Type::Int(64), a), x as i64 as u64, "{a:x}");
                assert_eq!(cast(OpKind::Fptoui, ty, Type::Int(64), a), x as u64, "{a:x}");
                assert_eq!(cast(OpKind::Fptosi, ty, Type::Int(8), a), u64::from(x as i8 as u8), "{a:x}");
                assert_eq!(cast(OpKind::Fptoui, ty, Type::Int(16), a), u64::from(x as u16), "{a:x}");
                let n = rng.next_u64() >> rng.below(64);
                let n = if rng.below(2) == 0 { n } else { n.wrapping_neg() };
                let i64 = Type::Int(64);
                assert_eq!(
                    cast(OpKind::Sitofp, i64, ty, n),
                    u64::from((n as i64 as $float).to_bits()),
                    "{n:x}"
                );
                assert_eq!(cast(OpKind::Uitofp, i64, ty, n), u64::from((n as $float).to_bits()), "{n:x}");
                assert_eq!(op(OpKind::Negf, ty, &[a]), a ^ 1 << (ty.width(0) - 1));
                assert_eq!(op(OpKind::Absf, ty, &[a]), a & !(1 << (ty.width(0) - 1)));
                assert_eq!(op(OpKind::Copysign, ty, &[a, b]), u64::from(x.copysign(y).to_bits()));
                if !x.is_nan() && !y.is_nan() && x != y {
                    for (kind, want) in [(OpKind::Maximumf, x.max(y)), (OpKind::Minnumf, x.min(y))] {
                        assert_eq!(op(kind, ty, &[a, b]), u64::from(want.to_bits()), "{kind} {a:x} {b:x}");
                    }
                }
            }
        }
    };
}

host!(f32_as_the_host, f32, u32, Type::F32);
host!(f64_as_the_host, f64, u64, Type::F64);

#[test]
fn conversions_between_f32_and_f64_as_the_host() {
    let mut rng = Rng::new(9);
    for _ in 0..60_000 {
        let a = pattern(&mut rng, Type::F32);
        let want = canonical(Type::F64, f64::from(f32::from_bits(a as u32)).to_bits());
        assert_eq!(cast(OpKind::Extf, Type::F32, Type::F64, a), want, "{a:x}");
        // Around the halves of f32, and anything.
        let near = (rng.below(5) as u64).wrapping_sub(2).wrapping_add((rng.below(3) as u64) << 28);
        let b = want.wrapping_add(near);
        for b in [b, pattern(&mut rng, Type::F64)] {
            let want = canonical(Type::F32, u64::from((f64::from_bits(b) as f32).to_bits()));
            assert_eq!(cast(OpKind::Truncf, Type::F64, Type::F32, b), want, "{b:x}");
        }
    }
}

/// Every `bf16` and `f16`. `f64` holds them exactly, and has more than twice their precision: rounding its result
/// again gives the right one.
#[test]
fn every_16_bit_float_through_f64() {
    for ty in [Type::Bf16, Type::F16] {
        let wide = |a: u64| f64::from_bits(cast(OpKind::Extf, ty, Type::F64, a));
        let narrow = |x: f64| cast(OpKind::Truncf, Type::F64, ty, x.to_bits());
        let mut rng = Rng::new(3);
        for a in 0..1 << 16u64 {
            let x = wide(a);
            if ty == Type::Bf16 {
                // A bf16 is the top half of an f32.
                let host = f64::from(f32::from_bits((a as u32) << 16));
                assert!(host == x || host.is_nan() && x.is_nan(), "{a:x}");
            }
            assert_eq!(narrow(x), canonical(ty, a), "{a:x}");
            let one = [
                (OpKind::Sqrt, x.sqrt()),
                (OpKind::Floor, x.floor()),
                (OpKind::Ceil, x.ceil()),
                (OpKind::Trunc, x.trunc()),
                (OpKind::Round, x.round()),
                (OpKind::Roundeven, x.round_ties_even()),
            ];
            for (kind, want) in one {
                assert_eq!(op(kind, ty, &[a]), narrow(want), "{kind} {ty} {a:x}");
            }
            assert_eq!(cast(OpKind::Fptosi, ty, Type::Int(32), a), u64::from(x as i32 as u32), "{a:x}");
            assert_eq!(cast(OpKind::Fptoui, ty, Type::Int(32), a), u64::from(x as u32), "{a:x}");
            let b = pattern(&mut rng, ty);
            let y = wide(b);
            let two = [
                (OpKind::Addf, x + y),
                (OpKind::Subf, x - y),
                (OpKind::Mulf, x * y),
                (OpKind::Divf, x / y),
                (OpKind::Remf, x % y),
            ];
            for (kind, want) in two {
                assert_eq!(op(kind, ty, &[a, b]), narrow(want), "{kind} {ty} {a:x} {b:x}");
            }
            let want = narrow(f64::from(a as i16));
            assert_eq!(cast(OpKind::Sitofp, Type::Int(16), ty, a), want, "{a:x}");
            assert_eq!(cast(OpKind::Uitofp, Type::Int(16), ty, a), narrow(a as f64), "{a:x}");
        }
    }
}

/// A subtraction for each place between the exponents: none of a smaller number, all of the largest by a zero.
#[test]
fn a_remainder_takes_as_long_as_its_operands_are_apart() {
    for ty in [Type::Bf16, Type::F16, Type::F32, Type::F64] {
        let all = OpKind::Remf.digit_cycles(ty, 32).expect("digit by digit") - 2;
        let [one, infinity] = [1.0, f64::INFINITY].map(|x| from_f64(ty, x));
        let taken = |a: u64, b: u64| all - OpKind::Remf.cycles_left_out(ty, &[a, b]);
        for power in 0..15 {
            let number = from_f64(ty, libm::exp2(power.into()) * 1.5);
            assert_eq!(taken(number, one), power as u32 + 1, "{ty} 2^{power}");
            assert_eq!(taken(one, number), if power == 0 { 1 } else { 0 }, "{ty} 2^{power}");
            // Subnormals: the divisor counts as what it is, the dividend as of the least normal number.
            assert_eq!(taken(1 << ty.fraction_bits(), 1), ty.fraction_bits() + 1, "{ty}");
            assert_eq!(taken(1, 1), ty.fraction_bits() + 1, "{ty}");
        }
        assert_eq!((taken(infinity, 0), taken(one, infinity)), (all, 0), "{ty}");
        assert_eq!(OpKind::Divf.cycles_left_out(ty, &[one, one]), 0);
    }
}

/// A positive float as an integer and the power of two that goes with it.
fn parts(ty: Type, bits: u64) -> (u64, i32) {
    let (fraction_bits, bias) = match ty {
        Type::Bf16 => (7, 127),
        Type::F16 => (10, 15),
        Type::F32 => (23, 127),
        _ => (52, 1023),
    };
    let (fraction, field) = (bits & ((1 << fraction_bits) - 1), (bits >> fraction_bits) as i32);
    let hidden = u64::from(field > 0) << fraction_bits;
    (hidden | fraction, field.max(1) - bias - fraction_bits)
}

/// How `x y^2` stands to 1, for two numbers as integers and powers of two: exactly, by digits of 64 bits.
fn square_to_one(x: (u64, i32), y: (u64, i32)) -> Ordering {
    let mut digits = vec![x.0];
    for _ in 0..2 {
        let mut carry = 0u128;
        for digit in &mut digits {
            carry += u128::from(*digit) * u128::from(y.0);
            (*digit, carry) = (carry as u64, carry >> 64);
        }
        digits.push(carry as u64);
    }
    let highest =
        (0..digits.len() * 64).rev().find(|&at| digits[at / 64] >> (at % 64) & 1 == 1).expect("no zero");
    let ones: u32 = digits.iter().map(|d| d.count_ones()).sum();
    let power = highest as i32 + x.1 + 2 * y.1;
    power.cmp(&0).then(ones.cmp(&1))
}

/// No float is nearer to 1 by the root: the middles between the result and its neighbours lie on either side of it. By products of
/// integers alone; every 16-bit number, and some of the others.
#[test]
fn reciprocal_roots_are_the_nearest_floats() {
    let check = |ty: Type, a: u64| {
        let result = op(OpKind::Rsqrt, ty, &[a]);
        let (x, (r, place)) = (parts(ty, a), parts(ty, result));
        // Below a power of two the neighbour is half as far.
        let below = if r.is_power_of_two() { (4 * r - 1, place - 2) } else { (2 * r - 1, place - 1) };
        let sides = [square_to_one(x, below), square_to_one(x, (2 * r + 1, place - 1))];
        assert_eq!(sides, [Ordering::Less, Ordering::Greater], "{ty} {a:x}: {result:x}");
    };
    for ty in [Type::Bf16, Type::F16, Type::F32, Type::F64] {
        let infinity = canonical_nan(ty) & (canonical_nan(ty) << 1);
        if ty.width(0) == 16 {
            (1..infinity).for_each(|a| check(ty, a));
            continue;
        }
        let mut rng = Rng::new(21);
        let fraction_bits = ty.fraction_bits();
        for _ in 0..60_000 {
            let a = pattern(&mut rng, ty) & (infinity | ((1 << fraction_bits) - 1));
            if a != 0 && a < infinity {
                check(ty, a);
            }
        }
        // Around powers of two of both parities, where digits run long.
        for (field, by) in
            [127u64, 128, 1, 2].into_iter().flat_map(|field| (0..300).map(move |by| (field, by)))
        {
            check(ty, (field << fraction_bits) + by);
            check(ty, (field << fraction_bits) - by);
        }
    }
}

/// Both ways, for every 16-bit float that is a number: what it stands for by the definition of its format, and that
/// numbers between two neighbours go to the nearer one, in the middle to the even one.
#[test]
fn every_16_bit_float_is_its_number() {
    for (ty, fraction_bits, bias) in [(Type::Bf16, 7, 127), (Type::F16, 10, 15)] {
        let one = f64::from(1 << fraction_bits);
        let defined = |magnitude: u64| {
            let fraction = (magnitude & ((1 << fraction_bits) - 1)) as f64;
            match (magnitude >> fraction_bits) as i32 {
                0 => fraction / one * 2f64.powi(1 - bias),
                exponent => (1.0 + fraction / one) * 2f64.powi(exponent - bias),
            }
        };
        let infinity = canonical_nan(ty) & !(1 << (fraction_bits - 1));
        for a in 0..infinity {
            let number = defined(a);
            assert_eq!(to_f64(ty, a), number, "{ty} {a:x}");
            assert_eq!(to_f64(ty, a | 0x8000), -number, "{ty} {a:x}");
            assert_eq!([from_f64(ty, number), from_f64(ty, -number)], [a, a | 0x8000], "{ty} {a:x}");
            // Above the largest number stands what would be the next one: from the middle on it is infinity.
            let middle = (number + defined(a + 1)) / 2.0;
            let nearly =
                |up: bool| f64::from_bits(if up { middle.to_bits() + 1 } else { middle.to_bits() - 1 });
            assert_eq!(from_f64(ty, middle), a + (a & 1), "{ty} {a:x}");
            assert_eq!([from_f64(ty, nearly(false)), from_f64(ty, nearly(true))], [a, a + 1], "{ty} {a:x}");
        }
        for (number, want) in
            [(f64::INFINITY, infinity), (f64::MAX, infinity), (-f64::NAN, canonical_nan(ty))]
        {
            assert_eq!(from_f64(ty, number), want, "{ty} {number}");
        }
        assert_eq!(to_f64(ty, infinity), f64::INFINITY);
    }
}

#[test]
fn numbers_of_f32_and_f64_as_the_host() {
    let mut rng = Rng::new(10);
    for _ in 0..60_000 {
        let wide = f64::from_bits(canonical(Type::F64, pattern(&mut rng, Type::F64)));
        let narrow = canonical(Type::F32, pattern(&mut rng, Type::F32));
        assert_eq!(from_f64(Type::F64, wide), wide.to_bits());
        assert_eq!(to_f64(Type::F64, wide.to_bits()).to_bits(), wide.to_bits());
        assert_eq!(
            from_f64(Type::F32, wide),
            canonical(Type::F32, u64::from((wide as f32).to_bits())),
            "{wide}"
        );
        let number = to_f64(Type::F32, narrow);
        assert!(number == f64::from(f32::from_bits(narrow as u32)) || number.is_nan(), "{narrow:x}");
        assert_eq!(from_f64(Type::F32, number), narrow, "{narrow:x}");
    }
}

#[test]
fn known_f16_values() {
    let wide = |a: u64| f64::from_bits(cast(OpKind::Extf, Type::F16, Type::F64, a));
    for (bits, value) in [
        (0x3c00, 1.0),
        (0xc000, -2.0),
        (0x7bff, 65504.0),
        (0x0400, 6.103_515_625e-5),
        (1, 5.960_464_477_539_063e-8),
    ] {
        assert_eq!(wide(bits), value);
    }
    assert_eq!(wide(0x7c00), f64::INFINITY);
    assert_eq!(cast(OpKind::Sitofp, Type::I32, Type::F16, 65_519), 0x7bff);
    assert_eq!(cast(OpKind::Sitofp, Type::I32, Type::F16, 65_520), 0x7c00, "too large gives infinity");
    // a*b + c with one rounding: (1 + 2^-10)^2 - (1 + 2^-9) = 2^-20.
    assert_eq!(op(OpKind::Fma, Type::F16, &[0x3c01, 0x3c01, 0xbc02]), 0x0010);
    assert_eq!(parse_decimal(Type::F16, "1.5"), Some(0x3e00));
    assert_eq!(parse_decimal(Type::F16, "-0.1"), Some(0xae66));
    assert_eq!(parse_decimal(Type::Bf16, "3.14159"), Some(0x4049));
    assert_eq!(parse_decimal(Type::F16, "65520.0"), None);
    assert_eq!(parse_decimal(Type::F32, "1.0e+39"), None);
}

#[test]
fn nans_and_zeros() {
    let (nan, odd, minus) = (0x7fc0_0000u64, 0xff80_1234u64, 0x8000_0000u64);
    let one = 0x3f80_0000;
    assert_eq!(canonical_nan(Type::F32), nan);
    assert_eq!([Type::Bf16, Type::F16, Type::F64].map(canonical_nan), [0x7fc0, 0x7e00, 0x7ff8 << 48]);
    let two = |kind, a, b| op(kind, Type::F32, &[a, b]);
    let cases = [
        (OpKind::Addf, odd, one, nan),
        (OpKind::Maximumf, odd, one, nan),
        (OpKind::Maximumf, one, odd, nan),
        (OpKind::Minimumf, one, odd, nan),
        (OpKind::Maxnumf, odd, one, one),
        (OpKind::Maxnumf, one, odd, one),
        (OpKind::Minnumf, odd, one, one),
        (OpKind::Maxnumf, odd, odd, nan),
        (OpKind::Minnumf, odd, odd, nan),
        (OpKind::Maximumf, minus, 0, 0),
        (OpKind::Maximumf, 0, minus, 0),
        (OpKind::Minimumf, 0, minus, minus),
        (OpKind::Maxnumf, minus, 0, 0),
        (OpKind::Minnumf, 0, minus, minus),
        (OpKind::Copysign, odd, one, odd ^ minus),
        (OpKind::Remf, minus, one, minus),
    ];
    for (kind, a, b, want) in cases {
        assert_eq!(two(kind, a, b), want, "{kind} {a:x} {b:x}");
    }
    assert_eq!(op(OpKind::Negf, Type::F32, &[odd]), odd ^ minus, "negf keeps a NaN's payload");
    assert_eq!(op(OpKind::Sqrt, Type::F32, &[minus]), minus);
    assert_eq!(op(OpKind::Sqrt, Type::F32, &[one | minus]), nan);
    let infinity = 0x7f80_0000;
    for (a, want) in
        [(0, infinity), (minus, infinity | minus), (infinity, 0), (one, one), (0x4080_0000, 0x3f00_0000)]
    {
        assert_eq!(op(OpKind::Rsqrt, Type::F32, &[a]), want, "rsqrt {a:x}");
    }
    for a in [one | minus, minus | 1, infinity | minus, odd, odd ^ minus] {
        assert_eq!(op(OpKind::Rsqrt, Type::F32, &[a]), nan, "rsqrt {a:x}");
    }
    assert_eq!(op(OpKind::Floor, Type::F32, &[odd]), nan);
    assert_eq!(cast(OpKind::Fptosi, Type::F32, Type::Int(8), odd), 0);
    assert_eq!(cast(OpKind::Truncf, Type::F32, Type::Bf16, odd), 0x7fc0);
}

/// Numbers that the functions of the library take: of all signs and sizes, more of them near 1.
fn number(rng: &mut Rng) -> f64 {
    let near = (rng.below(4001) as f64 - 2000.0) / 500.0;
    match rng.below(4) {
        0 => f64::from_bits(rng.next_u64()),
        1 => near * 100.0,
        _ => near,
    }
}

/// In double the last places may differ from the host's library; rounded to a narrower type they are gone but for one.
#[test]
fn elementary_functions_as_the_host_but_for_the_last_place() {
    type Unary = fn(f64) -> f64;
    let unary: [(OpKind, Unary); 17] = [
        (OpKind::Sin, f64::sin),
        (OpKind::Cos, f64::cos),
        (OpKind::Tan, f64::tan),
        (OpKind::Asin, f64::asin),
        (OpKind::Acos, f64::acos),
        (OpKind::Atan, f64::atan),
        (OpKind::Sinh, f64::sinh),
        (OpKind::Cosh, f64::cosh),
        (OpKind::Tanh, f64::tanh),
        (OpKind::Exp, f64::exp),
        (OpKind::Exp2, f64::exp2),
        (OpKind::Expm1, f64::exp_m1),
        (OpKind::Log, f64::ln),
        (OpKind::Log2, f64::log2),
        (OpKind::Log10, f64::log10),
        (OpKind::Log1p, f64::ln_1p),
        (OpKind::Cbrt, f64::cbrt),
    ];
    type Binary = fn(f64, f64) -> f64;
    let binary: [(OpKind, Binary); 2] = [(OpKind::Powf, f64::powf), (OpKind::Atan2, f64::atan2)];
    let near = |got: u64, want: u64, places: u64| got.abs_diff(want) <= places;
    let mut rng = Rng::new(11);
    for _ in 0..20_000 {
        let (x, y) = (number(&mut rng), number(&mut rng));
        let (narrow_x, narrow_y) = (x as f32, y as f32);
        let narrow = |x: f64| canonical(Type::F32, u64::from((x as f32).to_bits()));
        let check = |kind: OpKind, want: f64, narrow_want: f64| {
            let count = kind.operand_count();
            let wide = [x.to_bits(), y.to_bits()];
            let got = op(kind, Type::F64, &wide[..count]);
            let want = canonical(Type::F64, want.to_bits());
            assert!(near(got, want, 8), "{kind} {x:e} {y:e}: {got:x} for {want:x}");
            let operands = [narrow_x, narrow_y].map(|v| u64::from(v.to_bits()));
            let got = op(kind, Type::F32, &operands[..count]);
            assert!(near(got, narrow(narrow_want), 1), "{kind} {narrow_x:e} {narrow_y:e}");
        };
        for (kind, host) in unary {
            check(kind, host(x), host(narrow_x.into()));
        }
        for (kind, host) in binary {
            check(kind, host(x, y), host(narrow_x.into(), narrow_y.into()));
        }
    }
}

#[test]
fn elementary_functions_at_their_corners() {
    for ty in [Type::Bf16, Type::F16, Type::F32, Type::F64] {
        let of = |x: f64| cast(OpKind::Truncf, Type::F64, ty, x.to_bits());
        let nan = canonical_nan(ty);
        let is = |kind, operands: &[f64], want: u64| {
            let bits: Vec<u64> = operands.iter().map(|&x| of(x)).collect();
            assert_eq!(op(kind, ty, &bits), want, "{kind} {ty} {operands:?}");
        };
        for kind in [OpKind::Sin, OpKind::Tan, OpKind::Atan, OpKind::Tanh, OpKind::Erf, OpKind::Cbrt] {
            is(kind, &[-0.0], of(-0.0));
        }
        is(OpKind::Exp, &[0.0], of(1.0));
        is(OpKind::Exp, &[f64::NEG_INFINITY], of(0.0));
        is(OpKind::Exp2, &[10.0], of(1024.0));
        is(OpKind::Log, &[0.0], of(f64::NEG_INFINITY));
        is(OpKind::Log, &[-1.0], nan);
        is(OpKind::Sin, &[f64::INFINITY], nan);
        is(OpKind::Erf, &[f64::INFINITY], of(1.0));
        is(OpKind::Cbrt, &[-27.0], of(-3.0));
        is(OpKind::Powf, &[f64::NAN, 0.0], of(1.0));
        is(OpKind::Powf, &[-2.0, 3.0], of(-8.0));
        is(OpKind::Powf, &[-2.0, 0.5], nan);
        is(OpKind::Atan2, &[0.0, -1.0], of(std::f64::consts::PI));
        is(OpKind::Atan2, &[-0.0, 1.0], of(-0.0));
    }
}
