//! Control of `gate`.

use super::Reg;
use rust_hdl::prelude::*;

/// Value and condition are always consumed together. Head: a true condition sends the value alone and opens the
/// body; a false one sends nothing. Body: a true condition sends the value and `true`; a false one sends `false`
/// alone and goes back to Head.
#[derive(LogicBlock, Default)]
pub struct GateControl {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// A value is offered.
    pub value_valid: Signal<In, Bit>,
    /// A condition is offered.
    pub cond_valid: Signal<In, Bit>,
    /// The condition.
    pub cond_bit: Signal<In, Bit>,
    /// Both are consumed.
    pub take: Signal<Out, Bit>,
    /// A value goes out.
    pub o_value_push: Signal<Out, Bit>,
    /// The value output has room.
    pub o_value_room: Signal<In, Bit>,
    /// The condition goes out.
    pub o_cond_push: Signal<Out, Bit>,
    /// The condition output has room.
    pub o_cond_room: Signal<In, Bit>,
    /// In the Body phase.
    pub busy: Signal<Out, Bit>,
    body: Reg,
    all: Signal<Local, Bit>,
}

impl Logic for GateControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.body.clock.next = self.clk.val();
        self.body.reset_n.next = self.rst_n.val();
        // A value needs room exactly when the condition is true, a condition exactly in the body.
        self.all.next = self.value_valid.val()
            & self.cond_valid.val()
            & (self.o_value_room.val() | !self.cond_bit.val())
            & (self.o_cond_room.val() | !self.body.q.val());
        self.take.next = self.all.val();
        self.o_value_push.next = self.all.val() & self.cond_bit.val();
        self.o_cond_push.next = self.all.val() & self.body.q.val();
        self.body.d.next = self.body.q.val();
        if self.all.val() {
            self.body.d.next = self.cond_bit.val();
        }
        self.busy.next = self.body.q.val();
    }
}
