//! The divider: one division, or one of some that configuration chooses, one bit of the quotient a cycle (contract, section 5).
//!
//! Restoring division of magnitudes in two registers: what is left of the dividend leaves `quotient_q` at the top while
//! the quotient enters at the bottom. The signs are put back behind the registers. A divisor of 0 always fits, which
//! gives the defined results by itself: a quotient of ones and the dividend as the remainder.

use super::digits::Digits;
use crate::ir::{Expr, Module};
use crate::Channel;
use loom_adg::model::{BodyValue, FunctionUnit};
use loom_dfg::op::Division;

/// The registers, and what they are made from.
struct Recurrence {
    fire: Expr,
    dividend: Expr,
    divisor: Expr,
    quotient: Expr,
    remainder: Expr,
    /// The magnitude of the divisor.
    by: Expr,
}

/// Fills the module of a divider, all but its channels.
pub(super) fn divider(m: &mut Module, op: Division, fu: &FunctionUnit, inputs: &[Channel], out: &Channel) {
    let width = out.data.width();
    let operand = |at: usize| match fu.body[0].operands[at] {
        BodyValue::Input(i) => inputs[i].data.clone(),
        BodyValue::Result { .. } => unreachable!("legality: a division stands alone"),
    };
    let operands = [operand(0), operand(1)];
    let [no, yes] = [false, true].map(Expr::bit_const);
    let mut truncates = |signed: &Expr, remains: &Expr| {
        truncating(m, fu, inputs, operands.clone(), [signed, remains], out);
    };
    match op {
        Division::Divsi => return truncates(&yes, &no),
        Division::Divui => return truncates(&no, &no),
        Division::Remsi => return truncates(&yes, &yes),
        Division::Remui => return truncates(&no, &yes),
        Division::Ceildivsi | Division::Floordivsi | Division::Ceildivui => {}
    }
    let signed = if op == Division::Ceildivui { no } else { yes };
    let steps = recurrence(m, fu, inputs, operands, &signed, out);
    let (quotient, left_over) = (&steps.quotient, steps.remainder.reduce_or());
    let up = left_over.and(&steps.by.reduce_or());
    let differ = steps.differ();
    let result = match sign(m, &steps, &signed, differ) {
        Some(negative) if op == Division::Floordivsi => {
            m.comment("Minus the quotient and one more down where something is left: its complement.");
            let one = negative.and(&left_over.not());
            negative.mux(&quotient.not(), quotient).add(&one.zext(width))
        }
        Some(negative) => negative.mux(&quotient.not(), quotient).add(&negative.or(&up).zext(width)),
        None => quotient.add(&up.zext(width)),
    };
    m.drive(&out.data, result);
}

/// A division that rounds to zero, or its remainder: `signed` of two's complement numbers, `remains` the remainder. Both are
/// configuration.
pub(super) fn truncating(
    m: &mut Module,
    fu: &FunctionUnit,
    inputs: &[Channel],
    operands: [Expr; 2],
    [signed, remains]: [&Expr; 2],
    out: &Channel,
) {
    let steps = recurrence(m, fu, inputs, operands, signed, out);
    let is_negative = remains.mux(&steps.dividend.msb(), &steps.differ());
    let negative = sign(m, &steps, signed, is_negative);
    let value = remains.mux(&steps.remainder, &steps.quotient);
    let result = match negative {
        Some(negative) => {
            let value = if remains.as_const().is_some() { value } else { m.wire("magnitude", value) };
            negative.mux(&value.neg(), &value)
        }
        None => value,
    };
    m.drive(&out.data, result);
}

impl Recurrence {
    /// Whether a signed quotient is negative; by zero it is -1 as it comes.
    fn differ(&self) -> Expr {
        self.dividend.msb().xor(&self.divisor.msb()).and(&self.divisor.reduce_or())
    }
}

/// The register of the result's sign, where there are signs.
fn sign(m: &mut Module, steps: &Recurrence, signed: &Expr, is_negative: Expr) -> Option<Expr> {
    let is_negative = signed.and(&is_negative);
    is_negative.as_const().is_none().then(|| {
        let negative = m.reg_no_reset("negative_q", 1);
        m.next(&negative, Some(steps.fire.clone()), is_negative);
        negative.q
    })
}

/// The steps, a bit of the quotient each.
fn recurrence(
    m: &mut Module,
    fu: &FunctionUnit,
    inputs: &[Channel],
    [dividend, divisor]: [Expr; 2],
    signed: &Expr,
    out: &Channel,
) -> Recurrence {
    let width = out.data.width();
    let digits = Digits::new(m, fu, inputs, out);
    let fire = digits.fire.clone();
    let magnitude = |v: &Expr| signed.and(&v.msb()).mux(&v.neg(), v);
    let quotient = m.reg_no_reset("quotient_q", width);
    let remainder = m.reg_no_reset("remainder_q", width);
    let by = m.reg_no_reset("divisor_q", width);
    // One step: the highest bit left of the dividend joins the remainder.
    let trial = m.wire("trial", Expr::concat(&[remainder.q.clone(), quotient.q.msb()]));
    let rest = m.wire("rest", trial.sub(&by.q.zext(width + 1)));
    let fits = m.wire("fits", by.q.zext(width + 1).ule(&trial));
    let step = m.wire("step", digits.is_before(width));
    let load = m.wire("load", fire.or(&step));
    let shifted = Expr::concat(&[quotient.q.slice(0, width - 1), fits.clone()]);
    let left = fits.mux(&rest.slice(0, width), &trial.slice(0, width));
    m.unused(&rest.msb());
    m.next(&quotient, Some(load.clone()), fire.mux(&magnitude(&dividend), &shifted));
    m.next(&remainder, Some(load), fire.mux(&Expr::zero(width), &left));
    m.next(&by, Some(fire.clone()), magnitude(&divisor));
    Recurrence { fire, dividend, divisor, quotient: quotient.q, remainder: remainder.q, by: by.q }
}
