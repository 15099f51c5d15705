//! Leaf modules: state-machine cores, buffers and forks, one file each, at any width.
//!
//! Each function returns the module of the same name; what it instantiates comes with it, see [`crate::ir::Design`].
//!
//! Cores (`carry`, `invariant`, `gate`, `stream`) push tokens into buffers that stand behind them: `<out>_push` is
//! only ever high while `<out>_room` is. Channels are `<name>_valid/_ready/_data[/_tag]`. `busy` is high while the
//! module holds anything: a token, a fork's done bit, a state machine out of its first phase.

mod carry;
mod eager_fork;
mod elastic_buffer;
mod fifo;
mod gate;
mod invariant;
mod stream;

pub use carry::{carry, carry_control};
pub use eager_fork::eager_fork;
pub use elastic_buffer::{elastic_buffer, elastic_buffer_control};
pub use fifo::fifo;
pub use gate::{gate, gate_control};
pub use invariant::{invariant, invariant_control};
pub use stream::{stream, stream_control};

use crate::ir::{Expr, Module};

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

/// The input side of a channel. A tag of width 0 is a port that is never printed nor asked for.
struct ChannelIn {
    valid: Expr,
    ready: Expr,
    data: Expr,
    tag: Expr,
}

fn channel_in(m: &mut Module, name: &str, width: u32, tag_width: u32) -> ChannelIn {
    ChannelIn {
        valid: m.input(&format!("{name}_valid"), 1),
        ready: m.output(&format!("{name}_ready"), 1),
        data: m.input(&format!("{name}_data"), width),
        tag: m.input(&format!("{name}_tag"), tag_width),
    }
}

/// The output side of a channel.
struct ChannelOut {
    valid: Expr,
    ready: Expr,
    data: Expr,
    tag: Expr,
}

fn channel_out(m: &mut Module, name: &str, width: u32, tag_width: u32) -> ChannelOut {
    ChannelOut {
        valid: m.output(&format!("{name}_valid"), 1),
        ready: m.input(&format!("{name}_ready"), 1),
        data: m.output(&format!("{name}_data"), width),
        tag: m.output(&format!("{name}_tag"), tag_width),
    }
}
