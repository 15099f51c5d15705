//! Control of the two-entry elastic buffer.

use super::Reg;
use rust_hdl::prelude::*;

/// The head entry is what is offered; the tail entry takes a token that arrives while the head waits. `in_ready` and
/// `out_valid` are registers, so the buffer cuts valid, data and ready.
#[derive(LogicBlock, Default)]
pub struct ElasticBufferControl {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// A token is offered to the buffer.
    pub in_valid: Signal<In, Bit>,
    /// The tail is empty.
    pub in_ready: Signal<Out, Bit>,
    /// The head is full.
    pub out_valid: Signal<Out, Bit>,
    /// The head leaves.
    pub out_ready: Signal<In, Bit>,
    /// The head takes new data.
    pub load_head: Signal<Out, Bit>,
    /// The head's new data is the tail's, else the input's.
    pub head_from_tail: Signal<Out, Bit>,
    /// The tail takes new data.
    pub load_tail: Signal<Out, Bit>,
    head: Reg,
    tail: Reg,
}

impl Logic for ElasticBufferControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.head.clock.next = self.clk.val();
        self.head.reset_n.next = self.rst_n.val();
        self.tail.clock.next = self.clk.val();
        self.tail.reset_n.next = self.rst_n.val();
        self.in_ready.next = !self.tail.q.val();
        self.out_valid.next = self.head.q.val();
        // The head fills from an arriving token or the tail, and drains only when taken.
        self.head.d.next =
            self.tail.q.val() | self.in_valid.val() | (self.head.q.val() & !self.out_ready.val());
        // The tail fills when a token arrives and the head stays, and drains when the head leaves.
        self.tail.d.next =
            self.head.q.val() & !self.out_ready.val() & (self.tail.q.val() | self.in_valid.val());
        // Data may be loaded freely where the entry's valid bit stays 0: fewer gates than exact enables.
        self.load_head.next = self.out_ready.val() | !self.head.q.val();
        self.head_from_tail.next = self.tail.q.val();
        self.load_tail.next = !self.tail.q.val();
    }
}
