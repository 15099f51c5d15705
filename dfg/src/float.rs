//! What the float ops compute, bit by bit, for `bf16`, `f16`, `f32` and `f64`.
//!
//! Guarantees: total; IEEE 754 with rounding to nearest, ties to even, and subnormals kept; every NaN that is
//! computed is the canonical one (sign 0, only the top fraction bit set), whatever NaN went in. `negf`, `absf`
//! and `copysign` compute nothing: they move sign bits, of NaNs too. No exception flags.

use crate::op::{Elementary, FloatBinary, FloatTernary, FloatUnary};
use crate::{curves, FloatPredicate, Type};
use loom_base::{sign_extend, truncate};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;

/// Sign bit and exponent bits of a float type's words.
fn masks(ty: Type) -> (u64, u64) {
    match ty {
        Type::Bf16 => (1 << 15, 0x7f80),
        Type::F16 => (1 << 15, 0x7c00),
        Type::F32 => (1 << 31, 0x7f80_0000),
        _ => (1 << 63, 0x7ff0_0000_0000_0000),
    }
}

/// The one NaN that arithmetic makes.
pub fn canonical_nan(ty: Type) -> u64 {
    let (_, exponent) = masks(ty);
    exponent | ((exponent & exponent.wrapping_neg()) >> 1)
}

/// Whether the bits are a NaN of the type, any NaN.
pub fn is_nan(ty: Type, bits: u64) -> bool {
    let (sign, exponent) = masks(ty);
    bits & (sign - 1) > exponent
}

/// The bits of a value that is computed in the library's type for `$ty`, from bits taken as that type.
macro_rules! in_type {
    (@of $float:ty, $($x:ident = $bits:expr),+; $value:expr) => {{
        $(let $x = <$float>::from_bits(u128::from($bits));)+
        $value.to_bits() as u64
    }};
    ($ty:expr, $($x:ident = $bits:expr),+; $value:expr) => {
        match $ty {
            Type::Bf16 => in_type!(@of BFloat, $($x = $bits),+; $value),
            Type::F16 => in_type!(@of Half, $($x = $bits),+; $value),
            Type::F32 => in_type!(@of Single, $($x = $bits),+; $value),
            _ => in_type!(@of Double, $($x = $bits),+; $value),
        }
    };
}

/// An op on two operands of one float type; an elementary function is what its unit computes where there is one, else the library's.
pub(crate) fn binary(op: FloatBinary, ty: Type, a: u64, b: u64) -> u64 {
    use FloatBinary::{
        Addf, Atan2, Copysign, Divf, Maximumf, Maxnumf, Minimumf, Minnumf, Mulf, Powf, Remf, Subf,
    };
    if let Some(bits) = curves::value_of_two(op, ty, [a, b]) {
        return bits;
    }
    let (sign, _) = masks(ty);
    let nan = (is_nan(ty, a), is_nan(ty, b));
    let bits = match op {
        Copysign => return a & !sign | b & sign,
        Maximumf | Minimumf if nan.0 || nan.1 => canonical_nan(ty),
        Maxnumf | Minnumf if nan.0 => b,
        Maxnumf | Minnumf if nan.1 => a,
        Maximumf | Maxnumf if order(ty, a) >= order(ty, b) => a,
        Minimumf | Minnumf if order(ty, a) <= order(ty, b) => a,
        Maximumf | Minimumf | Maxnumf | Minnumf => b,
        Addf => in_type!(ty, x = a, y = b; (x + y).value),
        Subf => in_type!(ty, x = a, y = b; (x - y).value),
        Mulf => in_type!(ty, x = a, y = b; (x * y).value),
        Divf => in_type!(ty, x = a, y = b; (x / y).value),
        Remf => in_type!(ty, x = a, y = b; x.c_fmod(y).value),
        Powf => in_double(ty, [a, b], |[x, y]| libm::pow(x, y)),
        Atan2 => in_double(ty, [a, b], |[x, y]| libm::atan2(x, y)),
    };
    canonical(ty, bits)
}

/// An op on one operand, with a result of its type.
pub(crate) fn unary(op: FloatUnary, ty: Type, a: u64) -> u64 {
    let (sign, _) = masks(ty);
    let whole = |round| in_type!(ty, x = a; x.round_to_integral(round).value);
    let bits = match op {
        FloatUnary::Negf => return a ^ sign,
        FloatUnary::Absf => return a & !sign,
        FloatUnary::Sqrt => in_type!(ty, x = a; sqrt(x)),
        FloatUnary::Rsqrt => in_type!(ty, x = a; reciprocal_sqrt(x)),
        FloatUnary::Floor => whole(Round::TowardNegative),
        FloatUnary::Ceil => whole(Round::TowardPositive),
        FloatUnary::Trunc => whole(Round::TowardZero),
        FloatUnary::Round => whole(Round::NearestTiesToAway),
        FloatUnary::Roundeven => whole(Round::NearestTiesToEven),
    };
    canonical(ty, bits)
}

