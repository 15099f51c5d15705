//! `loom_stream_<op>_w<W>`: index generation.

use super::width_suffix;
use crate::control::StreamControl;
use crate::import::import;
use crate::ir::{Expr, Module};
use crate::Channel;
use loom_adg::ChannelType;
use loom_dfg::{ContCond, Counter, StepOp};
use std::sync::Arc;

/// The control of every `stream`, whatever its width and operator.
pub fn stream_control() -> Arc<Module> {
    import(
        "loom_stream_control",
        "Control of stream. Phase Idle (active_q = 0): start, step and bound are accepted together.\n\
         Phase Active: a pair goes out a cycle. With the last one (`cont_bit` = 0) the next operands are accepted in\n\
         the same cycle when they are offered, else it is Idle again. `hold` delays a pair.\n\
         A zero step where operands could be accepted sets `failed_q`; nothing is accepted from then on.",
        &StreamControl::default(),
    )
}

/// The next index and whether it left the range.
struct Update {
    next: Expr,
    overflow: Expr,
    /// High in the cycle whose end takes `next`, where that is not the cycle of the push.
    done: Option<Expr>,
    hold: Expr,
}

/// The core of `stream`, 2 bits wide or more. Ports: channels in `start`, `step`, `bound`; pushes out `o_idx`, `o_cont`
/// (1 bit); config input `cont_cond` (5 bits, one hot: `<`, `<=`, `>`, `>=`, `!=`), and `is_unsigned` where it is built for
/// unsigned numbers; `busy`, `zero_step_error`, `onehot_error`.
pub fn stream(width: u32, counter: Counter) -> Arc<Module> {
    let op = counter.step_op;
    assert!(width >= 2, "a stream of {width} bits has no signed range to step in");
    let mut m = Module::new(format!("loom_stream_{}{}", counter.name(), width_suffix(width, 0)));
    m.doc(&format!(
        "stream `{}`: pairs (index, condition) from `start` on, while index `cont_cond` `bound` holds ({}); the\n\
         pair whose condition is false ends the activation. An update that leaves the {} makes the next\n\
         condition false. {}\n\
         Guarantees: one pair a cycle{}, none lost between activations; both pushes in one cycle, only while both\n\
         outputs have room. `zero_step_error` is sticky. `onehot_error`: `cont_cond` is not one hot.",
        op.text(),
        if counter.is_unsigned() { "signed, or as `is_unsigned` says" } else { "signed" },
        if counter.is_unsigned() { "range of these numbers" } else { "signed range" },
        match op {
            StepOp::Mul => "The product is computed in full width.",
            StepOp::Div => "Division is towards zero, one quotient bit a cycle.",
            StepOp::Shl | StepOp::Shr => "The step is an unsigned amount.",
            StepOp::Add | StepOp::Sub => "One adder and one comparator.",
        },
        if op == StepOp::Div { " but for the divisions" } else { "" },
    ));
    let cont_cond = m.input("cont_cond", ContCond::BITS);
    let is_unsigned = if counter.is_unsigned() { m.input("is_unsigned", 1) } else { Expr::bit_const(false) };
    let start = Channel::input(&mut m, "start", ChannelType::bits(width));
    let step = Channel::input(&mut m, "step", ChannelType::bits(width));
    let bound = Channel::input(&mut m, "bound", ChannelType::bits(width));
    let idx_push = m.output("o_idx_push", 1);
    let idx_room = m.input("o_idx_room", 1);
    let idx_data = m.output("o_idx_data", width);
    let cont_push = m.output("o_cont_push", 1);
    let cont_room = m.input("o_cont_room", 1);
    let cont_data = m.output("o_cont_data", 1);
    let busy = m.output("busy", 1);
    let zero_step_error = m.output("zero_step_error", 1);
    let onehot_error = m.output("onehot_error", 1);

    m.comment(
        "The present pair's index, the activation's operands, and whether the last update left the range.",
    );
    let idx = m.reg_no_reset("idx_q", width);
    let step_reg = m.reg_no_reset("step_q", width);
    let bound_reg = m.reg_no_reset("bound_q", width);
    m.comment("One comparison decides all five conditions.");
    let equal = m.wire("equal", idx.q.eq(&bound_reg.q));
    let less = m.wire("less", less(&idx.q, &bound_reg.q, &is_unsigned));
    let cond = |bits: &[u32]| Expr::any_of(&bits.iter().map(|&b| cont_cond.bit(b)).collect::<Vec<_>>());
    let holds = equal.mux(&cond(&[1, 3]), &less.mux(&cond(&[0, 1, 4]), &cond(&[2, 3, 4])));
    let (cont, overflow_reg) = if op == StepOp::Shr {
        (m.wire("cont", holds), None)
    } else {
        let overflow = m.reg("overflow_q", 1, 0u32);
        (m.wire("cont", holds & !&overflow.q), Some(overflow))
    };

    let [accept, push, advance] = ["accept", "push", "advance"].map(|n| m.declare(n, 1));
    let update = match op {
        StepOp::Div => divide(&mut m, &idx.q, &step_reg.q, &is_unsigned, &advance),
        _ => combinational(&mut m, op, &idx.q, &step_reg.q, &is_unsigned),
    };
    let step_is_zero = m.wire("step_is_zero", step.data.eq(&Expr::zero(width)));
    m.instance(
        "control",
        &stream_control(),
        &[
            ("start_valid", start.valid),
            ("step_valid", step.valid),
            ("bound_valid", bound.valid),
            ("step_is_zero", step_is_zero),
            ("cont_bit", cont.clone()),
            ("hold", update.hold),
            ("o_idx_room", idx_room),
            ("o_cont_room", cont_room),
            ("accept", accept.clone()),
            ("push", push.clone()),
            ("advance", advance.clone()),
            ("error", zero_step_error),
            ("busy", busy),
        ],
    );
    for ready in [start.ready, step.ready, bound.ready] {
        m.drive(&ready, accept.clone());
    }
    m.drive(&idx_push, push.clone());
    m.drive(&idx_data, idx.q.clone());
    m.drive(&cont_push, push);
    m.drive(&cont_data, cont);
    let taken = match update.done {
        Some(done) => done,
        None => advance,
    };
    m.next(&idx, Some(&accept | &taken), accept.mux(&start.data, &update.next));
    m.next(&step_reg, Some(accept.clone()), step.data);
    m.next(&bound_reg, Some(accept.clone()), bound.data);
    if let Some(reg) = overflow_reg {
        m.next(&reg, Some(&accept | &taken), !&accept & update.overflow);
    }
    m.comment("Static: none or more than one bit set.");
    let pairs: Vec<Expr> = (1..5)
        .map(|high| cont_cond.bit(high) & cond(&(0..high).collect::<Vec<_>>()))
        .chain([!cont_cond.reduce_or()])
        .collect();
    m.drive(&onehot_error, Expr::any_of(&pairs));
    m.finish()
}

