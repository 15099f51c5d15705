//! Control of the state machines and of the elastic buffer, written in rust-hdl over single bits.
//!
//! A block has no data width: data bits enter it as conditions (`d_bit`), and selects and enables for a datapath come
//! out. So one module serves every width, is simulated by rust-hdl, and is small enough to be proved.
//!
//! Conventions that [`crate::import`] relies on: the clock is `clk`, the reset `rst_n`; a state bit is a [`Reg`], its
//! clock and reset wired to those two; a local signal is assigned before it is read.
//!
//! `<out>_push` puts a token into the output's buffer, and is only ever high while `<out>_room` is. An input's
//! `ready` is high exactly in the cycles in which its token is consumed. `busy` is high outside the first phase.

mod carry;
mod carry_br;
mod elastic_buffer;
mod gate;
mod invariant;
mod invariant_br;
mod reg;
mod stream;

pub use carry::CarryControl;
pub use carry_br::CarryBrControl;
pub use elastic_buffer::ElasticBufferControl;
pub use gate::GateControl;
pub use invariant::InvariantControl;
pub use invariant_br::InvariantBrControl;
pub use reg::{Reg, REG_MARKER};
pub use stream::StreamControl;
