//! Control of `invariant`.

use super::Reg;
use rust_hdl::prelude::*;

/// Init: a token of `a` is stored and goes out. Loop: each true condition sends the stored value again; a false one
/// is taken together with the next `a` when that can go out at once, else alone, back to Init.
#[derive(LogicBlock, Default)]
pub struct InvariantControl {
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
    /// A value is offered.
    pub a_valid: Signal<In, Bit>,
    /// The value is consumed, and stored.
    pub a_ready: Signal<Out, Bit>,
    /// A token goes out.
    pub o_push: Signal<Out, Bit>,
    /// The output has room.
    pub o_room: Signal<In, Bit>,
    /// The token is the stored value, else that of `a`.
    pub select_stored: Signal<Out, Bit>,
    /// In the Loop phase.
    pub busy: Signal<Out, Bit>,
    looping: Reg,
    d_last: Signal<Local, Bit>,
    d_more: Signal<Local, Bit>,
    take_a: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
}

impl Logic for InvariantControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.looping.clock.next = self.clk.val();
        self.looping.reset_n.next = self.rst_n.val();
        self.d_last.next = self.d_valid.val() & !self.d_bit.val();
        self.d_more.next = self.d_valid.val() & self.d_bit.val();
        // A new value goes out in Init and with the last condition.
        self.take_a.next =
            (self.a_valid.val() & self.o_room.val()) & (self.d_last.val() | !self.looping.q.val());
        self.again.next = (self.looping.q.val() & self.o_room.val()) & self.d_more.val();
        self.select_stored.next = self.looping.q.val() & self.d_bit.val();
        // The last condition never waits: it is taken with the new value or alone.
        self.d_ready.next = (self.looping.q.val() & self.d_last.val()) | self.again.val();
        self.a_ready.next = self.take_a.val();
        self.o_push.next = self.take_a.val() | self.again.val();
        self.looping.d.next = self.take_a.val() | (self.looping.q.val() & !self.d_last.val());
        self.busy.next = self.looping.q.val();
    }
}