/// Numbers that are always signed: what can be unsigned has hardware for it.
fn always_signed(is_unsigned: &Expr) -> bool {
    is_unsigned.as_const().is_some()
}

/// `a < b`. Signed order is the unsigned one of numbers whose top bit is turned over.
fn less(a: &Expr, b: &Expr, is_unsigned: &Expr) -> Expr {
    if always_signed(is_unsigned) {
        return a.slt(b);
    }
    let turned = |x: &Expr| {
        let low = x.slice(0, x.width() - 1);
        Expr::concat(&[x.msb() ^ !is_unsigned, low])
    };
    turned(a).ult(&turned(b))
}

/// Shift right that fills with the sign, or with 0 in an unsigned number.
fn shift_right(m: &mut Module, value: &Expr, amount: &Expr, is_unsigned: &Expr) -> Expr {
    if always_signed(is_unsigned) {
        return value.sshr(amount);
    }
    let wider = Expr::concat(&[value.msb() & !is_unsigned, value.clone()]);
    let shifted = m.wire("shifted_wide", wider.sshr(amount));
    m.unused(&shifted.msb());
    shifted.slice(0, value.width())
}

/// The operators that take one cycle. A step that is added keeps its sign for either kind of index, which turns the
/// sums that overflow just over.
fn combinational(m: &mut Module, op: StepOp, idx: &Expr, step: &Expr, is_unsigned: &Expr) -> Update {
    let width = idx.width();
    let no = Expr::bit_const(false);
    let (next, overflow) = match op {
        StepOp::Add => {
            let next = m.wire("idx_next", idx.add(step));
            let overflow = !(idx.msb() ^ step.msb() ^ is_unsigned) & (next.msb() ^ idx.msb());
            (next, overflow)
        }
        StepOp::Sub => {
            let next = m.wire("idx_next", idx.sub(step));
            let overflow = (idx.msb() ^ step.msb() ^ is_unsigned) & (next.msb() ^ idx.msb());
            (next, overflow)
        }
        StepOp::Mul => {
            m.comment(
                "The low half of a product is the same signed and unsigned; the high half is the unsigned one less\n\
                 each operand whose partner is negative. It fits when all bits from the sign up are equal.",
            );
            let product = m.wire("product", idx.zext(2 * width).mul(&step.zext(2 * width)));
            let next = product.slice(0, width);
            let correction = |sign: &Expr, other: &Expr| (sign.msb() & !is_unsigned).repeat(width).and(other);
            let high = product.slice(width, width);
            let high = high.sub(&correction(idx, step)).sub(&correction(step, idx));
            let high = m.wire("product_high", high);
            let top = Expr::concat(&[high, next.msb() & !is_unsigned]);
            (next, top.reduce_or() & !top.reduce_and())
        }
        StepOp::Shl => {
            m.comment("Bits are lost exactly when shifting back does not give the index again.");
            let next = m.wire("idx_next", idx.shl(step));
            let overflow = shift_right(m, &next, step, is_unsigned).ne(idx);
            (next, overflow)
        }
        StepOp::Shr => {
            let next = shift_right(m, idx, step, is_unsigned);
            (m.wire("idx_next", next), no.clone())
        }
        StepOp::Div => unreachable!("division is iterative"),
    };
    Update { next, overflow, done: None, hold: no }
}

