//! One bit of state: synchronous active-low reset to 0, no `initial`.

use rust_hdl::prelude::*;

/// What [`Reg`] says instead of Verilog; the import recognises it and inlines the register.
pub const REG_MARKER: &str = "loom register: synchronous active-low reset to 0";

/// A register of one bit, 0 after reset.
#[derive(LogicBlock, Default)]
pub struct Reg {
    /// Next value.
    pub d: Signal<In, Bit>,
    /// Present value.
    pub q: Signal<Out, Bit>,
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Active low, synchronous.
    pub reset_n: Signal<In, Bit>,
}

impl Logic for Reg {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = self.d.val() & self.reset_n.val();
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(REG_MARKER.into())
    }
}
