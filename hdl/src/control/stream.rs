//! Control of `stream`.

use super::Reg;
use rust_hdl::prelude::*;

/// Idle: the three operands are accepted together. Active: a pair (index, condition) goes out a cycle; with the last
/// one, whose condition is false, the next operands are accepted in the same cycle, else it is Idle again. A zero step
/// where operands could be accepted is an error: nothing is accepted from then on until reset.
#[derive(LogicBlock, Default)]
pub struct StreamControl {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// A start value is offered.
    pub start_valid: Signal<In, Bit>,
    /// A step is offered.
    pub step_valid: Signal<In, Bit>,
    /// A bound is offered.
    pub bound_valid: Signal<In, Bit>,
    /// The offered step is zero.
    pub step_is_zero: Signal<In, Bit>,
    /// The present pair's condition.
    pub cont_bit: Signal<In, Bit>,
    /// The present pair is still being computed.
    pub hold: Signal<In, Bit>,
    /// The index output has room.
    pub o_idx_room: Signal<In, Bit>,
    /// The condition output has room.
    pub o_cont_room: Signal<In, Bit>,
    /// The operands are consumed and stored.
    pub accept: Signal<Out, Bit>,
    /// The pair goes out.
    pub push: Signal<Out, Bit>,
    /// The pair goes out and another follows: the index is updated.
    pub advance: Signal<Out, Bit>,
    /// A zero step was met.
    pub error: Signal<Out, Bit>,
    /// In the Active phase.
    pub busy: Signal<Out, Bit>,
    active: Reg,
    failed: Reg,
    send: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    start: Signal<Local, Bit>,
}

impl Logic for StreamControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.active.clock.next = self.clk.val();
        self.active.reset_n.next = self.rst_n.val();
        self.failed.clock.next = self.clk.val();
        self.failed.reset_n.next = self.rst_n.val();
        self.send.next =
            self.active.q.val() & self.o_idx_room.val() & self.o_cont_room.val() & !self.hold.val();
        self.last.next = self.send.val() & !self.cont_bit.val();
        // Operands count in Idle and with the last pair, and not after an error.
        self.offered.next = self.start_valid.val()
            & self.step_valid.val()
            & self.bound_valid.val()
            & (self.last.val() | !self.active.q.val())
            & !self.failed.q.val();
        self.start.next = self.offered.val() & !self.step_is_zero.val();
        self.failed.d.next = self.failed.q.val() | (self.offered.val() & self.step_is_zero.val());
        self.active.d.next = self.start.val() | (self.active.q.val() & !self.last.val());
        self.accept.next = self.start.val();
        self.push.next = self.send.val();
        self.advance.next = self.send.val() & self.cont_bit.val();
        self.error.next = self.failed.q.val();
        self.busy.next = self.active.q.val();
    }
}
