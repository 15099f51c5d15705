//! The divider: a function unit of one division, one bit of the quotient a cycle (contract, section 5).
//!
//! Restoring division of magnitudes in two registers: what is left of the dividend leaves `quotient_q` at the top while
//! the quotient enters at the bottom. The signs are put back behind the registers. A divisor of 0 always fits, which
//! gives the defined results by itself: a quotient of ones and the dividend as the remainder.

use super::digits::Digits;
use crate::ir::{Expr, Module};
use crate::Channel;
use loom_adg::model::{BodyValue, FunctionUnit};
use loom_dfg::op::Division;

/// Fills the module of a divider, all but its channels.
pub(super) fn divider(m: &mut Module, op: Division, fu: &FunctionUnit, inputs: &[Channel], out: &Channel) {
    let width = out.data.width();
    let operand = |at: usize| match fu.body[0].operands[at] {
        BodyValue::Input(i) => inputs[i].data.clone(),
        BodyValue::Result { .. } => unreachable!("legality: a division stands alone"),
    };
    let (dividend, divisor) = (operand(0), operand(1));
    let (signed, remains) = match op {
        Division::Divsi | Division::Ceildivsi | Division::Floordivsi => (true, false),
        Division::Divui | Division::Ceildivui => (false, false),
        Division::Remsi => (true, true),
        Division::Remui => (false, true),
    };

    let digits = Digits::new(m, fu, inputs, out);
    let fire = digits.fire.clone();
    let magnitude = |v: &Expr| if signed { v.msb().mux(&v.neg(), v) } else { v.clone() };
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

    let negative = signed.then(|| {
        let negative = m.reg_no_reset("negative_q", 1);
        let differ = dividend.msb().xor(&divisor.msb());
        // By zero the quotient is -1 as it comes.
        let value = if remains { dividend.msb() } else { differ.and(&divisor.reduce_or()) };
        m.next(&negative, Some(fire), value);
        negative.q
    });
    let value = if remains { &remainder.q } else { &quotient.q };
    let result = match (op, negative) {
        (Division::Floordivsi, Some(negative)) => {
            m.comment("Minus the quotient and one more down where something is left: its complement.");
            let one = negative.and(&remainder.q.reduce_or().not());
            negative.mux(&value.not(), value).add(&one.zext(width))
        }
        (Division::Ceildivsi, Some(negative)) => {
            let up = remainder.q.reduce_or().and(&by.q.reduce_or());
            negative.mux(&value.not(), value).add(&negative.or(&up).zext(width))
        }
        (Division::Ceildivui, _) => {
            let up = remainder.q.reduce_or().and(&by.q.reduce_or());
            value.add(&up.zext(width))
        }
        (_, Some(negative)) => negative.mux(&value.neg(), value),
        (_, None) => value.clone(),
    };
    m.drive(&out.data, result);
}