/// An elementary function on one operand: what its unit computes where there is one, else the library's.
pub(crate) fn elementary(op: Elementary, ty: Type, a: u64) -> u64 {
    if let Some(bits) = curves::value(op, ty, a) {
        return bits;
    }
    let function = match op {
        Elementary::Sin => libm::sin,
        Elementary::Cos => libm::cos,
        Elementary::Tan => libm::tan,
        Elementary::Asin => libm::asin,
        Elementary::Acos => libm::acos,
        Elementary::Atan => libm::atan,
        Elementary::Sinh => libm::sinh,
        Elementary::Cosh => libm::cosh,
        Elementary::Tanh => libm::tanh,
        Elementary::Exp => libm::exp,
        Elementary::Exp2 => libm::exp2,
        Elementary::Expm1 => libm::expm1,
        Elementary::Log => libm::log,
        Elementary::Log2 => libm::log2,
        Elementary::Log10 => libm::log10,
        Elementary::Log1p => libm::log1p,
        Elementary::Erf => libm::erf,
        Elementary::Cbrt => libm::cbrt,
    };
    canonical(ty, in_double(ty, [a], |[x]| function(x)))
}

/// A function that is computed in double, which holds the operands of every type, and rounded once to the type.
fn in_double<const N: usize>(ty: Type, operands: [u64; N], function: impl Fn([f64; N]) -> f64) -> u64 {
    let value = function(operands.map(|bits| f64::from_bits(convert(ty, Type::F64, bits))));
    convert(Type::F64, ty, value.to_bits())
}

/// An op on three operands of one float type.
pub(crate) fn ternary(op: FloatTernary, ty: Type, [a, b, c]: [u64; 3]) -> u64 {
    let bits = match op {
        FloatTernary::Fma => in_type!(ty, x = a, y = b, z = c; x.mul_add(y, z).value),
    };
    canonical(ty, bits)
}

fn canonical(ty: Type, bits: u64) -> u64 {
    if is_nan(ty, bits) {
        canonical_nan(ty)
    } else {
        bits
    }
}

/// A number that grows with the float, -0 below +0; only for what is no NaN.
fn order(ty: Type, bits: u64) -> i128 {
    let (sign, _) = masks(ty);
    let magnitude = i128::from(bits & (sign - 1));
    if bits & sign == 0 {
        magnitude
    } else {
        -1 - magnitude
    }
}

/// The integer significand and exponent of a positive number: `m * 2^e`.
fn taken_apart<F: Float>(x: F) -> (u128, i32) {
    let fraction_bits = F::PRECISION as i32 - 1;
    let bits = x.to_bits();
    let fraction = bits & ((1 << fraction_bits) - 1);
    let field = (bits >> fraction_bits) as i32;
    match field {
        0 => (fraction, F::MIN_EXP - fraction_bits),
        _ => (fraction | 1 << fraction_bits, field - 1 + F::MIN_EXP - fraction_bits),
    }
}

/// The square root, correctly rounded: an integer root with two bits more than the result keeps and one that says
/// whether anything is below them.
fn sqrt<F: Float>(x: F) -> F {
    if x.is_nan() || x.is_zero() || x.is_pos_infinity() {
        return x;
    }
    if x.is_negative() {
        return F::NAN;
    }
    let (mut m, mut e) = taken_apart(x);
    // m gets twice as many bits as the root shall have, or one less, and the exponent becomes even.
    let wanted = 2 * (F::PRECISION as i32 + 2);
    let mut shift = wanted - (128 - m.leading_zeros() as i32);
    if (e - shift) % 2 != 0 {
        shift -= 1;
    }
    m <<= shift;
    e -= shift;
    let root = m.isqrt();
    let sticky = u128::from(root * root != m);
    // A root is never subnormal nor too large, so this rounds once and then only moves the exponent.
    F::from_u128(root << 1 | sticky).value.scalbn(e / 2 - 1)
}

/// 1 by the square root, correctly rounded. For `x = m * 4^h`, with m of [`Float::PRECISION`] bits or one more, it is the largest
/// integer r with `m r^2 <= 4^k`, and something below it, by `2^(k + h)`: k is so large that r has two bits more than the result.
fn reciprocal_sqrt<F: Float>(x: F) -> F {
    if x.is_nan() {
        return x;
    }
    if x.is_zero() {
        return F::INFINITY.copy_sign(x);
    }
    if x.is_negative() {
        return F::NAN;
    }
    if x.is_pos_infinity() {
        return F::ZERO;
    }
    let (mut m, mut e) = taken_apart(x);
    let precision = F::PRECISION as i32;
    let mut shift = precision - (128 - m.leading_zeros() as i32);
    if (e - shift) % 2 != 0 {
        shift += 1;
    }
    m <<= shift;
    e -= shift;
    // The root of m is below 2^((precision + 1) / 2), so r has precision + 2 bits at least.
    let k = precision + 2 + precision / 2;
    let bits = k - (precision - 1) / 2;
    let root = (0..=bits).rev().fold(0u128, |r, at| match r | 1 << at {
        longer if is_square_above(m, longer, 2 * k as u32) => r,
        longer => longer,
    });
    // What is exact is a power of two, which a bit far below does not disturb; what is not has something there. A result is
    // never subnormal nor too large.
    F::from_u128(root << 1 | 1).value.scalbn(-k - e / 2 - 1)
}