/// Restoring division of magnitudes, one quotient bit a cycle, W cycles from the push on.
fn divide(m: &mut Module, idx: &Expr, step: &Expr, is_unsigned: &Expr, advance: &Expr) -> Update {
    let width = idx.width();
    let count_width = 32 - width.leading_zeros();
    // The magnitude of a signed divisor is at most 2^(W-1).
    let (rest_width, rest_bits) = if always_signed(is_unsigned) { (width - 1, "W-1") } else { (width, "W") };
    m.comment(&format!(
        "Restoring division of magnitudes. Loaded by a push that another pair follows; `count_q` bits are to come,\n\
         and `idx_q` takes the result with the last of them. The remainder stays below the divisor, so {rest_bits} bits do.",
    ));
    let count = m.reg("count_q", count_width, 0u32);
    let quotient = m.reg_no_reset("quotient_q", width);
    let remainder = m.reg_no_reset("remainder_q", rest_width);
    let negative = m.reg_no_reset("negative_q", 1);
    let working = m.wire("working", count.q.reduce_or());
    let is_negative = |x: &Expr| x.msb() & !is_unsigned;
    let dividend = m.wire("dividend", is_negative(idx).mux(&idx.neg(), idx));
    let divisor = m.wire("divisor", is_negative(step).mux(&step.neg(), step)).zext(rest_width + 1);
    let trial = m.wire("trial", Expr::concat(&[remainder.q.clone(), quotient.q.msb()]));
    let fits = m.wire("fits", divisor.ule(&trial));
    let rest = fits.mux(&trial.sub(&divisor), &trial).slice(0, rest_width);
    let shifted = m.wire("shifted", Expr::concat(&[quotient.q.slice(0, width - 1), fits]));
    let load_or_work = m.wire("load_or_work", advance | &working);
    let one = Expr::konst(count_width, 1u32);
    m.next(
        &count,
        Some(load_or_work.clone()),
        advance.mux(&Expr::konst(count_width, width), &count.q.sub(&one)),
    );
    m.next(&quotient, Some(load_or_work.clone()), advance.mux(&dividend, &shifted));
    m.next(&remainder, Some(load_or_work), advance.mux(&Expr::zero(rest_width), &rest));
    m.next(&negative, Some(advance.clone()), is_negative(idx) ^ is_negative(step));
    Update {
        next: negative.q.mux(&shifted.neg(), &shifted),
        // Only the most negative number by -1 has a positive quotient with the top bit set.
        overflow: !&negative.q & is_negative(&shifted),
        done: Some(count.q.eq(&one)),
        hold: working,
    }
}
