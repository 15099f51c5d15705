//! Control of `invariant_br`.

use super::Reg;
use rust_hdl::prelude::*;

/// Init: a token of `a` is stored, whether or not a condition is there. A condition is taken when there is a value, stored or
/// just offered, and the value goes out on the side that it says; a false one ends the activation.
#[derive(LogicBlock, Default)]
pub struct InvariantBrControl {
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
    /// A token goes out on the true side.
    pub t_push: Signal<Out, Bit>,
    /// The true side has room.
    pub t_room: Signal<In, Bit>,
    /// A token goes out on the false side.
    pub f_push: Signal<Out, Bit>,
    /// The false side has room.
    pub f_room: Signal<In, Bit>,
    /// The token is the stored value, else that of `a`.
    pub select_stored: Signal<Out, Bit>,
    /// In the Loop phase: a value is stored.
    pub busy: Signal<Out, Bit>,
    looping: Reg,
    there: Signal<Local, Bit>,
    fire_t: Signal<Local, Bit>,
    fire_f: Signal<Local, Bit>,
}

impl Logic for InvariantBrControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.looping.clock.next = self.clk.val();
        self.looping.reset_n.next = self.rst_n.val();
        self.there.next = self.looping.q.val() | self.a_valid.val();
        self.fire_t.next = ((self.d_valid.val() & self.d_bit.val()) & self.there.val()) & self.t_room.val();
        self.fire_f.next = ((self.d_valid.val() & !self.d_bit.val()) & self.there.val()) & self.f_room.val();
        self.select_stored.next = self.looping.q.val();
        self.d_ready.next = self.fire_t.val() | self.fire_f.val();
        // A value waits for no condition: who sends it may have the next one to send.
        self.a_ready.next = self.a_valid.val() & !self.looping.q.val();
        self.t_push.next = self.fire_t.val();
        self.f_push.next = self.fire_f.val();
        self.looping.d.next = self.there.val() & !self.fire_f.val();
        self.busy.next = self.looping.q.val();
    }
}
