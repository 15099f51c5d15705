//! The true values of elementary functions of doubles, by arithmetic of some 200 bits that is not ours.

use super::measure::truth;
use astro_float_num::{BigFloat, Consts, RoundingMode, Sign};
use loom_dfg::OpKind;

/// Bits of the numbers.
const BITS: usize = 192;
const ROUND: RoundingMode = RoundingMode::None;

/// Computes true values.
pub struct Arbiter {
    known: Consts,
}

fn scaled(x: BigFloat, by: i32) -> BigFloat {
    let mut scale = BigFloat::from_f64(1.0, BITS);
    scale.set_exponent(by + 1);
    x.mul(&scale, BITS, ROUND)
}

/// A finite double, exactly: by way of a normal one, as the crate halves subnormals.
fn exact(x: f64) -> BigFloat {
    match x.is_subnormal() {
        true => scaled(BigFloat::from_f64(x * libm::exp2(200.0), BITS), -200),
        false => BigFloat::from_f64(x, BITS),
    }
}

/// The nearest doubles, but for a last bit, by 2^shift.
fn to_double(x: &BigFloat, shift: i32) -> f64 {
    let (Some(words), Some(exponent), Some(sign)) = (x.mantissa_digits(), x.exponent(), x.sign()) else {
        return f64::NAN;
    };
    let top = words.last().map_or(0.0, |&word| word as f64);
    let sign = if sign == Sign::Neg { -1.0 } else { 1.0 };
    sign * libm::scalbn(top, (exponent - 64 + shift).clamp(-3000, 3000))
}

impl Default for Arbiter {
    fn default() -> Arbiter {
        Arbiter { known: Consts::new().expect("constants") }
    }
}

impl Arbiter {
    /// The true value; `None` where it is no finite number, or where an operand is none.
    pub fn truth(&mut self, kind: OpKind, [x, y]: [f64; 2]) -> Option<BigFloat> {
        if !x.is_finite() || !y.is_finite() {
            return None;
        }
        let (double, other) = (x, y);
        let [x, y] = [x, y].map(exact);
        let known = &mut self.known;
        let value = match kind {
            OpKind::Exp => x.exp(BITS, ROUND, known),
            OpKind::Exp2 => {
                let natural = known_times(known, &x, true);
                natural.exp(BITS, ROUND, known)
            }
            OpKind::Expm1 => {
                let half = scaled(x, -1);
                let sine = half.sinh(BITS, ROUND, known);
                scaled(half.exp(BITS, ROUND, known).mul(&sine, BITS, ROUND), 1)
            }
            OpKind::Log => x.ln(BITS, ROUND, known),
            OpKind::Log2 => {
                let natural = x.ln(BITS, ROUND, known);
                known_times(known, &natural, false)
            }
            OpKind::Log10 => x.log10(BITS, ROUND, known),
            OpKind::Log1p if double > 1.0 => x.add(&exact(1.0), BITS, ROUND).ln(BITS, ROUND, known),
            OpKind::Log1p if double > -1.0 => {
                let below = x.add(&exact(2.0), BITS, ROUND);
                scaled(x.div(&below, BITS, ROUND).atanh(BITS, ROUND, known), 1)
            }
            OpKind::Sin => x.sin(BITS, ROUND, known),
            OpKind::Cos => x.cos(BITS, ROUND, known),
            OpKind::Tan => x.tan(BITS, ROUND, known),
            OpKind::Asin => x.asin(BITS, ROUND, known),
            OpKind::Acos => x.acos(BITS, ROUND, known),
            OpKind::Atan => x.atan(BITS, ROUND, known),
            OpKind::Atan2 if double != 0.0 || other > 0.0 => {
                let angle = x.div(&y, BITS, ROUND).atan(BITS, ROUND, known);
                let half = known.pi(BITS, ROUND);
                match (other < 0.0, double < 0.0) {
                    (false, _) => angle,
                    (true, false) => angle.add(&half, BITS, ROUND),
                    (true, true) => angle.sub(&half, BITS, ROUND),
                }
            }
            OpKind::Sinh => x.sinh(BITS, ROUND, known),
            OpKind::Cosh => x.cosh(BITS, ROUND, known),
            OpKind::Tanh => x.tanh(BITS, ROUND, known),
            OpKind::Cbrt => x.cbrt(BITS, ROUND),
            OpKind::Erf => error_function(double.abs().min(7.0), known),
            OpKind::Powf if double != 0.0 => {
                let log = x.abs().ln(BITS, ROUND, known);
                log.mul(&y, BITS, ROUND).exp(BITS, ROUND, known)
            }
            _ => return None,
        };
        let is_odd = other % 2.0 != 0.0;
        let value = match kind {
            OpKind::Powf if double < 0.0 && other.fract() != 0.0 => return None,
            OpKind::Powf if double < 0.0 && is_odd => value.neg(),
            OpKind::Erf if double < 0.0 => value.neg(),
            _ => value,
        };
        (!value.is_nan() && !value.is_inf()).then_some(value)
    }

