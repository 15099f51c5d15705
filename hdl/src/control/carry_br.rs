//! Control of `carry_br`.

use super::Reg;
use rust_hdl::prelude::*;

/// A condition is taken with a token: of `a` in Init, of `b` in Loop. The token goes out on the side that the condition says; a
/// true one goes on to Loop, a false one back to Init.
#[derive(LogicBlock, Default)]
pub struct CarryBrControl {
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
    /// A token goes out on the true side.
    pub t_push: Signal<Out, Bit>,
    /// The true side has room.
    pub t_room: Signal<In, Bit>,
    /// A token goes out on the false side.
    pub f_push: Signal<Out, Bit>,
    /// The false side has room.
    pub f_room: Signal<In, Bit>,
    /// The token is that of `b`, else of `a`.
    pub select_b: Signal<Out, Bit>,
    /// In the Loop phase.
    pub busy: Signal<Out, Bit>,
    looping: Reg,
    both: Signal<Local, Bit>,
    fire_t: Signal<Local, Bit>,
    fire_f: Signal<Local, Bit>,
    fire: Signal<Local, Bit>,
}

impl Logic for CarryBrControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.looping.clock.next = self.clk.val();
        self.looping.reset_n.next = self.rst_n.val();
        // A condition and the token that it is for.
        self.both.next = self.d_valid.val()
            & ((self.looping.q.val() & self.b_valid.val()) | (!self.looping.q.val() & self.a_valid.val()));
        self.fire_t.next = (self.both.val() & self.d_bit.val()) & self.t_room.val();
        self.fire_f.next = (self.both.val() & !self.d_bit.val()) & self.f_room.val();
        self.fire.next = self.fire_t.val() | self.fire_f.val();
        self.select_b.next = self.looping.q.val();
        self.d_ready.next = self.fire.val();
        self.a_ready.next = self.fire.val() & !self.looping.q.val();
        self.b_ready.next = self.fire.val() & self.looping.q.val();
        self.t_push.next = self.fire_t.val();
        self.f_push.next = self.fire_f.val();
        self.looping.d.next = self.fire_t.val() | (self.looping.q.val() & !self.fire_f.val());
        self.busy.next = self.looping.q.val();
    }
}