/// Whether `m r^2` is above `2^power`, for `m r` below 2^128 and r below 2^64.
fn is_square_above(m: u128, r: u128, power: u32) -> bool {
    let once = m * r;
    let low = (once & u128::from(u64::MAX)) * r;
    let high = (once >> 64) * r + (low >> 64);
    let rest = low & u128::from(u64::MAX);
    match power.checked_sub(64) {
        Some(above) => (high, rest) > (1 << above, 0),
        None => high > 0 || rest > 1 << power,
    }
}

/// Every float is exact in `f64`.
fn to_double(ty: Type, bits: u64) -> Double {
    let bits = u128::from(bits);
    let mut inexact = false;
    match ty {
        Type::Bf16 => BFloat::from_bits(bits).convert(&mut inexact).value,
        Type::F16 => Half::from_bits(bits).convert(&mut inexact).value,
        Type::F32 => Single::from_bits(bits).convert(&mut inexact).value,
        _ => Double::from_bits(bits),
    }
}

/// `extf` and `truncf`.
pub(crate) fn convert(from: Type, to: Type, bits: u64) -> u64 {
    let exact = to_double(from, bits);
    let mut inexact = false;
    let bits = match to {
        Type::Bf16 => FloatConvert::<BFloat>::convert(exact, &mut inexact).value.to_bits(),
        Type::F16 => FloatConvert::<Half>::convert(exact, &mut inexact).value.to_bits(),
        Type::F32 => FloatConvert::<Single>::convert(exact, &mut inexact).value.to_bits(),
        _ => exact.to_bits(),
    };
    canonical(to, bits as u64)
}

/// A number rounded to a type; the canonical NaN for every NaN.
pub fn from_f64(ty: Type, number: f64) -> u64 {
    convert(Type::F64, ty, number.to_bits())
}

/// The number that bits of a type stand for: every float is exact in `f64`.
pub fn to_f64(ty: Type, bits: u64) -> f64 {
    f64::from_bits(convert(ty, Type::F64, bits))
}

/// `sitofp` and `uitofp`: too large a number gives infinity (only `f16` is that small).
pub(crate) fn from_integer(to: Type, value: i128) -> u64 {
    let bits = match to {
        Type::Bf16 => BFloat::from_i128(value).value.to_bits(),
        Type::F16 => Half::from_i128(value).value.to_bits(),
        Type::F32 => Single::from_i128(value).value.to_bits(),
        _ => Double::from_i128(value).value.to_bits(),
    };
    bits as u64
}

/// `fptosi` and `fptoui` to `width` bits: towards zero, the nearest integer when out of range, 0 for a NaN.
pub(crate) fn to_integer(from: Type, bits: u64, width: u32, signed: bool) -> u64 {
    if is_nan(from, bits) {
        return 0;
    }
    let value = to_double(from, bits);
    let mut exact = false;
    let integer = match signed {
        true => {
            // The library has no signed integers of one bit: they are cut from two.
            let wide = value.to_i128_r(width.max(2) as usize, Round::TowardZero, &mut exact).value;
            let limit = 1i128 << (width - 1);
            wide.clamp(-limit, limit - 1) as u64
        }
        false => value.to_u128_r(width as usize, Round::TowardZero, &mut exact).value as u64,
    };
    truncate(integer, width)
}

/// `arith.cmpf`.
pub fn compare(predicate: FloatPredicate, ty: Type, a: u64, b: u64) -> bool {
    let zero = |bits: u64| bits & (masks(ty).0 - 1) == 0;
    predicate.holds(match () {
        _ if is_nan(ty, a) || is_nan(ty, b) => None,
        _ if zero(a) && zero(b) => Some(Ordering::Equal),
        _ => Some(order(ty, a).cmp(&order(ty, b))),
    })
}

/// The bits of a decimal literal, correctly rounded; `None` when it is none or too large.
pub fn parse_decimal(ty: Type, text: &str) -> Option<u64> {
    fn read<F: Float>(text: &str) -> Option<u64> {
        let value = F::from_str_r(text, Round::NearestTiesToEven).ok()?.value;
        value.is_finite().then_some(value.to_bits() as u64)
    }
    match ty {
        Type::Bf16 => read::<BFloat>(text),
        Type::F16 => read::<Half>(text),
        Type::F32 => read::<Single>(text),
        Type::F64 => read::<Double>(text),
        _ => None,
    }
}

/// The number that signed or unsigned integer bits stand for.
pub(crate) fn integer_value(bits: u64, width: u32, signed: bool) -> i128 {
    if signed {
        i128::from(sign_extend(bits, width))
    } else {
        i128::from(truncate(bits, width))
    }
}
