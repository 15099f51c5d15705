//! The shell of a unit that makes its result digit by digit (contract, section 5): one operation at a time, its operands
//! taken in the firing cycle, one digit in each cycle after it, the result shown until it is taken.
//!
//! Takes only what legality lets through: one op, a latency of more than its working cycles
//! ([`loom_dfg::OpKind::digit_cycles`]), an interval of at least the latency.

use crate::ir::{Expr, Module, Reg};
use crate::Channel;
use loom_adg::model::FunctionUnit;

/// When the data path of such a unit does what.
pub(super) struct Digits {
    /// The operands are taken.
    pub fire: Expr,
    running: Expr,
    busy: Expr,
    counter: Reg,
    interval: u32,
}

impl Digits {
    /// Makes the handshakes of the unit. Its result has to stand still from the last working cycle on.
    pub fn new(m: &mut Module, fu: &FunctionUnit, inputs: &[Channel], out: &Channel) -> Digits {
        let digits = Digits::uncounted(m, fu, inputs, out);
        digits.count(m, None);
        digits
    }

    /// The same of a unit that leaves out working cycles; [`Digits::count`] has to follow.
    pub fn uncounted(m: &mut Module, fu: &FunctionUnit, inputs: &[Channel], out: &Channel) -> Digits {
        m.comment("Cycles until the next firing; loaded on firing. The first cycles make a bit each.");
        let bits = loom_base::choice_bits(fu.interval as usize);
        let counter = m.reg("counter_q", bits, 0u32);
        let full = m.reg("full_q", 1, 0u32);
        let (latency, interval) = (fu.latency as u32, fu.interval as u32);
        let count = |n: u32| Expr::konst(bits, n);
        let running = m.wire("running", counter.q.reduce_or());
        let done =
            if latency == interval { running.not() } else { counter.q.ule(&count(interval - latency)) };
        m.drive(&out.valid, full.q.and(&done));
        let leaves = m.wire("leaves", out.valid.and(&out.ready));
        let all = Expr::all_of(&inputs.iter().map(|c| c.valid.clone()).collect::<Vec<_>>());
        let fire = m.wire("fire", all.and(&running.not()).and(&full.q.not().or(&leaves)));
        for input in inputs {
            m.drive(&input.ready, fire.clone());
        }
        m.next(&full, None, fire.or(&full.q.and(&leaves.not())));
        let busy = full.q.or(&running);
        Digits { fire, running, busy, counter, interval }
    }

    /// Lets the counter run; in a cycle that `left_out` says, it leaves out so many.
    pub fn count(&self, m: &mut Module, left_out: Option<(&Expr, &Expr)>) {
        let bits = self.counter.q.width();
        let count = |n: u32| Expr::konst(bits, n);
        let less = self.counter.q.sub(&count(1));
        let less = match left_out {
            Some((when, cycles)) => less.sub(&when.repeat(bits).and(&cycles.zext(bits))),
            None => less,
        };
        let down = self.running.mux(&less, &self.counter.q);
        m.next(&self.counter, None, self.fire.mux(&count(self.interval - 1), &down));
        m.assign_output("busy", self.busy.clone());
    }

    /// Bits of the counter.
    pub fn counter_bits(&self) -> u32 {
        self.counter.q.width()
    }

    /// Whether this is working cycle `at`; the one after the firing is 0.
    pub fn is_cycle(&self, at: u32) -> Expr {
        self.counter.q.eq(&Expr::konst(self.counter.q.width(), self.interval - 1 - at))
    }

    /// Whether this is one of the first `cycles` working cycles.
    pub fn is_before(&self, cycles: u32) -> Expr {
        self.counter.q.uge(&Expr::konst(self.counter.q.width(), self.interval - cycles))
    }

    /// For units that prepare in the first working cycle: whether it is that one, and whether it is one of the `count`
    /// cycles behind it, which make a digit each.
    pub fn first_and_steps(&self, m: &mut Module, count: u32) -> (Expr, Expr) {
        let first = m.wire("first", self.is_cycle(0));
        let step = m.wire("step", self.is_before(1 + count).and(&first.not()));
        (first, step)
    }
}
