//! Leaf modules: state-machine cores, buffers and forks, one file each, at any width.
//!
//! Each function returns the module of the same name; what it instantiates comes with it, see [`crate::ir::Design`].
//!
//! Cores (`carry`, `invariant`, `gate`, `stream`, `carry_br`, `invariant_br`) push tokens into buffers that stand behind them: `<out>_push` is
//! only ever high while `<out>_room` is. Channels are `<name>_valid/_ready/_data[/_tag]`. `busy` is high while the
//! module holds anything: a token, a fork's done bit, a state machine out of its first phase.

use crate::ir::{Expr, Module};
use crate::Channel;

mod carry;
mod carry_br;
mod eager_fork;
mod elastic_buffer;
mod fifo;
mod gate;
mod invariant;
mod invariant_br;
mod stream;

pub use carry::{carry, carry_control};
pub use carry_br::{carry_br, carry_br_control};
pub use eager_fork::eager_fork;
pub use elastic_buffer::{elastic_buffer, elastic_buffer_control};
pub use fifo::fifo;
pub use gate::{gate, gate_control};
pub use invariant::{invariant, invariant_control};
pub use invariant_br::{invariant_br, invariant_br_control};
pub use stream::{stream, stream_control};

/// The widest channel.
pub const MAX_WIDTH: u32 = 4096;

/// `_w32` or `_w32_t4`.
fn width_suffix(width: u32, tag_width: u32) -> String {
    assert!(width <= MAX_WIDTH, "a channel of {width} bits");
    if tag_width == 0 {
        format!("_w{width}")
    } else {
        format!("_w{width}_t{tag_width}")
    }
}

/// The ports of a branch's outputs, `o_true_push`, `o_true_room`, `o_true_data`, and then those of `o_false`.
fn sides(m: &mut Module, width: u32) -> [[Expr; 3]; 2] {
    ["true", "false"].map(|side| {
        let push = m.output(&format!("o_{side}_push"), 1);
        let room = m.input(&format!("o_{side}_room"), 1);
        [push, room, m.output(&format!("o_{side}_data"), width)]
    })
}

/// The tokens of `a` and what was stored of the last one, by a select: what an invariant sends.
fn repeated(m: &mut Module, a: Channel, select: &Expr, width: u32) -> Expr {
    if width == 0 {
        m.unused(select);
    } else {
        m.comment("Filled with each token of `a`, read until the next one; needs no reset.");
    }
    let stored = m.reg_no_reset("stored_q", width);
    m.next(&stored, Some(a.ready), a.data.clone());
    select.mux(&stored.q, &a.data)
}