    /// The distance of a result from the true value in ulps at that. Infinite where a sign is wrong, or one is no number and the
    /// other is, or a NaN is not the canonical one. What is beyond the largest number is infinite: 2^1024.
    pub fn distance(&mut self, kind: OpKind, operands: [f64; 2], got: f64) -> f64 {
        let Some(truth) = self.truth(kind, operands) else {
            let want = corner(kind, operands);
            let same =
                want.to_bits() == got.to_bits() && (!want.is_nan() || got.to_bits() == f64::NAN.to_bits());
            return if same { 0.0 } else { f64::INFINITY };
        };
        if got.is_nan() {
            return f64::INFINITY;
        }
        if truth.is_zero() {
            return if got.to_bits() == corner(kind, operands).to_bits() { 0.0 } else { f64::INFINITY };
        }
        let is_negative = truth.is_negative();
        if got.is_sign_negative() != is_negative {
            return f64::INFINITY;
        }
        let exponent = truth.exponent().expect("a number").clamp(-1021, 1024);
        let is_beyond = truth.exponent().expect("a number") > 1024;
        let value = match got.is_infinite() {
            true if is_beyond => return 0.0,
            true => scaled(exact(got.signum()), 1024),
            false => exact(got),
        };
        to_double(&value.sub(&truth, BITS, ROUND), 53 - exponent).abs()
    }
}

/// Times log(2), or divided by it.
fn known_times(known: &mut Consts, x: &BigFloat, times: bool) -> BigFloat {
    let log = known.ln_2(BITS + 64, ROUND);
    match times {
        true => x.mul(&log, BITS + 64, ROUND),
        false => x.div(&log, BITS, ROUND),
    }
}

/// 2 / sqrt(pi) * e^(-x^2) * (x + 2 x^3 / 3 + 4 x^5 / 15 + ...), all of whose terms are positive.
fn error_function(x: f64, known: &mut Consts) -> BigFloat {
    let x = exact(x);
    let square = scaled(x.mul(&x, BITS, ROUND), 1);
    let (mut term, mut sum) = (x.clone(), x.clone());
    for n in 1..400 {
        let next = exact(f64::from(2 * n + 1));
        term = term.mul(&square, BITS, ROUND).div(&next, BITS, ROUND);
        sum = sum.add(&term, BITS, ROUND);
    }
    let decay = scaled(square, -1).neg().exp(BITS, ROUND, known);
    let root = known.pi(BITS, ROUND).sqrt(BITS, ROUND);
    scaled(sum.mul(&decay, BITS, ROUND).div(&root, BITS, ROUND), 1)
}

/// The value where it, or an operand, is no finite number or a zero.
fn corner(kind: OpKind, [x, y]: [f64; 2]) -> f64 {
    let value = truth(kind, x, y);
    if value.is_nan() {
        f64::NAN
    } else {
        value
    }
}
