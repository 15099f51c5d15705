//! Control of `carry`.

use super::Reg;
use rust_hdl::prelude::*;

/// Init: a token of `a` goes out and starts the loop. Loop: each true condition sends a token of `b`; a false one is
/// taken together with the next `a` when that can go out at once, else alone, back to Init.
#[derive(LogicBlock, Default)]
pub struct CarryControl {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// A condition is offered.
    pub d_valid: Signal<In, Bit>,
    /// The condition.
    pub d_bit: Signal<In, Bit>,
    /// The condition is consumed.
    pub d_ready: Signal<Out, Bit>,
    /// An initial value is offered.
    pub a_valid: Signal<In, Bit>,
    /// The initial value is consumed.
    pub a_ready: Signal<Out, Bit>,
    /// A next value is offered.
    pub b_valid: Signal<In, Bit>,
    /// The next value is consumed.
    pub b_ready: Signal<Out, Bit>,
    /// A token goes out.
    pub o_push: Signal<Out, Bit>,
    /// The output has room.
    pub o_room: Signal<In, Bit>,
    /// The token is that of `b`, else of `a`.
    pub select_b: Signal<Out, Bit>,
    /// In the Loop phase.
    pub busy: Signal<Out, Bit>,
    looping: Reg,
    d_last: Signal<Local, Bit>,
    d_more: Signal<Local, Bit>,
    take_a: Signal<Local, Bit>,
    take_b: Signal<Local, Bit>,
}

impl Logic for CarryControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.looping.clock.next = self.clk.val();
        self.looping.reset_n.next = self.rst_n.val();
        self.d_last.next = self.d_valid.val() & !self.d_bit.val();
        self.d_more.next = self.d_valid.val() & self.d_bit.val();
        // A first token goes out in Init and with the last condition.
        self.take_a.next =
            (self.a_valid.val() & self.o_room.val()) & (self.d_last.val() | !self.looping.q.val());
        self.take_b.next =
            (self.b_valid.val() & self.o_room.val()) & (self.d_more.val() & self.looping.q.val());
        self.select_b.next = self.looping.q.val() & self.d_bit.val();
        // The last condition never waits: it is taken with the next first token or alone.
        self.d_ready.next = (self.looping.q.val() & self.d_last.val()) | self.take_b.val();
        self.a_ready.next = self.take_a.val();
        self.b_ready.next = self.take_b.val();
        self.o_push.next = self.take_a.val() | self.take_b.val();
        // A first token starts the loop or continues it; the last condition ends it unless another came with it.
        self.looping.d.next = self.take_a.val() | (self.looping.q.val() & !self.d_last.val());
        self.busy.next = self.looping.q.val();
    }
}
